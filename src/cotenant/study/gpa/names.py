"""Names of methods for readers of the study."""

from cotenant.report.words import figure
from cotenant.study.grid import Run
from cotenant.study.grid_result import RunRow

_SPOKEN = {
    "gaussian": "GPA",
    "mean": "av",
    "percentile": "perc",
    "cantelli": "Cantelli",
    "welch": "GPA, Welch",
}


def spoken(run: Run) -> str:
    """Name a method as the paper does, with its number or rho."""
    name, _, number = run.method.partition(":")
    words = [_SPOKEN.get(name, name), number]
    if run.rho is not None:
        words.append(f"{run.rho:g}")
    return " ".join(word for word in words if word)


def scientific(value: float | None) -> str:
    """Write a frequency with two or three digits and its power of ten.

    >>> scientific(0.00161), scientific(0.4412), scientific(0.0), scientific(None)
    ('1.61e-3', '0.441', '0', '-')
    """
    if value is None:
        return "-"
    if value == 0:
        return "0"
    if value < 1e-15:
        return "< 1e-15"
    if abs(value) >= 0.01:
        return f"{value:.3g}"
    mantissa, _, power = f"{value:.2e}".partition("e")
    return f"{mantissa}e{int(power)}"


def interval(row: RunRow) -> str:
    """Write the 95 % interval of the counted q."""
    high = scientific(row.high)
    return f"{scientific(row.low)} to {high}" if row.low > 0 else f"up to {high}"


def change(before: float, after: float) -> str:
    """Write a relative change, as a factor where it is large.

    >>> change(1.0, 0.93), change(2e-6, 1e-7), change(1.0, 9.0), change(0.0, 1.0)
    ('-7.0 %', '20 times less', '9 times more', '-')
    """
    if before <= 0 or after < 0:
        return "-"
    ratio = after / before
    if 0.5 <= ratio <= 2.0:
        return f"{(ratio - 1) * 100:+.1f} %"
    if ratio == 0:
        return "none left"
    return f"{_factor(ratio)} more" if ratio > 1 else f"{_factor(1 / ratio)} less"


def _factor(ratio: float) -> str:
    return f"{figure(ratio, 2)} times"
