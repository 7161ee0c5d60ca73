"""Which column of a plain table is what: usual names, units in names, ambiguity."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces.schema import ReadOptions, Unit

# Tried row by row; two columns that match in one row are ambiguous.
_USUAL: dict[str, tuple[str, ...]] = {
    "task": (
        "task_id task_name vm vm_id vmid vm_name pod pod_name container container_name "
        "workload instance instance_id host hostname",
        "name id",
    ),
    "time": ("timestamp time_stamp ts datetime date_time date epoch unix_time",),
    "cpu": (
        "cpu_usage cpu_used cpu_util cpu_utilization cpu_utilisation cpu_cores "
        "cpu_usage_cores cpu_millicores cpu_usage_millicores cpu_percent cpu_pct cpu_% "
        "cpu_usage_percent cpu_usage_% cpu_util_percent",
        "usage usage_% value utilization utilisation",
    ),
    "cpu_mean": ("cpu_avg cpu_average avg_cpu average_cpu mean_cpu cpu_usage_avg",),
    "memory": ("mem memory_usage mem_usage memory_used memory_bytes mem_bytes",),
    "cpu_request": ("cpu_requests request_cpu requests_cpu requested_cpu",),
    "memory_request": (
        "memory_requests mem_request request_memory requests_memory requested_memory",
    ),
    "failing": (),
}
_UNIT_ENDS: tuple[tuple[str, Unit], ...] = (
    ("percent", "percent"),
    ("pct", "percent"),
    ("%", "percent"),
    ("millicores", "millicores"),
    ("cores", "cores"),
)
_ROW_NUMBERS = {"", "row", "row_number", "row_nr", "index", "unnamed_0"}
_USAGE = ("cpu", "cpu_mean")


@dataclass(frozen=True, slots=True)
class Naming:
    """What the columns of one file are.

    Parameters
    ----------
    roles
        Position of each canonical column that is there.
    tasks
        Positions of the columns that are one task each; empty in a long table.
    cores, keep
        Positions of the columns that `ReadOptions` asks for.
    unit
        Unit that the name of the CPU column states.
    notes
        Sentences on what was taken for what, and what is not used.
    """

    roles: dict[str, int]
    tasks: list[int] = field(default_factory=list)
    cores: int | None = None
    keep: int | None = None
    unit: Unit | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def wide(self) -> bool:
        """Whether every task has a column of its own."""
        return bool(self.tasks)


def name_columns(
    file: str, names: Sequence[str], dated: bool, options: ReadOptions
) -> Naming:
    """Say what every column is.

    Raises
    ------
    TraceError
        If no column is the CPU usage or the task, or several may be.
    InvalidInput
        If a column that the options ask for is not there.
    """
    plain = [normal(name) for name in names]
    cores = _asked("cores column", options.cores_column, file, names)
    keep = _asked("column to keep", options.keep, file, names)
    roles: dict[str, int] = {}
    for role in _USUAL:
        taken = {*roles.values(), *([] if cores is None else [cores])}
        position = _find(file, role, names, plain, taken, keep)
        if position is not None:
            roles[role] = position
    if not any(role in roles for role in _USAGE):
        if roles.keys() - {"time"}:
            raise TraceError(file, f"has no cpu column; {_columns_are(names)}")
        return _wide(file, names, plain[0], dated, options)
    used = {*roles.values(), cores, keep}
    if "task" not in roles and any(p not in used for p in range(len(names))):
        raise TraceError(file, f"has no task column; {_columns_are(names)}")
    notes = [
        f'column "{names[p]}" is taken as {role}'
        for role, p in roles.items()
        if plain[p] != role
    ]
    unused = [f'"{n}"' for p, n in enumerate(names) if n and p not in used]
    if unused:
        several = "s" * (len(unused) != 1)
        notes.append(f"column{several} not used: {', '.join(unused)}")
    usage = plain[next(roles[role] for role in _USAGE if role in roles)]
    unit = next((unit for end, unit in _UNIT_ENDS if usage.endswith(end)), None)
    return Naming(roles, [], cores, keep, unit, notes)


def normal(name: str) -> str:
    """Return a name in lower case, its words joined by underscores."""
    return re.sub(r"[^a-z0-9%]+", "_", name.lower()).strip("_")


def _asked(what: str, name: str | None, file: str, names: Sequence[str]) -> int | None:
    if name is None:
        return None
    if name not in names:
        raise InvalidInput(f'{file} has no {what} "{name}"; {_columns_are(names)}')
    return list(names).index(name)


def _find(
    file: str,
    role: str,
    names: Sequence[str],
    plain: Sequence[str],
    taken: set[int],
    keep: int | None,
) -> int | None:
    for usual in ({role}, *(set(row.split()) for row in _USUAL[role])):
        found = [p for p, n in enumerate(plain) if n in usual and p not in taken]
        if len(found) > 1:
            found = [p for p in found if p != keep]
        if len(found) > 1:
            several = " and ".join(f'"{names[p]}"' for p in found)
            problem = f"columns {several} may all be {role}; name one of them {role}"
            raise TraceError(file, problem)
        if found:
            return found[0]
    return None


def _wide(
    file: str,
    names: Sequence[str],
    first: str,
    dated: bool,
    options: ReadOptions,
) -> Naming:
    timed = dated or first == "time" or first in _USUAL["time"][0].split()
    tasks = [p for p, name in enumerate(names) if p and name]
    if not (timed or first in _ROW_NUMBERS) or not tasks:
        raise TraceError(file, f"has no cpu column; {_columns_are(names)}")
    if options.cores_column or options.keep:
        problem = "has one column a task, so no column of cores or labels can be used"
        raise InvalidInput(f"{file} {problem}")
    name, count = Counter(names[p] for p in tasks).most_common(1)[0]
    if count > 1:
        problem = f'has {count} columns "{name}"; expected one column a task'
        raise TraceError(file, problem)
    if timed:
        return Naming({"time": 0}, tasks)
    note = f'column "{names[0]}" is taken as row numbers: there are no times'
    return Naming({}, tasks, notes=[note])


def _columns_are(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:20])
    more = ", ..." if len(names) > 20 else ""
    return (
        f"its columns are {shown}{more}; expected task, time and cpu (or cpu_mean), "
        "or a time column and one column a task"
    )
