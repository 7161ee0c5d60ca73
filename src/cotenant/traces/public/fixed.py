"""What the readers of formats with fixed columns share."""

from collections.abc import Collection

import polars as pl

from cotenant.errors import InvalidInput
from cotenant.traces.schema import Reading, ReadOptions
from cotenant.traces.source import Member


def refuse_table_options(
    options: ReadOptions, source: str, labels: Collection[str] = ()
) -> None:
    """Refuse options that choose a column where the format has chosen already.

    Parameters
    ----------
    source
        The format, for the error.
    labels
        Labels of a task that this source can keep.

    Raises
    ------
    InvalidInput
        If `cores_column` is set, or `keep` is set to none of the labels.
    """
    if options.cores_column is not None:
        raise InvalidInput(
            f"cores_column is {options.cores_column!r}; expected none, "
            f"the columns of {source} are fixed"
        )
    if options.keep is not None and options.keep not in labels:
        offer = f"one of {', '.join(labels)}" if labels else "none"
        raise InvalidInput(
            f"keep is {options.keep!r}; expected {offer}, "
            f"{source} has no such label of a task"
        )


def share_factor(options: ReadOptions, source: str) -> float:
    """Return the factor from raw CPU to the share of a task's own cores.

    Raises
    ------
    InvalidInput
        If the unit is an absolute one: the cores would be counted twice.
    """
    if options.unit in ("cores", "millicores"):
        raise InvalidInput(
            f"unit is {options.unit!r}; expected percent or fraction, "
            f"{source} gives usage as a share of the cores of a task"
        )
    return options.factor("percent")


def first_row(member: Member) -> list[str]:
    """Return the cells of the first line that is neither blank nor a comment."""
    text = member.head().decode("utf-8-sig", errors="replace")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            return [cell.strip() for cell in line.split(",")]
    return []


def is_number(cell: str) -> bool:
    """Say whether a cell holds a number; an empty one may stand for one."""
    try:
        float(cell or "0")
    except ValueError:
        return False
    return True


def named(reading: Reading, rows: pl.DataFrame) -> pl.DataFrame:
    """Drop and count the rows that name no task."""
    kept = rows.filter(pl.col("task").is_not_null())
    reading.cleaning.drop("no_task", rows.height - kept.height)
    return kept


def note_unused(reading: Reading, members: list[Member], why: str) -> None:
    """Note the files of the source that were left out."""
    if members:
        more = f" and {len(members) - 1} more" if len(members) > 1 else ""
        reading.cleaning.unread += len(members)
        reading.cleaning.note(f"not read: {members[0].path}{more}; {why}")
