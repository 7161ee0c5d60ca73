"""Files of periodic SLAs: CSV with task,budget,period and what is optional."""

import csv
from collections.abc import Mapping
from pathlib import Path

from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput, SourceNotFound, TraceError

COLUMNS = (
    "task",
    "budget",
    "period",
    "period_low",
    "period_high",
    "misses",
    "window",
)
_NEEDED = COLUMNS[:3]


def read_slas(path: str) -> dict[str, Sla]:
    """Read the SLA of each task, in the order of the file.

    The columns task, budget and period must be there, in any order; empty cells of the
    others mean a rigid SLA without misses.

    Raises
    ------
    SourceNotFound
        If there is no such file.
    TraceError
        If a line is damaged, a task comes twice, or there is none.
    """
    file = Path(path)
    if not file.is_file():
        raise SourceNotFound(f"{path} does not exist; expected a CSV file of SLAs")
    slas: dict[str, Sla] = {}
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.DictReader(stream, skipinitialspace=True)
            names = [name.strip() for name in rows.fieldnames or []]
            rows.fieldnames = names
            if not set(_NEEDED) <= set(names) or set(names) - set(COLUMNS):
                found = ",".join(names) or "no header"
                expected = f"{','.join(_NEEDED)}[,{','.join(COLUMNS[3:])}]"
                raise TraceError(path, f"has columns {found}; expected {expected}", 1)
            for row in rows:
                task, sla = _row(path, rows.line_num, row)
                if task in slas:
                    problem = f"names task {task!r} twice; each task needs its own name"
                    raise TraceError(path, problem, rows.line_num)
                slas[task] = sla
    except UnicodeDecodeError as error:
        raise TraceError(path, f"is no UTF-8 text ({error.reason})") from error
    if not slas:
        raise TraceError(path, "holds no task; expected at least one line")
    return slas


def _row(path: str, line: int, row: Mapping[str, str | None]) -> tuple[str, Sla]:
    if row.get(None):  # type: ignore[call-overload]
        raise TraceError(path, "has more cells than columns", line)
    cells = {key: (value or "").strip() for key, value in row.items() if key}
    if not cells["task"]:
        raise TraceError(path, "names no task (column task)", line)
    values = {
        name: _whole(path, line, name, cells[name])
        for name in COLUMNS[1:]
        if cells.get(name) or name in _NEEDED
    }
    try:
        return cells["task"], Sla(**values)
    except InvalidInput as error:
        raise TraceError(path, f"task {cells['task']!r}: {error}", line) from error


def _whole(path: str, line: int, name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        problem = f'{name} is "{text}"; expected a whole number of ticks'
        if name in ("misses", "window"):
            problem = f'{name} is "{text}"; expected a whole number of periods'
        raise TraceError(path, problem, line)
    return int(text)
