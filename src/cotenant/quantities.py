"""Resource quantities as Kubernetes writes them: ``500m`` cores, ``256Gi`` bytes."""

import math
import re
from decimal import Decimal

from cotenant.errors import InvalidInput

_SUFFIXES: dict[str, Decimal] = {
    "": Decimal(1),
    **{s: Decimal(10) ** (-3 * i) for i, s in enumerate("mun", start=1)},
    **{s: Decimal(10) ** (3 * i) for i, s in enumerate("kMGTPE", start=1)},
    **{f"{s}i": Decimal(1024) ** i for i, s in enumerate("KMGTPE", start=1)},
}
_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:\d+\.?\d*|\.\d+))"
    r"(?:(?P<exponent>[eE][+-]?\d{1,3})|(?P<suffix>[numkMGTPE]|[KMGTPE]i)?)",
    re.ASCII,
)


def parse_quantity(text: str) -> float:
    """Return a quantity as a plain number: cores, bytes, or whatever it counts.

    The number is signed, with an optional decimal point; then follows a power of
    1000 (``n u m k M G T P E``), of 1024 (``Ki Mi Gi Ti Pi Ei``), an exponent, or
    nothing. Upper and lower case differ: ``100m`` is a tenth, ``100M`` is 10 ** 8.

    Raises
    ------
    InvalidInput
        If the text is anything else, or too large for a float.

    Examples
    --------
    >>> parse_quantity("500m"), parse_quantity("1.5k"), parse_quantity("1e3")
    (0.5, 1500.0, 1000.0)
    >>> parse_quantity("64Mi")
    67108864.0
    >>> parse_quantity("64 MB")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cotenant.errors.InvalidInput: "64 MB" is no quantity; expected one such as 0.5, ...
    """
    match = _QUANTITY.fullmatch(text)
    if match:
        number = Decimal(match["number"] + (match["exponent"] or ""))
        value = float(number * _SUFFIXES[match["suffix"] or ""])
        if math.isfinite(value):
            return value
    raise InvalidInput(
        f'"{text}" is no quantity; expected one such as 0.5, 500m, 64Mi, 100M or 1e3'
    )
