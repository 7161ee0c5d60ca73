"""The table of admission methods for CPU, and how their names are read."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cotenant.colocate.admission import ExplainedAdmission
from cotenant.colocate.bandwidth import find_tilt
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.replayed import ReplayAdmission
from cotenant.colocate.sized import (
    SizedAdmission,
    cantelli_sizes,
    maximum_sizes,
    mean_sizes,
    percentile_sizes,
    request_sizes,
)
from cotenant.colocate.stochastic import (
    CumulantAdmission,
    GaussianAdmission,
    GaussianSlotsAdmission,
    OneFactorAdmission,
    WelchAdmission,
)
from cotenant.colocate.summed import check_rho
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput

Test = ExplainedAdmission[Usage, float]


@dataclass(frozen=True, slots=True)
class Ask:
    """What a method is made from.

    Parameters
    ----------
    rho
        Largest accepted overload probability of a machine, in (0, 1).
    number
        The number behind the colon of its name, None where left out.
    slots
        Time-of-day slots, 1 for none.
    population
        CPU usage of the tasks to come, for methods that look at all of them.
    capacity
        CPU capacity of a typical machine.
    """

    rho: float
    number: float | None = None
    slots: int = 1
    population: Sequence[Usage] = ()
    capacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the table.

    Parameters
    ----------
    make
        Makes the admission.
    slotted
        Whether the method knows time-of-day slots.
    parameter
        What the number behind the colon means; None where a method takes none.
    optional
        Whether the number may be left out.
    lowest, highest
        Range of the number.
    """

    make: Callable[[Ask], Test]
    slotted: bool = False
    parameter: str | None = None
    optional: bool = False
    lowest: float = 0.0
    highest: float = math.inf


def _gaussian(ask: Ask) -> Test:
    if ask.slots > 1:
        return GaussianSlotsAdmission(ask.rho, ask.slots)
    return GaussianAdmission(ask.rho)


def _esscher(ask: Ask) -> Test:
    tilt = find_tilt(ask.population, ask.capacity, ask.rho)
    return SizedAdmission(tilt.sizes, "effective bandwidths", tilt.extra)


def _cantelli(ask: Ask) -> Test:
    deviations = ask.number
    if deviations is None:
        deviations = math.sqrt(1.0 / check_rho(ask.rho) - 1.0)
    name = f"means + {deviations:.3g} standard deviations"
    return SizedAdmission(cantelli_sizes(deviations), name)


def _mean(ask: Ask) -> Test:
    return SizedAdmission(mean_sizes(ask.number or 0.0), f"means times {ask.number:g}")


def _percentile(ask: Ask) -> Test:
    name = f"percentiles ({ask.number:g} %)"
    return SizedAdmission(percentile_sizes(ask.number or 0.0), name)


METHODS: dict[str, Method] = {
    "exact": Method(lambda ask: ExactAdmission(ask.rho, slots=ask.slots), slotted=True),
    "gaussian": Method(_gaussian, slotted=True),
    "cumulants": Method(lambda ask: CumulantAdmission(ask.rho)),
    "esscher": Method(_esscher),
    "one-factor": Method(lambda ask: OneFactorAdmission(ask.rho)),
    "replay": Method(
        lambda ask: ReplayAdmission(ask.rho, ask.number or 1.0),
        parameter="a margin, 1 or more",
        optional=True,
        lowest=1.0,
    ),
    "welch": Method(lambda ask: WelchAdmission(ask.rho)),
    "cantelli": Method(
        _cantelli, parameter="standard deviations, 0 or more", optional=True
    ),
    "mean": Method(_mean, parameter="a factor, 0 or more"),
    "percentile": Method(_percentile, parameter="percent, 0 to 100", highest=100.0),
    "max": Method(lambda _: SizedAdmission(maximum_sizes, "maxima")),
    "requests": Method(lambda _: SizedAdmission(request_sizes, "requests")),
}


def parse_method(text: str) -> tuple[Method, float | None]:
    """Return the row and the number of a method name such as ``mean:1.25``.

    Raises
    ------
    InvalidInput
        If the name is not in the table, or its number is missing or out of range.
    """
    name, colon, digits = text.partition(":")
    row = METHODS.get(name)
    if row is None:
        raise InvalidInput(f"method is {text!r}; expected one of {', '.join(METHODS)}")
    if row.parameter is None:
        if colon:
            raise InvalidInput(f"method {name} takes no number; {text!r} has one")
        return row, None
    if not colon and row.optional:
        return row, None
    try:
        number = float(digits)
    except ValueError:
        number = math.nan
    if not row.lowest <= number <= row.highest or math.isinf(number):
        raise InvalidInput(f"method is {text!r}; expected {name}:N, N {row.parameter}")
    return row, number


def make_admission(
    method: str,
    rho: float,
    *,
    slots: int = 1,
    population: Sequence[Usage] = (),
    capacity: float = 1.0,
) -> Test:
    """Make the admission test that a method name asks for.

    Raises
    ------
    InvalidInput
        If the name is wrong, `rho` is, or the method knows no slots.

    Examples
    --------
    >>> type(make_admission("percentile:95", rho=0.01)).__name__
    'SizedAdmission'
    """
    row, number = parse_method(method)
    if slots > 1 and not row.slotted:
        known = " and ".join(name for name, m in METHODS.items() if m.slotted)
        raise InvalidInput(f"method {method} knows no slots; {known} do")
    return row.make(Ask(check_rho(rho), number, slots, population, capacity))
