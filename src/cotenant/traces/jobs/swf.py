"""Job logs in Standard Workload Format, version 2, and its relatives.

One job a line, 18 numbers, -1 where unknown; header lines start with ``;``. Defined by
Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers"
(JSSPP 1999) and kept by the Parallel Workloads Archive. More than 18 columns are taken
too: of those the archive of the Alea simulator adds, the second one names the queue.
"""

import re
import zlib

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.errors import TraceError
from cotenant.traces.jobs.records import JobRecords, records_of
from cotenant.traces.source import Member

_FIELDS = (
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
)
_NUMBER = rb"[-+]?\d[\d.eE+-]*"
_ROW = re.compile(rb"\s*" + rb"[ \t]+".join([_NUMBER] * 18) + rb"([ \t]|\r?\n|$)")


def recognise(member: Member) -> str | None:
    """Recognise header lines with ``;`` and a first line of 18 numbers or more."""
    for line in member.head(1 << 16).splitlines(keepends=True):
        if line.strip() and not line.lstrip().startswith((b";", b"#")):
            return "18 numbers a line" if _ROW.match(line) else None
    return None


def read(member: Member) -> JobRecords:
    """Read all records; fields 2 to 5, 8, 9, 11 to 13, 15 and 16 are used.

    Raises
    ------
    TraceError
        If a line has fewer than 18 fields or a field is no number.
    """
    # The compiler is loaded here, when there is a file to read, not on import.
    from cotenant.kernels.swf import parse_lines

    text = _text(member)
    table, lines, rest, line, column = parse_lines(
        np.frombuffer(text, dtype=np.uint8), len(_FIELDS)
    )
    if line:
        raise _blame(member, text, line, column)
    header = read_header(text)
    queue, names = _whole(table[:, 14]), header_names(header)
    queue_names = _queue_column(text, rest)
    if queue_names:
        known = {name: i + 1 for i, name in enumerate(dict.fromkeys(queue_names))}
        queue = np.array([known[name] for name in queue_names], dtype=np.int64)
        names["queue"] = {number: name for name, number in known.items()}
    processors, notes = _size(header)
    return records_of(
        len(lines),
        {
            "id": _whole(table[:, 0]),
            "submit_s": _seconds(table[:, 1]),
            "waited_s": _seconds(table[:, 2]),
            # Only -1 is unknown; other negative run times are wrong, and counted so.
            "runtime_s": np.where(table[:, 3] == -1, np.nan, table[:, 3]),
            "allocated": _whole(table[:, 4]),
            "cpu_s": _seconds(table[:, 5]),
            "requested": _whole(table[:, 7]),
            "estimate_s": _seconds(table[:, 8]),
            "status": _whole(table[:, 10]),
            "user": _whole(table[:, 11]),
            "group": _whole(table[:, 12]),
            "queue": queue,
            "partition": _whole(table[:, 15]),
        },
        names=names,
        origin_s=_count(header, "UnixStartTime") or None,
        processors=processors,
        notes=notes,
    )


def _text(member: Member) -> bytes:
    try:
        with member.open() as stream:
            return stream.read()
    except (OSError, EOFError, zlib.error) as error:
        problem = f"cannot be read to its end ({error}); is the file complete?"
        raise TraceError(member.name, problem) from error


def _blame(member: Member, text: bytes, line: int, column: int) -> TraceError:
    cells = text.split(b"\n")[line - 1].split(b";")[0].split()
    if len(cells) < column:
        problem = f"has {len(cells)} fields; expected {len(_FIELDS)} or more"
    else:
        value = cells[column - 1].decode(errors="replace")[:40]
        name = _FIELDS[column - 1]
        problem = f'{name} is "{value}"; expected a number (column {column})'
    return TraceError(member.name, problem, line)


def _seconds(column: FloatArray) -> FloatArray:
    return np.where(column >= 0, column, np.nan)


def _whole(column: FloatArray) -> IntArray:
    # A share of a processor is rounded up: the job holds that processor.
    return np.ceil(column).astype(np.int64)


def _queue_column(text: bytes, rest: IntArray) -> list[str]:
    """Return field 20 of every line, or nothing unless all lines have it."""
    if not len(rest) or (rest < 0).any():
        return []
    cells = [text[o : _line_end(text, o)].split() for o in rest]
    if min(len(c) for c in cells) < 2:
        return []
    return [c[1].decode(errors="replace") for c in cells]


def read_header(text: bytes) -> dict[str, list[str]]:
    """Return the values of each header label, from the top of the file."""
    header: dict[str, list[str]] = {}
    position = 0
    while position < len(text):
        end = _line_end(text, position)
        line = text[position:end].strip()
        if line and not line.startswith(b";"):
            break
        label, colon, value = (
            line.lstrip(b"; \t").decode(errors="replace").partition(":")
        )
        if colon:
            header.setdefault(label.strip(), []).append(value.strip())
        position = end + 1
    return header


def header_names(header: dict[str, list[str]]) -> dict[str, dict[int, str]]:
    """Return what queue and partition numbers stand for, by the header."""
    names: dict[str, dict[int, str]] = {}
    for label in ("Queue", "Partition"):
        for value in header.get(label, []):
            number, _, name = value.partition(" ")
            if number.isdigit() and name.strip():
                names.setdefault(label.lower(), {})[int(number)] = name.strip()
    return names


def _line_end(text: bytes, position: int) -> int:
    end = text.find(b"\n", position)
    return len(text) if end < 0 else end


def _count(header: dict[str, list[str]], label: str) -> int:
    value = header.get(label, [""])[0].split()
    return int(value[0]) if value and value[0].isdigit() else 0


def _size(header: dict[str, list[str]]) -> tuple[int, tuple[str, ...]]:
    processors = _count(header, "MaxProcs")
    nodes = _count(header, "MaxNodes")
    if processors or not nodes:
        return processors, ()
    return nodes, ("the header has no MaxProcs; the machine is taken as its MaxNodes",)
