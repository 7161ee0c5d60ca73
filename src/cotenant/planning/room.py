"""Whether what is about to be worked out fits in memory."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cotenant.demand.usage import ATOMS
from cotenant.errors import InvalidInput
from cotenant.traces.trace import Trace

# Bytes of a task besides its samples: objects, names, what is decided; and of each of
# its time-of-day slots: moments, bounds, what making it left.
PLAIN, BY_SLOT = 3_000, 150
_MEMINFO = Path("/proc/meminfo")
_LIMIT = Path("/sys/fs/cgroup/memory.max")


def check_room(trace: Trace, slots: int) -> None:
    """Refuse tasks whose usage would not fit in the memory that is free.

    Raises
    ------
    InvalidInput
        With what it takes and what there is.
    """
    values = np.minimum(trace.facts["samples"].to_numpy(), ATOMS)
    tasks = len(values)
    check(16.0 * float(values.sum()) + tasks * (PLAIN + BY_SLOT * slots), tasks)


def check(needed: float, tasks: int) -> None:
    """Refuse what needs more bytes than are free."""
    free = min(_free(), default=np.inf)
    if needed > free:
        raise InvalidInput(
            f"planning {tasks:,} tasks takes about {needed / 2**30:.1f} GiB of memory "
            f"and {free / 2**30:.1f} GiB are free; plan fewer tasks at a time"
        )


def _free() -> Iterator[float]:
    """Yield the bounds that are known: what is free, and all a container may have."""
    if _MEMINFO.exists():
        lines = dict(line.split(":") for line in _MEMINFO.read_text().splitlines())
        yield 1024.0 * float(lines["MemAvailable"].split()[0])
    if _LIMIT.exists() and (limit := _LIMIT.read_text().strip()) != "max":
        yield float(limit)
