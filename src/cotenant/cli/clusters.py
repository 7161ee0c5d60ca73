"""From the words of a command line to the clusters that jobs run on."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cotenant.errors import InvalidInput, SourceNotFound, TraceError

if TYPE_CHECKING:
    from cotenant.fleet import Cluster
    from cotenant.traces.jobs.source import JobLog

_EXPECTED = 'such as [[cluster]], processors = 128, speed = 2.0, name = "fast"'


def read_systems(
    cluster: Sequence[str] | None, files: Sequence[str] | None, log: "JobLog"
) -> "dict[str, tuple[Cluster, ...]]":
    """Return the systems by name: from words, from files, or the log's own.

    Raises
    ------
    InvalidInput
        If both words and files are given, or two files have the same name.
    """
    from cotenant.queueing.clusters import parse_cluster

    if cluster and files:
        raise InvalidInput("give --cluster or --clusters, not both")
    if cluster:
        return {"clusters": tuple(parse_cluster(text) for text in cluster)}
    if not files:
        return {"the log's own": log.clusters}
    systems = {Path(file).stem: read_clusters(file) for file in files}
    if len(systems) < len(files):
        raise InvalidInput("two files of --clusters have the same name")
    return systems


def read_clusters(file: str) -> "tuple[Cluster, ...]":
    """Read the clusters of a TOML file, a table ``[[cluster]]`` each.

    Raises
    ------
    SourceNotFound
        If there is no such file.
    TraceError
        If it is no TOML, or a cluster is not as expected.
    """
    try:
        whole = tomllib.loads(Path(file).read_text("utf-8"))
    except OSError as error:
        raise SourceNotFound(f"cannot read {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TraceError(file, f"is no TOML: {error}") from error
    tables = whole.get("cluster")
    if not isinstance(tables, list) or not tables or set(whole) != {"cluster"}:
        raise TraceError(file, f"has no clusters only; expected {_EXPECTED}")
    return tuple(_cluster(file, at, table) for at, table in enumerate(tables, start=1))


def _cluster(file: str, at: int, table: dict[str, Any]) -> "Cluster":
    from cotenant.fleet import Cluster

    strange = set(table) - {"processors", "speed", "name"}
    count, speed = table.get("processors"), table.get("speed", 1.0)
    numbers = isinstance(count, int) and isinstance(speed, int | float)
    if strange or not numbers or isinstance(count, bool) or isinstance(speed, bool):
        raise TraceError(file, f"cluster {at} is {table}; expected {_EXPECTED}")
    try:
        return Cluster(int(count or 0), float(speed), str(table.get("name", "")))
    except InvalidInput as error:
        raise TraceError(file, f"cluster {at}: {error}") from error
