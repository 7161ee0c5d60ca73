"""Runs the benchmarks of this folder: ``python -m benchmarks [--keep] [NAME...]``."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks.history import keep, latest
from benchmarks.timing import ROWS, Row

KEEP_OUT = {"__init__", "__main__", "timing"}


def main(words: Sequence[str]) -> None:
    found = sorted(p.stem for p in Path(__file__).parent.glob("*.py"))
    names = [word for word in words if word != "--keep"]
    rows: list[Row] = []
    for name in names or [name for name in found if name not in KEEP_OUT]:
        print(f"== {name}", flush=True)
        import_module(f"benchmarks.{name}").main()
        rows += [replace(row, part=name) for row in ROWS]
        ROWS.clear()
    _show(rows)
    if "--keep" in words:
        print(f"kept in {keep(rows).name}")


def _show(rows: Sequence[Row]) -> None:
    """Print one table: ours, the other, how many times better, and what it was."""
    before = latest()
    print(
        "\nours and other in one run; 2 x is twice as good, of a limit the share of it"
    )
    print(f"{'':<48} {'ours':>14} {'other':>14} {'against':<26} {'':>9} {'kept':>9}")
    for row in rows:
        kept = before.get((row.part, row.what, row.against))
        print(row.line() + (f" {kept:.3g} x".rjust(10) if kept else ""))


main(sys.argv[1:])
