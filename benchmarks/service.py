"""The service over loopback, from a second process, each figure beside its bar.

Start, placements, the extender, restart. Four thousand machines and fifty thousand
tasks are in place first. Placements are durable before they are acknowledged, on SQLite
with full sync, asked for by 32 clients. ``wrk`` asks where it is installed; else a
client of our own, which takes more of the two cores from the service.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.ledger import tasks
from benchmarks.timing import fewer, share

MACHINES, TASKS, BATCH = 4_000, 50_000, 1_000
CLIENTS, SECONDS = 32, 10
NODES, FILTERS = 144, 500
EVENTS = 100_000
BAR = "the bar, kept from 1 x on"

LUA = """
local id = 0
local law = {%s}
function setup(thread) thread:set("id", id); id = id + 1 end
function init() count = 0 end
function request()
  count = count + 1
  local body = string.format('{"name":"w-%%d-%%d","usage":{"cpu":%%s}}', id, count,
    law[count %% #law + 1])
  return wrk.format("POST", "/v1/tasks", {["Content-Type"] = "application/json"}, body)
end
local statuses = {}
function response(status) if status ~= 201 then bad = (bad or 0) + 1 end end
function done(summary, latency)
  io.write(string.format("RESULT %%d %%d %%d %%d %%d\\n", summary.requests,
    summary.duration, latency:percentile(50), latency:percentile(99),
    summary.errors.status))
end
"""


def main() -> None:
    # The first start of all may have kernels to compile.
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "/readyz"):
        pass
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with serving(Path(folder)) as (port, process):
            took = time.perf_counter() - started
            fewer("start from nothing to the first answer", took, 2.0, "s", BAR)
            wait_for(port, "/readyz")
            fill(port)
            # Before placements fill the fleet: pods have to find a node.
            asyncio.run(extender(port, process))
            placements(port, process, folder)
            asyncio.run(more_events(port))
        started = time.perf_counter()
        with serving(Path(folder)) as (_, process):
            took = time.perf_counter() - started
            what = f"restart with {EVENTS:,} events to the first answer"
            fewer(what, took, 3.0, "s", BAR)
            print(f"  processor time of it, imports too: {processor(process):.2f} s")


@contextmanager
def serving(folder: Path, until: str = "/healthz") -> Iterator[tuple[int, int]]:
    """Run `cotenant serve` until the end of the block; give its port and its id."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    command = "from cotenant.cli import main; main()"
    words = [sys.executable, "-c", command, "serve", "--rho", "0.001"]
    words += ["--port", str(port)]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(words, cwd=folder, stderr=log)
    try:
        wait_for(port, until)
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def wait_for(port: int, path: str) -> None:
    """Wait until the service answers that all is well."""
    until = time.monotonic() + 60
    while True:
        try:
            ask(port, path)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def ask(port: int, path: str, body: object = None) -> object:
    """Ask the service and return its answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def fill(port: int) -> None:
    """Put the fleet and its tasks in place."""
    started = time.perf_counter()
    specs = [{"name": name(n), "capacity": {"cpu": 16}} for n in range(MACHINES)]
    ask(port, "/v1/machines", specs)
    standing = bodies(TASKS, "t", 1)
    for start in range(0, TASKS, BATCH):
        ask(port, "/v1/tasks", standing[start : start + BATCH])
    took = time.perf_counter() - started
    print(f"{MACHINES:,} machines and {TASKS:,} tasks put in place in {took:.1f} s")


def name(number: int) -> str:
    """Return the name of a machine."""
    return f"machine-{number:04d}"


def bodies(count: int, of: str, seed: int) -> list[dict[str, Any]]:
    """Return tasks of the same law as in the benchmark of the ledger, as JSON."""
    return [spec.to_dict() for spec in tasks(count, of, seed)]


def placements(port: int, process: int, folder: str) -> None:
    """Place tasks as fast as 32 clients can ask for it, each waiting for its answer."""
    before = processor(process)
    if shutil.which("wrk"):
        how, (count, seconds, low, high, bad) = "wrk", by_wrk(port, folder)
    else:
        how, (count, seconds, low, high, bad) = "asyncio", asyncio.run(by_asyncio(port))
    what = f"durable placements, {CLIENTS} clients ({how})"
    share(what, count / seconds, 1_000.0, "/s", BAR)
    fewer(f"{what}, p99", high, 50.0, "ms", BAR)
    each = 1e6 * (processor(process) - before) / count
    print(f"  p50 {low:.1f} ms, {bad} refused, {each:.0f} us of processor each")


def processor(process: int) -> float:
    """Return the processor time a process has taken, in seconds; 0 if unknown.

    Unlike times on the wall it is the same on a machine that is busy otherwise.
    """
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def by_wrk(port: int, folder: str) -> tuple[int, float, float, float, int]:
    """Return requests, seconds, median and 99th percentile in ms, refusals."""
    script = Path(folder) / "place.lua"
    usages = [json.dumps(one["usage"]["cpu"]) for one in bodies(2_000, "w", 2)]
    script.write_text(LUA % ", ".join(f"'{usage}'" for usage in usages))
    url = f"http://127.0.0.1:{port}"
    words = ["wrk", "-t1", f"-c{CLIENTS}", f"-d{SECONDS}s", "-s", str(script), url]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+)", out)
    if found is None:
        raise RuntimeError(out)
    count, micros, low, high, bad = map(int, found.groups())
    return count, micros / 1e6, low / 1e3, high / 1e3, bad


async def by_asyncio(port: int) -> tuple[int, float, float, float, int]:
    """Return the same, asked for by this process."""
    times: list[float] = []
    bad, fresh = 0, bodies(2_000, "w", 2)
    until = time.perf_counter() + SECONDS

    async def client(number: int) -> None:
        nonlocal bad
        connection = await Connection.open(port)
        count = 0
        while time.perf_counter() < until:
            count += 1
            usage = fresh[count % len(fresh)]["usage"]
            body = {"name": f"w-{number}-{count}", "usage": usage}
            started = time.perf_counter()
            status, _ = await connection.post("/v1/tasks", json.dumps(body).encode())
            times.append(time.perf_counter() - started)
            bad += status != 201

    started = time.perf_counter()
    await asyncio.gather(*map(client, range(CLIENTS)))
    seconds = time.perf_counter() - started
    low, high = percentiles(times)
    return len(times), seconds, low, high, bad


async def extender(port: int, process: int) -> None:
    """Schedule pods one after the other, as a scheduler does: filter, prioritize."""
    connection = await Connection.open(port)
    names = [name(number) for number in range(0, MACHINES, MACHINES // NODES)][:NODES]
    times: dict[str, list[float]] = {"filter": [], "prioritize": []}
    before = processor(process)
    for number in range(-20, FILTERS):
        notes = {"cotenant/cpu-mean": "400m", "cotenant/cpu-deviation": "200m"}
        meta = {"name": f"p{number}", "uid": f"u{number}", "annotations": notes}
        body = {"Pod": {"metadata": meta, "spec": {}}, "NodeNames": names}
        text = json.dumps(body).encode()
        for verb, taken in times.items():
            started = time.perf_counter()
            _, answer = await connection.post(f"/extender/{verb}", text)
            if number >= 0:
                taken.append(time.perf_counter() - started)
            if verb == "filter" and not json.loads(answer)["NodeNames"]:
                raise RuntimeError("no node was left")
    each = (processor(process) - before) / FILTERS / 2
    low, high = percentiles(times["filter"])
    fewer(f"extender filter of {NODES} node names, p99", high, 5.0, "ms", BAR)
    print(f"  p50 {low:.2f} ms, {1e3 * each:.2f} ms of processor for either verb")
    low, high = percentiles(times["prioritize"])
    print(
        f"  prioritize, which waits for the disk: p50 {low:.2f} ms, p99 {high:.2f} ms"
    )


async def more_events(port: int) -> None:
    """Place tasks and release them until the ledger has enough events."""
    connections = [await Connection.open(port) for _ in range(CLIENTS)]
    number = 0
    while (last := newest(port)) < EVENTS:
        count = min(BATCH, (EVENTS - last + 1) // 2)
        passing = bodies(count, f"passing-{number}", 3)
        ask(port, "/v1/tasks", passing)
        names = iter([task["name"] for task in passing])

        async def release(connection: Connection, names: Iterator[str]) -> None:
            for name in names:
                await connection.ask("DELETE", f"/v1/tasks/{name}")

        await asyncio.gather(*(release(one, names) for one in connections))
        number += 1


def newest(port: int) -> int:
    """Return the number of the last event."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    found = re.search(r"^cotenant_ledger_events (\S+)", text, re.MULTILINE)
    return 0 if found is None else int(float(found[1]))


class Connection:
    """A keep-alive connection that knows no more of HTTP than it needs."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def open(cls, port: int) -> "Connection":
        """Connect to the service."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Send a body; return status and answer."""
        return await self.ask("POST", path, body)

    async def ask(self, verb: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request; return status and answer."""
        self._writer.write(
            f"{verb} {path} HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            "".encode()
            + body
        )
        head = await self._reader.readuntil(b"\r\n\r\n")
        size = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        if size is None:
            raise RuntimeError(head.decode())
        return int(head[9:12]), await self._reader.readexactly(int(size[1]))


def percentiles(times: list[float]) -> tuple[float, float]:
    """Return median and 99th percentile, in ms."""
    ranked = sorted(times)
    return 1e3 * ranked[len(ranked) // 2], 1e3 * ranked[int(0.99 * len(ranked))]
