"""Fleets from a file or from text such as ``cpu=64,memory=256Gi``."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from cotenant.errors import InvalidInput, SourceNotFound, TraceError
from cotenant.fleet import Fleet, MachineType
from cotenant.quantities import parse_quantity

COLUMNS = ("name", "type", "count", "cpu", "memory", "cost")


def parse_machine(text: str) -> dict[str, float]:
    """Read the capacity of one machine.

    Raises
    ------
    InvalidInput
        If it is not a list of ``resource=quantity``, or names no CPU.

    Examples
    --------
    >>> parse_machine("cpu=4,memory=16Gi")
    {'cpu': 4.0, 'memory': 17179869184.0}
    """
    capacity: dict[str, float] = {}
    for part in text.split(","):
        resource, equals, quantity = (piece.strip() for piece in part.partition("="))
        if not equals or resource not in ("cpu", "memory"):
            raise InvalidInput(
                f"machine is {text!r}; expected cpu=CORES[,memory=BYTES], such as "
                "cpu=64,memory=256Gi"
            )
        if resource in capacity:
            raise InvalidInput(f"machine is {text!r}; {resource} is given twice")
        capacity[resource] = parse_quantity(quantity)
    if "cpu" not in capacity:
        raise InvalidInput(f"machine is {text!r}; expected a cpu capacity in it")
    return capacity


def read_fleet(path: str, spare: int = 0) -> Fleet:
    """Read a fleet from CSV with the columns name, type, count, cpu, memory, cost.

    ``name`` and ``cpu`` must be there; an empty count means as many as needed.

    Raises
    ------
    SourceNotFound
        If there is no such file.
    TraceError
        If a line is damaged.
    """
    file = Path(path)
    if not file.is_file():
        raise SourceNotFound(f"{path} is no file; expected a fleet CSV file")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TraceError(path, "is not a text file; expected a fleet CSV") from error
    with io.StringIO(text, newline="") as stream:
        rows = csv.DictReader(stream, skipinitialspace=True)
        names = [name.strip() for name in rows.fieldnames or []]
        rows.fieldnames = names
        if not {"name", "cpu"} <= set(names) or set(names) - set(COLUMNS):
            expected = ",".join(COLUMNS)
            raise TraceError(path, f"has columns {names}; expected {expected}", 1)
        types = [_type(path, rows.line_num, row) for row in rows]
    if not types:
        raise TraceError(path, "holds no machine; expected at least one line")
    given = {"memory" in kind.capacity for kind in types}
    if len(given) > 1:
        raise TraceError(path, "gives memory for some machines only; give it for all")
    try:
        return Fleet(tuple(types), spare)
    except InvalidInput as error:
        raise TraceError(path, str(error)) from error


def _type(path: str, line: int, row: Mapping[str, str | None]) -> MachineType:
    cells = {key: (value or "").strip() for key, value in row.items() if key}
    try:
        capacity = {"cpu": parse_quantity(cells["cpu"])}
        if cells.get("memory"):
            capacity["memory"] = parse_quantity(cells["memory"])
        if not cells["name"]:
            raise InvalidInput("the machine has no name")
        return MachineType(
            name=cells["name"],
            capacity=capacity,
            count=_count(cells.get("count", "")),
            type=cells.get("type", ""),
            cost=parse_quantity(cells["cost"]) if cells.get("cost") else None,
        )
    except InvalidInput as error:
        raise TraceError(path, str(error), line) from error


def _count(text: str) -> int | None:
    if not text:
        return None
    if not text.isdigit():
        raise InvalidInput(f"count is {text!r}; expected a whole number, or nothing")
    return int(text)
