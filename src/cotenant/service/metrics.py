"""What Prometheus sees: counts and times of decisions, and the fleet at a glance."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from cotenant.service.answers import Summary
from cotenant.service.core import Placement
from cotenant.service.keeping.levels import levels_of_days

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = frozenset({"GET", "POST", "PATCH", "DELETE"})
BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class Meters:
    """Everything that is counted; one for each service, none global.

    No label is a name that a user chose: a fleet has too many tasks and machines.
    """

    def __init__(self, placement: Placement) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(Fleet(placement))
        self.decisions = Histogram(
            "cotenant_decision_seconds",
            "Time from a request to its durable answer, by operation.",
            ["operation"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.rejections = Counter(
            "cotenant_rejections",
            "Requests refused, by reason: a resource that nothing had, or a word.",
            ["reason"],
            registry=self._registry,
        )
        self._requests = Counter(
            "cotenant_requests",
            "HTTP requests by method and status.",
            ["method", "status"],
            registry=self._registry,
        )
        self.readings = Counter(
            "cotenant_machine_readings",
            "Moments at which all tasks of a machine had a fresh measurement.",
            registry=self._registry,
        )
        self.overloads = Counter(
            "cotenant_machine_overloads",
            "Those moments at which measured CPU was above capacity.",
            registry=self._registry,
        )
        self.disconnects = Counter(
            "cotenant_watch_disconnects",
            "Times the watch on Kubernetes broke and was taken up again.",
            ["resource"],
            registry=self._registry,
        )

        # Finding the counter of some labels takes longer than counting.
        self._duration = cache(self.decisions.labels)
        self._answered = cache(self._requests.labels)

    @contextmanager
    def timed(self, operation: str) -> Iterator[None]:
        """Time a decision, refusals included."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._duration(operation).observe(time.perf_counter() - started)

    def request(self, method: str, status: int) -> None:
        """Count a request; status 0 is a client that went away."""
        known = method if method in METHODS else "other"
        self._answered(known, str(status)).inc()

    def text(self) -> bytes:
        """Return everything in the text format of Prometheus."""
        return generate_latest(self._registry)


class Fleet(Collector):
    """The summary of the fleet, looked up when Prometheus asks."""

    def __init__(self, placement: Placement) -> None:
        self._placement = placement

    def describe(self) -> list[Metric]:
        """Return nothing: there is no need to ask the fleet before it is there."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Return the families of one scrape."""
        summary = self._placement.summary()
        yield from _counts(summary)
        yield from _levels(summary, time.time())
        told = self._placement.kept()
        if told is not None:
            yield from levels_of_days(told)


def _counts(summary: Summary) -> Iterator[Metric]:
    counts = [
        ("placements", "Tasks placed since the service started.", summary.placements),
        ("releases", "Tasks released since then.", summary.releases),
        ("moves", "Tasks moved by repacking since then.", summary.moves),
    ]
    for name, what, value in counts:
        yield CounterMetricFamily(f"cotenant_{name}", what, value=value)


def _levels(summary: Summary, now: float) -> Iterator[Metric]:
    age = None if summary.last_event_at is None else now - summary.last_event_at
    oldest = summary.oldest_measurement
    levels: list[tuple[str, str, float | None]] = [
        ("machines", "Machines of the fleet.", summary.machines),
        ("machines_in_use", "Machines with a task.", summary.machines_in_use),
        ("machines_draining", "Machines that take no more.", summary.draining),
        ("machines_over_promise", "Machines above it.", summary.over_promise),
        ("tasks", "Tasks placed now.", summary.tasks),
        ("reservations", "Places held for pods now.", summary.reservations),
        ("tasks_stale", "Tasks whose measurements are late.", summary.stale_tasks),
        ("mean_load_ratio", "Mean CPU load over capacity.", summary.mean_load),
        ("promised_overload_ratio", "Rho, the promise.", summary.rho),
        (
            "expected_overload_ratio_mean",
            "Probability of overload, mean of machines in use.",
            summary.mean_overload,
        ),
        (
            "expected_overload_ratio_worst",
            "Probability of overload of the worst machine.",
            summary.worst_overload,
        ),
        ("ledger_events", "Number of the last event.", summary.events),
        ("ledger_age_seconds", "Time since the last event.", age),
        ("ledger_durable", "1 if the last write succeeded.", float(summary.durable)),
        (
            "oldest_measurement_age_seconds",
            "Time since the task measured longest ago was measured.",
            None if oldest is None else now - oldest,
        ),
    ]
    for name, what, value in levels:
        if value is not None:
            yield GaugeMetricFamily(f"cotenant_{name}", what, value=value)
