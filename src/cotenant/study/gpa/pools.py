"""The pools of the study: a synthetic one, and real traces where they are at hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Mean usage of a task of the paper's pool, in machines; real pools are scaled to it.
MEAN = 0.027
REAL = {
    "planetlab": ("planetlab/20110303.tar.gz", "planetlab/20110322.tar.gz"),
    "google-job-days": ("google2011/GCD_VMs.tar.gz",),
}


@dataclass(frozen=True, slots=True)
class Pools:
    """Tables of the pools that are at hand, by name, and what is missing."""

    tables: Mapping[str, Mapping[str, Any]]
    missing: tuple[str, ...]


def find_pools(folder: str | None) -> Pools:
    """Return the matched pool, and the real ones whose files lie in a folder."""
    tables: dict[str, Mapping[str, Any]] = {"matched": {"source": "matched"}}
    missing = []
    for name, files in REAL.items():
        paths = [Path(folder) / file for file in files] if folder else []
        if paths and all(path.is_file() for path in paths):
            source = [str(path) for path in paths]
            tables[name] = {"source": source, "mean": MEAN, "by_day": True}
        else:
            missing.append(name)
    return Pools(tables, tuple(missing))
