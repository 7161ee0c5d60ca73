"""`cotenant serve` as a process: it starts, answers, stops, and forgets nothing."""

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from cotenant.service.security import Tokens

SERVE = [sys.executable, "-c", "from cotenant.cli import main; main()", "serve"]


def _free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@contextmanager
def serving(folder, *options, tokens=None):
    port = _free_port()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COTENANT")}
    if tokens is not None:
        environment["COTENANT_TOKENS_FILE"] = str(tokens)
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(
            [*SERVE, "--port", str(port), *options],
            cwd=folder,
            env=environment,
            stderr=log,
            stdout=log,
        )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _until_ready(process, url):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert process.poll() is None, "the service ended"
        try:
            if httpx2.get(f"{url}/readyz").status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("the service did not become ready")


@pytest.mark.slow
def test_it_remembers_what_it_acknowledged_and_logs_json(tmp_path):
    with serving(tmp_path, "--slo", "99.9%") as (process, url):
        _until_ready(process, url)
        machine = {"name": "m1", "capacity": {"cpu": 4, "memory": "16Gi"}}
        assert httpx2.post(f"{url}/v1/machines", json=machine).status_code == 201
        task = {"name": "t1", "usage": {"cpu": {"mean": 0.05, "variance": 0.001}}}
        placed = httpx2.post(f"{url}/v1/tasks", json=task)
        assert placed.status_code == 201
        process.send_signal(signal.SIGTERM)
        assert process.wait(15) == 0
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {"at", "level", "message"} <= set(lines[0])
    assert lines[-1]["message"] == "stopped"
    assert any(line.get("path") == "/v1/tasks" for line in lines)
    with serving(tmp_path, "--slo", "99.9%") as (process, url):
        _until_ready(process, url)
        again = httpx2.post(f"{url}/v1/tasks", json=task)
        assert (again.status_code, again.json()) == (200, placed.json())


@pytest.mark.slow
def test_a_request_under_way_is_answered_before_it_stops(tmp_path):
    with serving(tmp_path) as (process, url):
        _until_ready(process, url)
        host, port = url.removeprefix("http://").split(":")
        body = b'{"name": "m1", "capacity": {"cpu": 4}}'
        with socket.create_connection((host, int(port))) as sock:
            sock.sendall(
                b"POST /v1/machines HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\n"
                b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body[:5]
            )
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            sock.sendall(body[5:])
            sock.settimeout(15)
            assert sock.recv(4096).startswith(b"HTTP/1.1 201")
        assert process.wait(15) == 0


def _refused(folder, *options, **environment):
    return subprocess.run(
        [*SERVE, "--port", str(_free_port()), *options],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "COTENANT_TOKENS_FILE"),
        (["--slots", "24"], "--slots"),
        (["--promise", "soon"], "promise"),
        (["--conservative"], "--promise tomorrow"),
        (["--exclude-day", "2026-11-30"], "--promise tomorrow"),
        (["--promise", "tomorrow", "--exclude-day", "someday"], "such as 2026-11-30"),
        (["--promise", "tomorrow", "--method", "gaussian"], "--method"),
        (["--rho", "2"], "rho"),
        (["--method", "magic"], "magic"),
    ],
)
def test_what_it_cannot_do_is_said_in_one_sentence(tmp_path, options, words):
    done = _refused(tmp_path, *options)
    assert (done.returncode, words in done.stderr) == (2, True)
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "cotenant.db").exists()


@pytest.mark.slow
def test_tokens_from_the_environment_are_asked_for(tmp_path):
    import hashlib

    digest = hashlib.sha256(b"secret").hexdigest()
    (tmp_path / "tokens").write_text(f"me read {digest}\n")
    assert Tokens.read(str(tmp_path / "tokens")).whose("secret")
    with serving(tmp_path, tokens=tmp_path / "tokens") as (process, url):
        _until_ready(process, url)
        assert httpx2.get(f"{url}/v1/tasks").status_code == 401
        head = {"Authorization": "Bearer secret"}
        assert httpx2.get(f"{url}/v1/tasks", headers=head).status_code == 200


@pytest.mark.slow
def test_a_reply_of_the_extender_leaves_in_one_piece(tmp_path):
    with serving(tmp_path) as (process, url):
        _until_ready(process, url)
        names = [f"node-{number}" for number in range(144)]
        machines = [{"name": name, "capacity": {"cpu": 2}} for name in names]
        httpx2.post(f"{url}/v1/machines", json=machines)
        host, port = url.removeprefix("http://").split(":")
        body = json.dumps(
            {
                "Pod": {"metadata": {"name": "p", "uid": "u"}, "spec": {}},
                "Nodes": None,
                "NodeNames": names,
            }
        ).encode()
        request = (
            b"POST /extender/filter HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\n"
            b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        whole = 0
        with socket.create_connection((host, int(port))) as sock:
            for _ in range(50):
                sock.sendall(request)
                answer = sock.recv(2**20)
                head, _, rest = answer.partition(b"\r\n\r\n")
                size = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                whole += len(rest) == size
                while len(rest) < size:
                    rest += sock.recv(2**20)
        assert whole == 50


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize("page", ["README.md", "docs/service.md"])
def test_the_first_placement_is_what_the_page_says(tmp_path, page):
    text = (Path(__file__).parents[2] / page).read_text()
    block = next(b for b in text.split("```") if "$ cotenant serve" in b)
    start, machine, task, answer = block.strip().splitlines()[1:5]
    options = shlex.split(start.removeprefix("$ cotenant serve"))
    with serving(tmp_path, *options) as (process, url):
        _until_ready(process, url)
        here = url.removeprefix("http://")
        for command in (machine, task):
            words = shlex.split(command.removeprefix("$ "))
            words = [word.replace("localhost:8080", here) for word in words]
            done = subprocess.run(
                [*words, "-sS"], capture_output=True, text=True, check=True
            )
        assert done.stdout == answer
