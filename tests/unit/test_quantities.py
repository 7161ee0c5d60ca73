from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cotenant.errors import InvalidInput
from cotenant.quantities import parse_quantity

SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500m", 0.5),
        ("100m", 0.1),
        ("100M", 1e8),
        ("64", 64.0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("+2", 2.0),
        ("-513m", -0.513),
        ("1.5k", 1500.0),
        ("1e3", 1000.0),
        ("1E3", 1000.0),
        ("1E-3", 0.001),
        ("1E", 1e18),
        ("256Gi", 256 * 2.0**30),
        ("250000000n", 0.25),
    ],
)
def test_a_quantity_is_its_number_times_its_suffix(text: str, value: float) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "m", "1K", "1ki", "1MB", "1e", "1e3k", "1,5", "--1", "0x10"),
        *("nan", "inf", "1_000", "1mm", "1e999", "1e99999999", "٣", "1\n"),
    ],
)
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected one such as"):
        parse_quantity(text)


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.sampled_from([*SUFFIXES]))
def test_a_written_quantity_is_read_back(
    units: int, decimals: int, suffix: str
) -> None:
    sign, digits = "-" if units < 0 else "", f"{abs(units):0{decimals + 1}d}"
    whole = digits[: len(digits) - decimals]
    text = f"{sign}{whole}.{digits[len(whole) :]}{suffix}"
    assert parse_quantity(text) == float(
        Fraction(units, 10**decimals) * SUFFIXES[suffix]
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_back_from_its_shortest_text(value: float) -> None:
    assert parse_quantity(repr(value)) == value
