"""Copies of the files of a study for workers on other machines."""

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

Files: TypeAlias = Mapping[str, Iterable[Path]]
"""Files, or folders and patterns with the files they stand for, as cells name them."""

_FIELDS = ("folder", "source")


@dataclass(frozen=True, slots=True)
class Copies:
    """What cells read.

    Parameters
    ----------
    names
        By which cells name it, in their fields `folder` and `source`.
    content
        Bytes of each file.
    digest
        Of all of it: a worker keeps copies from one run to the next.
    """

    names: frozenset[str]
    content: Mapping[Path, bytes]
    digest: str

    @classmethod
    def of(cls, files: Files) -> "Copies":
        """Read files into copies."""
        content = {path: path.read_bytes() for some in files.values() for path in some}
        digest = sha256()
        for path, data in sorted(content.items()):
            digest.update(f"{path} {len(data)} ".encode() + data)
        return cls(frozenset(files), content, digest.hexdigest())

    def renamed(self, cell: str) -> str:
        """Write the copies where they are not written yet, and name them in a cell."""
        root = Path(_folder(self.digest).name)
        for path, data in self.content.items():
            copy = _below(root, path)
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                # Threads of one worker may write the same copy at once.
                with tempfile.NamedTemporaryFile(dir=root, delete=False) as stream:
                    stream.write(data)
                Path(stream.name).replace(copy)

        def place(value: Any) -> Any:
            if isinstance(value, list):
                return [place(one) for one in value]
            return str(_below(root, Path(value))) if value in self.names else value

        def placed(fields: dict[str, Any]) -> dict[str, Any]:
            return {k: place(v) if k in _FIELDS else v for k, v in fields.items()}

        return json.dumps(json.loads(cell, object_hook=placed))


@cache
def _folder(digest: str) -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix=f"cotenant-{digest[:8]}-")


def _below(root: Path, path: Path) -> Path:
    """Return where a path lies when what it starts from is another folder."""
    parts = ("up" if part == ".." else part for part in path.parts)
    return root.joinpath(*(part for part in parts if part != path.anchor))
