"""The dashboard: a page without data, and the fleet in columns to fill it.

The page asks for everything it shows through the API, with the token of the person who
looks. What the API has no short form of, it takes from one route: the whole fleet, a
row a machine, small enough to be asked for every two seconds.
"""

import gzip
import hashlib
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic_core import to_json

from cotenant import __version__
from cotenant.service.answers import MachineView
from cotenant.service.core import Placement
from cotenant.service.keeping.wire import shown_days

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Nothing but the two files of the page; text never becomes markup."""

KINDS = {"page.css": "text/css; charset=utf-8", "page.js": "text/javascript"}

FRESH_S = 1.0
"""The fleet is worked out at most this often, however many people look."""

STALE_S = 5.0
"""Finding the machines that rest on old data reads all tasks. It is done at most this
often, if the number of stale tasks changed or a tenth of the time until one is passed.
"""

COLUMNS = (
    *("name", "kind", "load", "overload", "memory", "tasks", "reserved"),
    *("over", "draining", "stale", "oldest"),
)


@dataclass(frozen=True, slots=True)
class Glance:
    """The fleet as the page is told, plain and packed, and a tag that names it."""

    tag: str
    plain: bytes
    packed: bytes


class Fleet:
    """Works out glances, one at a time and not too often.

    Parameters
    ----------
    clock
        Seconds since 1970.
    """

    def __init__(self, placement: Placement, clock: Callable[[], float]) -> None:
        self._placement, self._clock = placement, clock
        self._lock = threading.Lock()
        self._glance: Glance | None = None
        self._at = self._stale_at = float("-inf")
        self._stale: dict[str, tuple[int, float | None]] = {}
        self._stale_tasks = 0

    def glance(self) -> Glance:
        """Return the fleet, at most `FRESH_S` seconds old."""
        with self._lock:
            now = time.monotonic()
            if self._glance is None or now - self._at >= FRESH_S:
                self._glance, self._at = self._look(now), now
            return self._glance

    def _look(self, now: float) -> Glance:
        summary, settings = self._placement.summary(), self._placement.settings
        since = now - self._stale_at
        changed = summary.stale_tasks != self._stale_tasks
        if since >= (STALE_S if changed else max(STALE_S, settings.stale_after / 10)):
            some = summary.stale_tasks > 0
            self._stale = self._placement.stale_machines(self._clock()) if some else {}
            self._stale_tasks, self._stale_at = summary.stale_tasks, now
        plain = to_json(
            {
                "summary": summary.to_dict(),
                "stale_after": settings.stale_after,
                "days": shown_days(self._placement.kept(), settings.rho),
                "columns": COLUMNS,
                "machines": [self._row(m) for m in self._placement.machines()],
            },
            inf_nan_mode="null",
        )
        tag = f'"{hashlib.sha256(plain).hexdigest()[:24]}"'
        return Glance(tag, plain, gzip.compress(plain, 1, mtime=0))

    def _row(self, machine: MachineView) -> list[Any]:
        stale, oldest = self._stale.get(machine.name, (0, None))
        return [
            machine.name,
            machine.kind,
            _short(machine.load),
            _short(machine.overload),
            _short(machine.memory),
            len(machine.tasks),
            machine.reserved,
            machine.over_promise,
            machine.draining,
            stale,
            oldest,
        ]


def dashboard(
    placement: Placement, clock: Callable[[], float] = time.time
) -> APIRouter:
    """Return the routes of the dashboard of a placement core.

    Parameters
    ----------
    clock
        Seconds since 1970.
    """
    fleet = Fleet(placement, clock)
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def page() -> Response:
        return _shell(_page(), "text/html; charset=utf-8")

    @router.get("/dashboard/page.css")
    async def style() -> Response:
        return _shell(_text("page.css"), KINDS["page.css"])

    @router.get("/dashboard/page.js")
    async def script() -> Response:
        return _shell(_text("page.js"), KINDS["page.js"])

    @router.get("/dashboard/fleet")
    def machines(request: Request) -> Response:
        glance = fleet.glance()
        headers = {"etag": glance.tag, "vary": "accept-encoding"}
        if request.headers.get("if-none-match") == glance.tag:
            return Response(status_code=304, headers=headers)
        body = glance.plain
        if "gzip" in request.headers.get("accept-encoding", ""):
            body, headers["content-encoding"] = glance.packed, "gzip"
        return Response(body, headers=headers, media_type="application/json")

    return router


def _short(value: float | None) -> float | None:
    """Keep four digits: more than a page shows, and half the bytes."""
    return None if value is None else float(f"{value:.4g}")


def _shell(text: str, kind: str) -> Response:
    headers = {"content-security-policy": POLICY, "x-content-type-options": "nosniff"}
    return Response(text, headers=headers, media_type=kind)


@cache
def _page() -> str:
    # Imported here: no start has to wait for a page that may never be asked for.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("cotenant.service", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html").render(version=__version__)


@cache
def _text(name: str) -> str:
    return (files("cotenant.service") / "pages" / name).read_text("utf-8")
