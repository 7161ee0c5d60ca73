"""A service on a socket, and a real browser that looks at it."""

import contextlib
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field

import uvicorn

from cotenant.service.answers import Move, RepackPlan
from cotenant.service.app import Service, make_app
from cotenant.service.asked import MachineSpec, Moments, Settings, TaskSpec
from cotenant.service.core import Placement
from cotenant.service.security import Door

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Clock:
    """Time that goes on by itself and can be put forward."""

    ahead = 0.0

    def __call__(self):
        return time.time() + self.ahead


@dataclass
class Site:
    """A running service, its core and its address."""

    placement: Placement
    clock: Clock
    url: str

    def machines(self, *names, **capacity):
        specs = [MachineSpec(name, {"cpu": 1.0, **capacity}) for name in names]
        self.placement.add_machines(specs).result()

    def place(self, name, mean=0.1, variance=0.0):
        usage = {"cpu": Moments(mean, variance)}
        return self.placement.place([TaskSpec(name, usage)]).result()[0].machine


@contextmanager
def site(door: Door | None = None, **promise) -> Iterator[Site]:
    """Serve an empty fleet on a free port of loopback."""
    clock = Clock()
    placement = Placement(Settings(rho=0.01, stale_after=300.0, **promise), clock=clock)
    app = make_app(Service(placement, clock), door or Door(None, True))
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Site(placement, clock, f"http://127.0.0.1:{port}/")
    finally:
        server.should_exit = True
        thread.join()
        placement.close()


@dataclass
class Watch:
    """What a page did that it should not have done, and where it went."""

    problems: list = field(default_factory=list)
    addresses: list = field(default_factory=list)


@contextmanager
def page(browser, at: str, **how):
    """Open a page that must have no errors and stay with the service."""
    watch = Watch()
    context = browser.new_context(**how)
    opened = context.new_page()
    opened.set_default_timeout(15_000)
    opened.on("pageerror", lambda error: watch.problems.append(str(error)))
    opened.on(
        "dialog", lambda dialog: watch.problems.append(f"dialog {dialog.message}")
    )
    opened.on("console", lambda line: _note(watch, line))
    opened.on("request", lambda request: watch.addresses.append(request.url))
    opened.watch = watch
    try:
        opened.goto(at)
        yield opened
    finally:
        context.close()
    assert watch.problems == []
    service = at.partition("#")[0]
    assert all(url.startswith((service, "data:")) for url in watch.addresses)


def _note(watch: Watch, line) -> None:
    # The browser itself reports statuses that the page expects and deals with.
    expected = "Failed to load resource: the server responded with a status of"
    if line.type == "error" and not line.text.startswith(expected):
        watch.problems.append(line.text)


def done(answer) -> Future:
    """Return a future that holds an answer, or an error."""
    future: Future = Future()
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
    return future


def plan_of(*moves: Move) -> RepackPlan:
    """Return a plan with some moves."""
    before = {"machines_in_use": 3, "over_promise": 1, "worst_overload": 0.031}
    after = {"machines_in_use": 2, "over_promise": 0, "worst_overload": 0.0087}
    return RepackPlan("plan-1", 7, moves, before, after)


@contextmanager
def chromium() -> Iterator[object]:
    """Start the browser that is installed here."""
    from playwright.sync_api import sync_playwright

    with (
        sync_playwright() as playwright,
        contextlib.closing(
            playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        ) as browser,
    ):
        yield browser
