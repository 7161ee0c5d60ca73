"""The comparison of methods as aligned lines that still read at 80 columns."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from cotenant.planning.results import Row
from cotenant.report.verdict import keeps, knows, labels, phrase
from cotenant.report.words import percent, shorten, visible

_HEAD = (
    ("", "", "overload", "worst", "machines"),
    ("method", "machines", "mean", "machine", "above"),
)
_GAP = "  "
_LONGEST_METHOD = 32


def comparison_lines(
    rows: Sequence[Row],
    reference: Row | None,
    rho: float,
    width: int,
    own: Row | None = None,
) -> Iterator[Text]:
    """Yield two heading lines and one or two lines a row.

    The phrase about a row stands at the end of its line; where not all of them fit
    in `width` cells, each gets a line of its own beneath.
    """
    names = [shorten(name, _LONGEST_METHOD) for name in labels(rows, own)]
    cells = [_cells(name, row) for name, row in zip(names, rows, strict=True)]
    phrases = [
        visible(said) if (said := phrase(r, reference, rho)) else "" for r in rows
    ]
    widths = [max(map(cell_len, column)) for column in zip(*_HEAD, *cells, strict=True)]
    longest = (
        sum(widths) + len(_GAP) * len(widths) + 4 + max(map(len, phrases), default=0)
    )
    for head in _HEAD:
        yield Text(_aligned(head, widths), style="dim")
    for row, line, said in zip(rows, cells, phrases, strict=True):
        text = Text(_aligned(line, widths), style="bold" if row is own else "")
        broken = "red" if knows(row) and not keeps(row) else ""
        said_text = Text(said, style=broken)
        if longest <= width or not said:
            yield text.append("    " if said else "").append_text(said_text)
        else:
            yield text
            yield Text(_GAP * 2).append_text(said_text)


def _cells(name: str, row: Row) -> tuple[str, ...]:
    above = f"{row.machines_above_rho:,}" if knows(row) else "-"
    overload = percent(row.overload_mean), percent(row.worst_machine)
    return name, f"{row.machines:,}", *overload, above


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        " " * (width - cell_len(cell))
        for cell, width in zip(cells, widths, strict=True)
    )
    numbers = (pad + cell for pad, cell in zip(others, cells[1:], strict=True))
    return (_GAP + cells[0] + first + _GAP + _GAP.join(numbers)).rstrip()
