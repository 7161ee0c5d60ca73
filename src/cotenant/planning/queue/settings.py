"""What `queue` runs and how."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from cotenant.errors import InvalidInput
from cotenant.queueing import ALLOCATORS, ESTIMATES
from cotenant.queueing.allocators import Allocator
from cotenant.queueing.estimates import Estimates, uniform
from cotenant.queueing.lookahead import LookAhead
from cotenant.queueing.order import parse_order


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """What is run and how.

    Parameters
    ----------
    allocators, orders
        Names; every pair is a row.
    loads
        Offered loads to scale the log to; empty to leave it as it is.
    estimates
        `exact`, `user`, `last-two` or ``uniform:F``.
    look_ahead
        What `look-ahead` means; `tla` is always the method of the paper.
    shake_s, replicas
        Every submission is moved by up to so many seconds in every replica. Without
        shaking there is one run.
    reserve, kill_at_limit
        See `run_queue`.

    Raises
    ------
    InvalidInput
        If a name or number is not one of those.
    """

    allocators: Sequence[str] = ("look-ahead",)
    orders: Sequence[str] = ("fcfs",)
    loads: Sequence[float] = ()
    estimates: str = "exact"
    look_ahead: LookAhead = field(default_factory=LookAhead)
    shake_s: float = 0.0
    replicas: int = 1
    reserve: str = "start"
    kill_at_limit: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.allocators:
            if name not in ALLOCATORS:
                raise InvalidInput(
                    f"allocator is {name!r}; expected one of {', '.join(ALLOCATORS)}"
                )
        for order in self.orders:
            parse_order(order)
        parse_estimates(self.estimates)
        if self.replicas < 1:
            raise InvalidInput(f"replicas is {self.replicas}; expected 1 or more")
        if not 0 <= self.shake_s < float("inf"):
            raise InvalidInput(f"shake is {self.shake_s}; expected 0 seconds or more")

    def allocator(self, name: str) -> Allocator:
        """Return the allocator that a name stands for here."""
        return self.look_ahead if name == "look-ahead" else ALLOCATORS[name]


def told(settings: QueueSettings) -> dict[str, Any]:
    """Return the settings as plain values."""
    plain = asdict(settings)
    option = plain.pop("look_ahead")
    metric = option["metric"]
    option["metric"] = metric if isinstance(metric, str) else "callable"
    plain |= {key: list(plain[key]) for key in ("allocators", "orders", "loads")}
    if "look-ahead" in settings.allocators:
        plain["look_ahead"] = option
    return plain


def parse_estimates(text: str) -> Callable[..., Estimates]:
    """Return what makes estimates of this name; ``uniform:3`` carries its factor.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    name, colon, factor = text.partition(":")
    if name == "uniform" and colon:
        try:
            return partial(uniform, factor=float(factor))
        except ValueError:
            raise InvalidInput(
                f"estimates are {text!r}; expected such as uniform:3"
            ) from None
    if name not in ESTIMATES or colon:
        raise InvalidInput(
            f"estimates are {text!r}; expected exact, user, last-two or uniform:F"
        )
    return ESTIMATES[name]
