"""What unit hosts carry, and the sums that utilization bounds are made of."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cotenant.colocate.stacks import Rows
from cotenant.demand.sla import Sla


def place_of(held: Sequence[Sla], sla: Sla) -> int:
    """Return where the very object stands in a list; an equal one is another task."""
    return next(place for place, other in enumerate(held) if other is sla)


@dataclass(slots=True)
class Hosts:
    """What unit hosts carry, with sums that rounding touches."""

    held: list[list[Sla]] = field(default_factory=list)
    shares: list[dict[int, float]] = field(default_factory=list)  # by period
    count: Rows = field(default_factory=Rows)
    filled: Rows = field(default_factory=Rows)  # utilization
    product: Rows = field(default_factory=Rows)  # of 1 + utilization

    def grow(self) -> None:
        """Add an empty host."""
        self.held.append([])
        self.shares.append({})
        for rows in (self.count, self.filled, self.product):
            rows.grow()
        self.product.all[-1] = 1.0

    def add(self, host: int, sla: Sla) -> None:
        """Put an SLA on a host."""
        self.held[host].append(sla)
        share = self.shares[host].get(sla.period, 0.0)
        self.shares[host][sla.period] = share + sla.utilization
        self.count.all[host] += 1
        self.filled.all[host] += sla.utilization
        self.product.all[host] *= 1.0 + sla.utilization

    def remove(self, host: int, sla: Sla) -> None:
        """Take an SLA off a host; sums are made anew, so that no rounding stays."""
        rest = list(self.held[host])
        del rest[place_of(rest, sla)]
        self.held[host].clear()
        self.shares[host].clear()
        self.count.all[host] = self.filled.all[host] = 0.0
        self.product.all[host] = 1.0
        for other in rest:
            self.add(host, other)
