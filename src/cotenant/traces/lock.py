"""Files that one process holds at a time, however it ends."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cotenant.errors import InvalidInput

_LOCK = "lock"


@contextmanager
def held(target: Path) -> Iterator[None]:
    """Keep others from writing a file meanwhile, by a lock file beside it.

    Raises
    ------
    InvalidInput
        If another process holds it, or nothing can be written there.
    """
    path = target.with_name(f".{target.name}.{_LOCK}")
    try:
        descriptor = _locked(path)
    except OSError as error:
        raise InvalidInput(f"cannot write {target}: {error.strerror}") from error
    if descriptor is None:
        raise InvalidInput(
            f"another import is writing {target}; wait for its end, or write to "
            "another file"
        )
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def mark(folder: Path) -> int:
    """Say that this process uses a folder; return what to close at the end."""
    # Locked before it has its name, so that nobody takes it for abandoned.
    unnamed = folder / f"{_LOCK}.new"
    descriptor = _locked(unnamed)
    assert descriptor is not None
    unnamed.replace(folder / _LOCK)
    return descriptor


def remove_abandoned(within: Path, prefix: str) -> None:
    """Remove folders whose process has ended without removing them."""
    for lock in within.glob(f"{prefix}*/{_LOCK}"):
        try:
            descriptor = os.open(lock, os.O_RDWR)
        except OSError:  # somebody else's, or just gone
            continue
        if _lock(descriptor):
            shutil.rmtree(lock.parent, ignore_errors=True)
        os.close(descriptor)


def _locked(path: Path) -> int | None:
    """Return a descriptor of a locked file, None if another process has locked it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if not _lock(descriptor):
            os.close(descriptor)
            return None
        # Whoever held it may have removed it between the two.
        if _is(path, descriptor):
            return descriptor
        os.close(descriptor)


def _is(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
