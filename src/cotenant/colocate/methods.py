"""The table of admission methods for CPU, and how their names are read."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from cotenant.colocate.admission import ExplainedAdmission
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.stochastic import (
    GaussianAdmission,
    SizedAdmission,
    cantelli_size,
    check_rho,
    maximum_size,
    mean_size,
    percentile_size,
    request_size,
)
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput

Test = ExplainedAdmission[Usage, float]


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the table.

    Parameters
    ----------
    make
        Makes the admission from rho and the number behind the colon, if any.
    parameter
        What that number means, with its range; None where a method takes none.
    default
        Used when the number is left out; None where it must be given, or follows rho.
    optional
        Whether the number may be left out.
    """

    make: Callable[[float, float | None], Test]
    parameter: str | None = None
    optional: bool = False
    lowest: float = 0.0
    highest: float = math.inf


def _cantelli(rho: float, deviations: float | None) -> Test:
    if deviations is None:
        deviations = math.sqrt(1.0 / check_rho(rho) - 1.0)
    name = f"means + {deviations:.3g} standard deviations"
    return SizedAdmission(cantelli_size(deviations), name)


def _mean(_rho: float, factor: float | None) -> Test:
    assert factor is not None
    return SizedAdmission(mean_size(factor), f"means times {factor:g}")


def _percentile(_rho: float, percent: float | None) -> Test:
    assert percent is not None
    return SizedAdmission(percentile_size(percent), f"percentiles ({percent:g} %)")


METHODS: dict[str, Method] = {
    "exact": Method(lambda rho, _: ExactAdmission(rho)),
    "gaussian": Method(lambda rho, _: GaussianAdmission(rho)),
    "cantelli": Method(_cantelli, "standard deviations, 0 or more", optional=True),
    "mean": Method(_mean, "a factor above 0"),
    "percentile": Method(_percentile, "percent, 0 to 100", highest=100.0),
    "max": Method(lambda *_: SizedAdmission(maximum_size, "maxima")),
    "requests": Method(lambda *_: SizedAdmission(request_size, "requests")),
}


def make_admission(method: str, rho: float) -> Test:
    """Make the admission test that a method name such as ``mean:1.25`` asks for.

    Raises
    ------
    InvalidInput
        If the name is not in the table, or its number is missing or out of range.

    Examples
    --------
    >>> type(make_admission("percentile:95", rho=0.01)).__name__
    'SizedAdmission'
    """
    name, colon, text = method.partition(":")
    row = METHODS.get(name)
    if row is None:
        raise InvalidInput(
            f"method is {method!r}; expected one of {', '.join(METHODS)}"
        )
    if row.parameter is None:
        if colon:
            raise InvalidInput(f"method {name} takes no number; {method!r} has one")
        return row.make(rho, None)
    if not colon and row.optional:
        return row.make(rho, None)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not row.lowest <= number <= row.highest or math.isinf(number):
        raise InvalidInput(
            f"method is {method!r}; expected {name}:N, N {row.parameter}"
        )
    return row.make(rho, number)
