"""One answer of the Prometheus HTTP API, parsed series by series.

An answer of thousands of series has hundreds of megabytes and as a whole takes ten
times that as Python objects; here one series is an object at a time.
"""

import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from cotenant.errors import TraceError
from cotenant.traces import lines
from cotenant.traces.schema import Reading

Floats: TypeAlias = npt.NDArray[np.float64]

_DECODER = json.JSONDecoder()
_RESULT = re.compile(r'"result"\s*:\s*\[')
_GAP = re.compile(r"[\s,]*")
_IDENTITY = ("cluster", "namespace", "pod", "container")
_WANTED = "expected the matrix of a range query (api/v1/query_range)"


class Series(NamedTuple):
    """One series of a matrix."""

    labels: dict[str, str]
    times: Floats
    values: Floats


def task_name(labels: Mapping[str, str]) -> str:
    """Name a series by its pod and container, else by all its labels.

    Examples
    --------
    >>> task_name({"pod": "web-2", "namespace": "shop", "container": "web", "id": "x"})
    'shop/web-2/web'
    >>> task_name({"__name__": "load", "instance": "n1:9100", "dc": "a"})
    'dc=a,instance=n1:9100'
    """
    if "pod" in labels:
        return "/".join(labels[key] for key in _IDENTITY if key in labels)
    pairs = sorted((k, v) for k, v in labels.items() if k != "__name__")
    return ",".join(f"{key}={value}" for key, value in pairs) or "total"


def read_answer(
    name: str, stream: io.BufferedIOBase, reading: Reading
) -> Iterator[Series]:
    """Yield the series of an answer; its warnings become notes.

    Parameters
    ----------
    name
        The answer as errors name it.

    Raises
    ------
    TraceError
        If the answer is an error, not a matrix, damaged or cut off. What follows the
        series is checked too, so exhaust the iterator before using what it gave.
    """
    raw = cast("IO[bytes]", stream)  # which is all that the wrapper asks for
    with io.TextIOWrapper(raw, "utf-8-sig", errors="replace") as characters:
        text = _Text(name, characters, reading)
        head = text.head()
        if head is not None:
            _check(name, text.parse(head + "]}}"))
            while not text.at("]"):
                yield _series(name, text.value())
        envelope = text.parse((head or "") + text.rest())
    result = _check(name, envelope)
    if result != []:
        raise TraceError(name, f"is JSON without a result; {_WANTED}")
    for kind in ("warnings", "infos"):
        for sentence in envelope.get(kind) or []:
            reading.cleaning.note(f"Prometheus says: {sentence}")


def _check(name: str, envelope: Any) -> object:
    """Check all there is of an answer but its series; return what stands for them."""
    if not isinstance(envelope, dict):
        raise TraceError(name, f"is not a JSON object; {_WANTED}")
    if envelope.get("status", "success") != "success":
        said = f"{envelope.get('errorType')}: {envelope.get('error')}"
        raise TraceError(name, f"is an error of the server ({said}); {_WANTED}")
    data = envelope.get("data")
    data = data if isinstance(data, dict) else {}
    if (kind := data.get("resultType", "matrix")) != "matrix":
        raise TraceError(name, f"has a result of type {kind}; {_WANTED}")
    return data.get("result")


def _series(name: str, value: Any) -> Series:
    if not isinstance(value, dict) or not isinstance(value.get("values"), list):
        raise TraceError(name, f"has a result without values; {_WANTED}")
    labels, points = value.get("metric") or {}, value["values"]
    try:
        times = np.array([float(time) for time, _ in points])
        return Series(labels, times, np.array([float(v) for _, v in points]))
    except (TypeError, ValueError):
        bad = next(json.dumps(point) for point in points if not _is_point(point))
        found = f"{task_name(labels)} has the point {bad[:80]}"
        problem = f'{found}; expected [seconds, "number"]'
        raise TraceError(name, problem) from None


def _is_point(point: Any) -> bool:
    try:
        time, value = point
        return isinstance(float(time) + float(value), float)
    except (TypeError, ValueError):
        return False


@dataclass(slots=True)
class _Text:
    """A window on the text of an answer, moved forward value by value."""

    name: str
    stream: IO[str]
    reading: Reading
    window: str = ""
    position: int = 0
    lines_before: int = 0

    def head(self) -> str | None:
        """Move behind the ``[`` of the result; None if this is no such answer."""
        self._more()
        found = _RESULT.search(self.window)
        if found is None:
            return None
        self.position = found.end()
        return self.window[: found.end()]

    def at(self, mark: str) -> bool:
        """Skip blanks and commas; say whether `mark` follows."""
        while (gap := _GAP.match(self.window, self.position)) is not None:
            self.position = gap.end()
            if self.position < len(self.window) or not self._more():
                break
        return self.window.startswith(mark, self.position)

    def value(self) -> Any:
        """Take the next JSON value, reading on until it is whole."""
        while True:
            try:
                value, self.position = _DECODER.raw_decode(self.window, self.position)
                return value
            except json.JSONDecodeError as error:
                # Far from the end of the window, more text would not mend it.
                near = len(self.window) - error.pos < lines.CHUNK
                damaged = self._damaged(error.msg, error.lineno)
                if not near or not self._more():
                    raise damaged from None

    def rest(self) -> str:
        """Take all that is left."""
        while self._more():
            pass
        rest, self.position = self.window[self.position :], len(self.window)
        return rest

    def parse(self, text: str) -> Any:
        """Parse an answer from which the series were taken out."""
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            line = 1 + self.window.count("\n", 0, self.position)
            found = f"{error.msg} at {text[error.pos : error.pos + 30]!r}"
            raise self._damaged(found, line) from None

    def _more(self) -> bool:
        self.lines_before += self.window.count("\n", 0, self.position)
        self.window, self.position = self.window[self.position :], 0
        try:
            block = self.stream.read(max(lines.CHUNK, len(self.window)))
        except (OSError, EOFError, zlib.error) as error:
            raise self._damaged(str(error), 1) from error
        self.reading.advance(len(block))
        self.window += block
        return bool(block)

    def _damaged(self, found: str, line: int) -> TraceError:
        """Blame a line of the window, from 1."""
        problem = f"is damaged or cut off ({found}); {_WANTED}"
        return TraceError(self.name, problem, self.lines_before + line)
