"""A PostgreSQL server of the tests' own, and fresh databases of either kind."""

import getpass
import itertools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

KINDS = ("sqlite", "postgresql")


def binaries() -> Path | None:
    """Return the folder of the newest PostgreSQL here, None where there is none."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(":")]
    versions = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(versions, key=lambda f: f.parent.name.zfill(4), reverse=True)
    needed = ("initdb", "pg_ctl", "createdb")
    return next((f for f in folders if all((f / n).exists() for n in needed)), None)


class Cluster:
    """A server on a socket in a temporary folder; started and stopped by `run`."""

    def __init__(self, bin_folder: Path) -> None:
        self._bin = bin_folder
        self._folder = Path(tempfile.mkdtemp(prefix="cotenant-pg-"))
        # The server refuses to run as root.
        root = os.geteuid() == 0
        self._as: dict[str, Any] = (
            {"user": "postgres", "group": "postgres", "extra_groups": []}
            if root
            else {}
        )
        if root:
            shutil.chown(self._folder, "postgres", "postgres")
        self.user = "postgres" if root else getpass.getuser()
        self._numbers = itertools.count(1)
        data = str(self._folder / "data")
        self._run("initdb", "-D", data, "-A", "trust", "-U", self.user, "-N")
        self.start()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"-k {self._folder} -c listen_addresses='' -c max_connections=50"
        self._control("start", "-o", options, "-l", str(self._folder / "log"))

    def stop(self, mode: str = "immediate") -> None:
        """Stop the server; `immediate` is a crash."""
        self._control("stop", "-m", mode)

    def remove(self) -> None:
        """Stop the server for good."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def fresh(self) -> str:
        """Create an empty database and return its URL."""
        name = f"d{next(self._numbers)}"
        host = str(self._folder)
        self._run("createdb", "-h", host, "-U", self.user, name)
        return f"postgresql+psycopg://{self.user}@/{name}?host={host}"

    def _control(self, action: str, *more: str) -> None:
        data = str(self._folder / "data")
        self._run("pg_ctl", "-D", data, "-w", "-t", "60", action, *more)

    def _run(self, program: str, *arguments: str) -> None:
        # A server keeps what it inherits, so output goes to files, not to pipes.
        with open(os.devnull, "w") as nothing:
            subprocess.run(
                [str(self._bin / program), *arguments],
                check=True,
                cwd="/",
                stdout=nothing,
                stderr=nothing,
                **self._as,
            )
