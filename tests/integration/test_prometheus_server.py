"""Our reader and a real Prometheus with eight days of history."""

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from cotenant.errors import TraceError
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.collect import read_usage
from cotenant.traces.prometheus import live as prometheus_live
from cotenant.traces.prometheus import saved as prometheus
from cotenant.traces.schema import Reading, ReadOptions
from cotenant.traces.source import open_source

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("prometheus") and shutil.which("promtool")),
        reason="prometheus and promtool are not on PATH",
    ),
]

DAY = 86_400
SCRAPE = 30
CPU = "container_cpu_usage_seconds_total"
MEMORY = "container_memory_working_set_bytes"
CPU_QUERY = f'max by (namespace, pod, container) (rate({CPU}{{container!=""}}[2m]))'
MEMORY_QUERY = f"max by (namespace, pod, container) ({MEMORY})"
RESTART = 4 * DAY


@dataclass(frozen=True)
class Server:
    url: str
    start: int
    end: int

    def ask(self, path: str, **form: str) -> bytes:
        data = urllib.parse.urlencode(form).encode()
        with urllib.request.urlopen(f"{self.url}/{path}", data, timeout=60) as answer:
            content: bytes = answer.read()
        return content


def history(start: int, end: int) -> Iterator[str]:
    """OpenMetrics text: web at 0.25 and 0.75 cores by turns of an hour, db at 1 core.

    After four days web restarts: a container with another id counts from zero, while
    the old one is scraped for ten minutes more.
    """
    yield f"# TYPE {CPU.removesuffix('_total')} counter\n"
    where = 'namespace="shop",container="{0}",pod="{0}-1",id="/{1}"'
    web, again, db = (
        f"{CPU}{{{where.format(*names)}}}"
        for names in (("web", "c1"), ("web", "c2"), ("db", "c3"))
    )
    for series, first, last in (
        (web, start, start + RESTART + 600),
        (again, start + RESTART, end),
        (db, start, end),
    ):
        total = 0.0
        for moment in range(first, last + 1, SCRAPE):
            yield f"{series} {total} {moment}\n"
            busy = moment // 3600 % 2
            total += SCRAPE * (1.0 if series == db else 0.25 + 0.5 * busy)
    yield f"# TYPE {MEMORY} gauge\n"
    for moment in range(start, end + 1, SCRAPE):
        yield f"{MEMORY}{{{where.format('web', 'c1')}}} 1048576 {moment}\n"
    yield "# EOF\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("prometheus")
    end = int(time.time()) // 7200 * 7200 - 7200
    start = end - 8 * DAY
    text = folder / "history.txt"
    with text.open("w") as stream:
        stream.writelines(history(start, end))
    fill = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "history.txt", "d"]
    subprocess.run(fill, cwd=folder, check=True, capture_output=True, timeout=300)
    (folder / "prometheus.yml").write_text("global: {}\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        "prometheus",
        "--config.file=prometheus.yml",
        "--storage.tsdb.path=d",
        "--storage.tsdb.retention.time=60d",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    log = (folder / "log").open("wb")
    with log, subprocess.Popen(command, cwd=folder, stdout=log, stderr=log) as process:
        try:
            await_ready(f"http://127.0.0.1:{port}")
            yield Server(f"http://127.0.0.1:{port}", start, end)
        finally:
            process.terminate()
            process.wait(30)


def await_ready(url: str) -> None:
    last = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=5):
                return
        except OSError:
            if time.monotonic() > last:
                raise
            time.sleep(0.1)


def read_live(server: Server, **given: object) -> tuple[pl.DataFrame, Reading]:
    reading = Reading([], ReadOptions(), Cleaning())
    source = {"query": CPU_QUERY, "start": server.start + 300, "end": server.end}
    text = urllib.parse.urlencode(source | given)
    batches = prometheus_live.read(f"prometheus+{server.url}?{text}", reading)
    return pl.concat(batches, how="diagonal"), reading


def read_saved(folder: Path) -> tuple[pl.DataFrame, Reading]:
    with open_source([str(folder)]) as members:
        reading = Reading(members, ReadOptions(), Cleaning())
        return pl.concat(prometheus.read(reading), how="diagonal"), reading


def save(server: Server, file: Path, query: str, start: int, end: int) -> None:
    form = {"query": query, "start": str(start), "end": str(end), "step": "60"}
    file.write_bytes(server.ask("api/v1/query_range", **form))


