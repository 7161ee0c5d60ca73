"""Feeds days of usage to a running service over HTTP, and judges it by itself."""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import httpx2
import numpy as np

from cotenant.arrays import BoolArray, FloatArray
from cotenant.service.keeping.history import MOMENTS, WIDTH_S
from tests.service.keeping.days import FIRST

HOURS = 24
SLACK = 1e-9


@dataclass
class Simulator:
    """Tasks that come and go by day, on machines of one size.

    Parameters
    ----------
    usage
        `(tasks, moments)`, whole days.
    present
        `(tasks, days)`.
    """

    url: str
    names: list[str]
    usage: FloatArray
    present: BoolArray
    capacity: float
    overloaded: int = 0
    observed: int = 0
    placed: set[str] = field(default_factory=set)
    _http: httpx2.Client = field(default_factory=lambda: httpx2.Client(timeout=60))

    def declare(self, machines: int) -> None:
        """Declare more machines than will be needed."""
        size = {"cpu": self.capacity}
        made = [{"name": f"m{i:02}", "capacity": size} for i in range(machines)]
        self.ask("POST", "/v1/machines", made)

    def arrive(self, day: int) -> None:
        """Let tasks leave and come; all that is stated is the mean of the fleet."""
        mean = float(np.nanmean(self.usage))
        cpu = {"mean": mean, "variance": mean**2}
        now = {
            n
            for n, there in zip(self.names, self.present[:, day], strict=True)
            if there
        }
        for name in sorted(self.placed - now):
            self.ask("DELETE", f"/v1/tasks/{name}")
        new = [{"name": n, "usage": {"cpu": cpu}} for n in sorted(now - self.placed)]
        if new:
            self.ask("POST", "/v1/tasks", new)
        self.placed = now

    def hour(self, number: int) -> None:
        """Judge an hour by where tasks are now, and send what they used."""
        first = number * MOMENTS // HOURS
        part = slice(first, first + MOMENTS // HOURS)
        used = {n: row[part] for n, row in zip(self.names, self.usage, strict=True)}
        on: dict[str, list[str]] = defaultdict(list)
        for task in self.ask("GET", "/v1/tasks"):
            on[task["machine"]].append(task["name"])
        for tasks in on.values():
            load = np.sum([used[name] for name in tasks], axis=0)
            self.overloaded += int((load > self.capacity * (1 + SLACK)).sum())
            self.observed += len(load)
        start = (FIRST * MOMENTS + first) * WIDTH_S
        sent = [
            {"name": name, "cpu": used[name].tolist(), "start": start}
            for name in sorted(self.placed)
        ]
        self.ask("POST", "/v1/usage", sent)

    def settle(self) -> dict[str, Any]:
        """Wait until nights and the guard have done all that is due."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            days: dict[str, Any] = self.ask("GET", "/v1/days")
            if days["settled"] == days["latest"]:
                return days
            time.sleep(0.01)
        raise AssertionError("the night did not end")

    def events(self) -> list[dict[str, Any]]:
        """Return the whole ledger."""
        found: list[dict[str, Any]] = []
        while True:
            after = found[-1]["number"] if found else 0
            page = self.ask("GET", f"/v1/events?after={after}&limit=500")
            found += page
            if not page:
                return found

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask, and return the answer."""
        answer = self._http.request(method, self.url + path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()
