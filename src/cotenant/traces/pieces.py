"""Sources cut into pieces that can be read apart from each other."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from cotenant.traces.schema import ReadOptions
from cotenant.traces.source import Member

PIECE = 64 << 20  # bytes; of text about a million rows


@dataclass(frozen=True, slots=True)
class Piece:
    """What one worker reads at a time; says all about the rows in it.

    Parameters
    ----------
    number
        Its place among the pieces of the source, from 0.
    format
        Name of the reader.
    """

    number: int
    format: str
    members: list[Member]
    options: ReadOptions

    @property
    def size(self) -> int:
        """Bytes as stored, for progress."""
        return sum(member.size for member in self.members)

    @property
    def later_part(self) -> bool:
        """Whether it goes on in a file where the piece before it stopped."""
        return bool(self.members[0].start)


def by_file(members: list[Member]) -> list[list[Member]]:
    """Cut between files; small ones are read together."""
    groups: list[list[Member]] = []
    size = PIECE
    for member in members:
        if size + member.size > PIECE:
            groups.append([])
            size = 0
        groups[-1].append(member)
        size += member.size
    return groups


def by_rows(members: list[Member]) -> list[list[Member]]:
    """Cut between files, and large text tables between lines."""
    return by_file([part for member in members for part in _parts(member)])


def _parts(member: Member) -> Iterator[Member]:
    path = member.on_disk
    if path is None or member.size <= PIECE or member.head(4) == b"PAR1":
        yield member
        return
    top = member.head()
    top = top[: top.rfind(b"\n") + 1]
    header = _header(top)
    data = top.find(header) + len(header)
    starts = [0, *(cut for cut in _cuts(path, member.size) if cut > data)]
    for start, stop in zip(starts, [*starts[1:], member.size], strict=True):
        yield replace(
            member,
            size=stop - start,
            open_raw=partial(_Range, path, start, stop, header if start else b""),
            on_disk=None,
            start=start,
            top=top,
        )


def _header(top: bytes) -> bytes:
    """Return the first line that is neither blank nor a comment."""
    for line in top.removeprefix(b"\xef\xbb\xbf").splitlines(True):
        if line.strip() and not line.startswith(b"#"):
            return line
    return b""


def _cuts(path: Path, size: int) -> Iterator[int]:
    """Yield where lines start, once in about `PIECE` bytes."""
    with path.open("rb") as stream:
        cut = 0
        while cut + PIECE < size:
            stream.seek(cut + PIECE - 1)
            stream.readline()
            cut = stream.tell()
            if cut < size:
                yield cut


class _Range(io.RawIOBase):
    """Bytes of a file from one place to another, behind its header."""

    def __init__(self, path: Path, start: int, stop: int, header: bytes) -> None:
        self._header, self._left = header, stop - start
        self._file = path.open("rb", buffering=0)
        self._file.seek(start)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer and return how many bytes it took."""
        view = memoryview(buffer)
        if self._header:
            count = min(len(view), len(self._header))
            view[:count] = self._header[:count]
            self._header = self._header[count:]
            return count
        count = self._file.readinto(view[: self._left]) or 0
        self._left -= count
        return count

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()
