"""What benchmarks measured: one JSON file a release, with the machine's description."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.timing import Row

FOLDER = Path(__file__).parent
LIBRARIES = (
    "binpacking",
    "distributed",
    "numba",
    "numpy",
    "ortools",
    "pandas",
    "polars",
    "prtpy",
    "scipy",
    "simso",
)


def file_of(release: str) -> Path:
    """Return where a release's measurements are kept."""
    return FOLDER / f"{release}.json"


def keep(rows: Sequence[Row]) -> Path:
    """Keep the rows of a run; parts that were not run stay as they were."""
    file = file_of(version("cotenant"))
    before = json.loads(file.read_text())["rows"] if file.exists() else []
    parts = {row.part for row in rows}
    kept = [row for row in before if row["part"] not in parts]
    new = [_rounded(asdict(row)) for row in rows]
    told = {
        "release": version("cotenant"),
        "machine": machine(),
        "rows": sorted(kept + new, key=lambda row: row["part"]),
    }
    file.write_text(json.dumps(told, indent=1) + "\n")
    return file


def latest() -> dict[tuple[str, str, str], float]:
    """Return the gains of the newest release kept, by part, what and against."""
    files = sorted(FOLDER.glob("*.json"), key=lambda f: _numbers(f.stem))
    if not files:
        return {}
    rows = json.loads(files[-1].read_text())["rows"]
    return {(r["part"], r["what"], r["against"]): r["gain"] for r in rows if r["gain"]}


def machine() -> dict[str, Any]:
    """Describe this machine: what speed depends on, nothing that names it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory, 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in row.items()}


def _numbers(release: str) -> list[int]:
    return [int(part) for part in release.split(".") if part.isdecimal()]
