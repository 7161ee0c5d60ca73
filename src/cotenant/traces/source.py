"""Files, folders, globs and archives as one list of readable members."""

import glob
import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, cast

from cotenant.errors import SourceNotFound, TraceError

_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"


class _Gunzip(gzip.GzipFile):
    """Closes the stored bytes with itself; the standard class leaves them open."""

    def __init__(self, raw: "io.BufferedReader[io.RawIOBase]") -> None:
        super().__init__(fileobj=raw)
        self._raw = raw

    def close(self) -> None:
        """Close both streams."""
        try:
            super().close()
        finally:
            self._raw.close()


class _Open(Protocol):
    def __call__(self) -> IO[bytes] | io.RawIOBase: ...


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a source, decompressed when it is read.

    Parameters
    ----------
    name
        The file as errors name it; a file in an archive is ``archive:inner/name``.
    path
        Its path inside the source, without ``.gz``: folders tell days, stems tasks.
    size
        Bytes as stored, for progress.
    open_raw
        Opens the stored bytes.
    on_disk
        The file itself where it is a plain one, for formats that need random access.
    start
        Where in its file a part starts, in bytes; 0 for the first part, or the whole.
    apart
        Whether it can be read while others are; files in an archive share a stream.
    top
        First lines of the file that it is a part of; empty for a whole file.
    """

    name: str
    path: PurePosixPath
    size: int
    open_raw: _Open
    on_disk: Path | None = None
    apart: bool = True
    start: int = 0
    top: bytes = b""

    @property
    def stem(self) -> str:
        """File name without folders and without a ``.csv``, ``.txt`` or ``.json``."""
        known = (".csv", ".txt", ".json", ".dat")
        return self.path.stem if self.path.suffix in known else self.path.name

    def open(self) -> io.BufferedIOBase:
        """Open for reading; gzip is noticed by its first bytes, not by its name."""
        raw = io.BufferedReader(cast("io.RawIOBase", self.open_raw()), 1 << 20)
        return _Gunzip(raw) if raw.peek(2)[:2] == _GZIP else raw

    def head(self, size: int = 16_384) -> bytes:
        """Return the first bytes, decompressed.

        Raises
        ------
        TraceError
            If the file is damaged gzip.
        """
        try:
            with self.open() as stream:
                return stream.read(size)
        except (OSError, EOFError, zlib.error) as error:
            raise TraceError(self.name, f"cannot be decompressed ({error})") from error


@contextmanager
def open_source(names: Sequence[str]) -> Iterator[list[Member]]:
    """Open files, folders, globs and archives; members come in name order.

    Hidden files and empty files are left out. Archives stay open inside the block.

    Raises
    ------
    SourceNotFound
        If a name matches nothing.
    TraceError
        If an archive is damaged, or a source holds no file at all.
    """
    with ExitStack() as stack:
        members: list[Member] = []
        for name in names:
            found = [m for path in files_of(name) for m in _expand(path, stack)]
            if not found:
                raise TraceError(name, "holds no data; expected at least one file")
            members.extend(found)
        yield members


def stamp_of(names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return name, size and time of change of the files: other files, other stamp."""
    files = (path for name in names for path in files_of(name))
    stats = ((str(path.resolve()), path.stat()) for path in files)
    return [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]


def files_of(name: str) -> list[Path]:
    """Return the files that a file, folder or glob stands for, in name order.

    Raises
    ------
    SourceNotFound
        If it matches nothing.
    """
    path = Path(name)
    if path.is_dir():
        found = sorted(p for p in path.rglob("*") if p.is_file())
        return [p for p in found if not p.name.startswith(".")]
    if path.exists():
        return [path]
    matches = sorted(Path(p) for p in glob.glob(name, recursive=True))
    if not matches:
        raise SourceNotFound(f"{name} does not exist; expected a file, folder or glob")
    return [file for match in matches for file in files_of(str(match))]


def _expand(path: Path, stack: ExitStack) -> list[Member]:
    with path.open("rb") as stream:
        magic = stream.read(4)
    if not magic:
        return []
    try:
        if magic == _ZIP:
            return _zip_members(path, stack)
        if ".tar" in path.suffixes or path.suffix == ".tgz":
            return _tar_members(path, stack)
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError) as error:
        raise TraceError(str(path), f"is a damaged archive ({error})") from error
    inner = (
        path.with_suffix("") if magic[:2] == _GZIP and path.suffix == ".gz" else path
    )
    return [
        Member(
            name=str(path),
            path=PurePosixPath(*inner.parts[-2:]),
            size=path.stat().st_size,
            # Whoever reads it may stand in another folder.
            open_raw=partial(path.absolute().open, "rb"),
            on_disk=None if magic[:2] == _GZIP else path.absolute(),
        )
    ]


def _tar_members(path: Path, stack: ExitStack) -> list[Member]:
    archive = stack.enter_context(tarfile.TarFile.open(path))
    files = [m for m in archive.getmembers() if m.isfile() and m.size]

    # The order of the archive is kept: going back in a compressed one is slow.
    def member(info: tarfile.TarInfo) -> Member:
        def open_raw() -> IO[bytes]:
            stream = archive.extractfile(info)
            assert stream is not None
            return stream

        return _inner(path, info.name, info.size, open_raw)

    return [member(info) for info in files if not _hidden(info.name)]


def _zip_members(path: Path, stack: ExitStack) -> list[Member]:
    archive = stack.enter_context(zipfile.ZipFile(path))
    files = [i for i in archive.infolist() if not i.is_dir() and i.file_size]

    def member(info: zipfile.ZipInfo) -> Member:
        return _inner(path, info.filename, info.file_size, lambda: archive.open(info))

    return [member(info) for info in files if not _hidden(info.filename)]


def _inner(archive: Path, name: str, size: int, open_raw: _Open) -> Member:
    inner = PurePosixPath(name)
    if inner.suffix == ".gz":
        inner = inner.with_suffix("")
    return Member(f"{archive}:{name}", inner, size, open_raw, apart=False)


def _hidden(name: str) -> bool:
    return PurePosixPath(name).name.startswith((".", "__MACOSX"))
