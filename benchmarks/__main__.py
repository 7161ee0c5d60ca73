"""Runs every benchmark of this folder: ``python -m benchmarks [NAME...]``."""

import sys
from importlib import import_module
from pathlib import Path

KEEP_OUT = {"__init__", "__main__", "timing"}


def main() -> None:
    found = sorted(p.stem for p in Path(__file__).parent.glob("*.py"))
    names = sys.argv[1:] or [name for name in found if name not in KEEP_OUT]
    for name in names:
        print(f"== {name}")
        import_module(f"benchmarks.{name}").main()


main()