def test_eight_days_arrive_whole_although_the_server_refuses_them_in_one_piece(
    server: Server, tmp_path: Path
) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        save(server, tmp_path / "all.json", CPU_QUERY, server.start, server.end)
    with refused.value as answer:
        assert "11,000 points" in json.loads(answer.read())["error"]
    rows, reading = read_live(server)
    points = (server.end - server.start - 300) // 60 + 1
    assert points > 11_000
    for task in ("shop/web-1/web", "shop/db-1/db"):
        times = rows.filter(task=task)["time"]
        assert times.to_list() == [server.start + 300 + 60 * i for i in range(points)]
    assert reading.cleaning.rows == rows.height
    (note,) = reading.cleaning.notes
    assert "averages over 2m" in note


def test_a_restart_gives_the_larger_of_both_containers_and_not_their_sum(
    server: Server,
) -> None:
    query = f'rate({CPU}{{container="web"}}[2m])'
    at = server.start + RESTART
    around = {"start": at - 3600, "end": at + 3600}
    rows, reading = read_live(server, query=query, **around)
    assert reading.cleaning.repaired["overlapping_series"] >= 9
    ours = rows.group_by("time").agg(pl.col("cpu").max()).sort("time")
    by_max, _ = read_live(server, **around)
    by_max = by_max.filter(task="shop/web-1/web").sort("time")
    assert ours["cpu"].to_list() == pytest.approx(by_max["cpu"].to_list())
    by_sum, _ = read_live(server, query=f"sum by (pod) ({query})", **around)
    both = float(at + 300)
    assert ours.filter(time=both)["cpu"].to_list() == pytest.approx([0.25])
    assert by_sum.filter(time=both)["cpu"].to_list() == pytest.approx([0.5])


def test_usage_is_in_cores_and_memory_in_bytes(server: Server) -> None:
    rows, reading = read_live(
        server, memory_query=MEMORY_QUERY, start=server.end - DAY, step="5m"
    )
    means = dict(rows.group_by("task").agg(pl.col("cpu").mean()).iter_rows())
    assert means["shop/db-1/db"] == pytest.approx(1.0)
    assert means["shop/web-1/web"] == pytest.approx(0.5, abs=0.01)
    memory = rows.drop_nulls("memory")
    assert memory["task"].unique().to_list() == ["shop/web-1/web"]
    assert memory["memory"].to_list() == [1 << 20] * 289
    assert reading.unit == "cores"


def test_saved_chunks_with_a_common_edge_say_what_the_live_read_says(
    server: Server, tmp_path: Path
) -> None:
    middle = server.end - DAY
    start, end = middle - DAY, server.end
    save(server, tmp_path / "cpu-1.json", CPU_QUERY, start, middle)
    save(server, tmp_path / "cpu-2.json", CPU_QUERY, middle, end)
    save(server, tmp_path / "memory.json", MEMORY_QUERY, start, end)
    live, _ = read_live(server, memory_query=MEMORY_QUERY, start=start)
    saved, reading = read_saved(tmp_path)
    order = ["task", "time", "cpu"]
    assert saved.unique().sort(order).equals(live.sort(order))
    assert saved.height == reading.cleaning.rows == live.height + 2


def test_a_metric_name_can_be_kept_in_the_grouping(
    server: Server, tmp_path: Path
) -> None:
    query = f"max by (__name__, namespace, pod, container) ({MEMORY})"
    save(server, tmp_path / "m.json", query, server.end - 600, server.end)
    rows, _ = read_saved(tmp_path)
    assert rows["memory"].to_list() == [1 << 20] * 11


def test_an_unknown_metric_is_an_error(server: Server) -> None:
    with pytest.raises(TraceError, match="no series; check the metric name"):
        read_live(server, query="no_such_metric")


def test_a_query_that_does_not_parse_is_quoted(server: Server) -> None:
    with pytest.raises(TraceError, match=r"HTTP 400, bad_data: .*parse error"):
        read_live(server, query="rate(")


@pytest.mark.parametrize("query", [CPU, f"sum by (pod) ({CPU})"])
def test_a_raw_counter_is_refused(query: str, server: Server) -> None:
    with pytest.raises(TraceError, match=r"wrap the query in rate\("):
        read_live(server, query=query, start=server.end - DAY)


def test_an_instant_query_is_refused(server: Server, tmp_path: Path) -> None:
    body = server.ask("api/v1/query", query=CPU_QUERY, time=str(server.end))
    (tmp_path / "instant.json").write_bytes(body)
    with pytest.raises(TraceError, match="type vector; expected the matrix"):
        read_saved(tmp_path)


def test_a_live_server_is_a_source_like_any_other(server: Server) -> None:
    form = {"query": CPU_QUERY, "start": server.end - DAY, "end": server.end}
    address = f"prometheus+{server.url}?{urllib.parse.urlencode(form)}"
    trace = read_usage([address])
    assert sorted(trace.names) == ["shop/db-1/db", "shop/web-1/web"]
    assert trace.step_s == 60
    assert trace.cleaning.rows == 2 * 1441
