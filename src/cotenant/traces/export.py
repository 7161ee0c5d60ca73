"""A trace to canonical Parquet, part by part."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from cotenant.errors import InvalidInput
from cotenant.traces.intake import CODE
from cotenant.traces.tables.canonical import UNIT_KEY
from cotenant.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Imported:
    """What was written where, and what happened to the rest."""

    file: str
    tasks: int
    samples: int
    unit: str
    cleaning: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `cotenant import -o json`."""
        return {
            "apiVersion": "cotenant/v1",
            "kind": "Import",
            "file": self.file,
            "tasks": self.tasks,
            "samples": self.samples,
            "unit": self.unit,
            "cleaning": self.cleaning,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a reason: `what`, `reason`, `count`."""
        rows = [
            (what, reason, count)
            for what in ("dropped", "repaired", "tasks_dropped")
            for reason, count in self.cleaning[what].items()
        ]
        schema = {"what": pl.String(), "reason": pl.String(), "count": pl.Int64()}
        return pl.DataFrame(rows, schema=schema, orient="row")


def export(
    trace: Trace,
    path: str,
    step: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Imported:
    """Write a trace as canonical Parquet, sorted by task and time.

    The unit of CPU travels in the file's metadata. The file appears whole or not at
    all.

    Parameters
    ----------
    step
        Called with what is being done, how many parts are done, and all of them.

    Raises
    ------
    InvalidInput
        If the file cannot be written.
    """
    store = trace.store
    names, samples = pl.Series(store.names, dtype=pl.String), 0
    values = pl.DataFrame(schema=store.schema())

    def frames(*_asked: object) -> Iterator[pl.DataFrame]:
        nonlocal samples
        for number, part in enumerate(store.parts()):
            step("writing", number, len(store))
            samples += part.height
            rows = pl.concat([values, part], how="diagonal")
            rows = rows.join(
                store.attributes, on=CODE, how="left", maintain_order="left"
            )
            yield rows.select(names.gather(rows[CODE]).alias("task"), pl.exclude(CODE))

    schema = {"task": pl.String()} | values.schema | store.attributes.schema
    del schema[CODE]
    rows = register_io_source(frames, schema=schema, is_pure=True)
    # Four times as fast to write as the default, for half as many bytes again.
    kind: Any = {"compression": "lz4", "metadata": {UNIT_KEY: trace.unit}}
    _whole(path, lambda to: rows.sink_parquet(to, **kind))
    return Imported(path, len(names), samples, trace.unit, trace.cleaning.to_dict())


def export_frame(rows: pl.DataFrame, unit: str, path: Path) -> None:
    """Write canonical rows as they are, with their unit of CPU."""
    _whole(str(path), lambda to: rows.write_parquet(to, metadata={UNIT_KEY: unit}))


def _whole(path: str, write: Callable[[Path], object]) -> None:
    target = Path(path)
    try:
        with NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as stream:
            unfinished = Path(stream.name)
        try:
            write(unfinished)
            unfinished.chmod(0o644)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from error
