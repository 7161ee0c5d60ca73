"""Periodic tasks arrive at hosts and leave them: what stays unallocated over time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from cotenant.colocate.periodic.placer import SlaPlacer
from cotenant.colocate.periodic.policy import SlaPolicy
from cotenant.sim.events import EventQueue
from cotenant.sim.requests import Request

_LEAVES, _ARRIVES = 0, 1  # who leaves makes room for who arrives at the same moment


@dataclass(frozen=True, slots=True)
class Measured:
    """One run after its warm-up; means over time unless said otherwise.

    Parameters
    ----------
    wasted
        Unit hosts of machines in use less what tasks asked.
    wasted_given
        The same less what tasks are given.
    machines, peak
        In use on average, and at most.
    arrivals, tried
        Requests, and stand-ins tried for them in all.
    changes
        Rewrites and migrations by repacking.
    """

    wasted: float
    wasted_given: float
    machines: float
    peak: int
    arrivals: int
    tried: int
    changes: int


def churn(
    requests: Iterable[Request],
    policy: SlaPolicy,
    start: float,
    end: float,
    clock: Callable[[], float],
) -> Measured:
    """Run requests through a placer and measure from `start` to `end`.

    Parameters
    ----------
    requests
        In order of arrival.
    start, end
        Milliseconds; before `start` the fleet fills up.
    clock
        For the time limit of searches, seconds.
    """
    queue: EventQueue[Request] = EventQueue()
    for request in requests:
        queue.put(request.arrives, _ARRIVES, request)
    placer = SlaPlacer(policy, clock)
    meter = _Meter(placer, policy.cores, start, end)
    present: set[str] = set()
    while queue:
        time, request = queue.pop()
        if time >= end:
            break
        meter.advance(time)
        if request.task in present:
            present.remove(request.task)
            placer.remove(request.task)
            meter.asked -= request.sla.utilization
            continue
        present.add(request.task)
        placer.place(request.task, request.sla)
        meter.asked += request.sla.utilization
        meter.arrived(time)
        queue.put(request.leaves, _LEAVES, request)
    meter.advance(end)
    return meter.result()


class _Meter:
    """Integrates what is unallocated between events."""

    def __init__(self, placer: SlaPlacer, cores: int, start: float, end: float) -> None:
        self._placer, self._cores = placer, cores
        self._start, self._end = start, end
        self._now = 0.0
        self._sums = [0.0, 0.0, 0.0]  # wasted, wasted given, machines
        self._peak = self._arrivals = self._tried = self._changes = 0
        self._seen = 0
        self.asked = 0.0

    def advance(self, time: float) -> None:
        span = min(time, self._end) - max(self._now, self._start)
        self._now = time
        if span <= 0:
            return
        machines = self._placer.machines
        hosts = machines * self._cores
        values = (hosts - self.asked, hosts - self._placer.given, float(machines))
        for at, value in enumerate(values):
            self._sums[at] += span * value
        self._peak = max(self._peak, machines)

    def arrived(self, time: float) -> None:
        if time >= self._start:
            self._arrivals += 1
            self._tried += self._placer.rewrites_tried
            self._changes += len(self._placer.moves) - self._seen
        self._seen = len(self._placer.moves)

    def result(self) -> Measured:
        span = self._end - self._start
        wasted, given, machines = (total / span for total in self._sums)
        return Measured(
            wasted,
            given,
            machines,
            self._peak,
            self._arrivals,
            self._tried,
            self._changes,
        )
