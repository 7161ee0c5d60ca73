"""The number parser against `str.split` and `float`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.kernels.swf import parse_lines

numbers = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.decimals(-(10**6), 10**6, places=4).map(str),
    st.floats(0, 1e5, allow_subnormal=False).map(lambda x: f"{x:.6e}"),
    st.sampled_from(["-1", "+3", "7.", ".5", "1e3", "2E+2", "5e-3", "0"]),
)
blanks = st.text(" \t", min_size=1, max_size=3)
ends = st.sampled_from(["\n", "\r\n", " \n", " ; said\n", "\n\n", "\n; a: 1 2 3\n"])


def parse(text: str, width: int):
    return parse_lines(np.frombuffer(text.encode(), dtype=np.uint8), width)


@settings(deadline=None)
@given(st.lists(st.tuples(st.lists(numbers, min_size=3, max_size=5), blanks, ends)))
def test_lines_are_split_as_python_splits_them(rows) -> None:
    text = "".join(blank.join(cells) + end for cells, blank, end in rows)
    values, lines, rest, line, column = parse(text, 3)
    assert (line, column) == (0, 0)
    expected = [
        (number, row.split(";")[0].split())
        for number, row in enumerate(text.split("\n"), start=1)
        if row.split(";")[0].split()
    ]
    assert lines.tolist() == [number for number, _ in expected]
    assert (rest >= 0).tolist() == [len(cells) > 3 for _, cells in expected]
    wanted = [float(cell) for _, cells in expected for cell in cells[:3]]
    assert values.ravel().tolist() == pytest.approx(wanted, rel=1e-14)


@settings(deadline=None)
@given(st.decimals(-(10**9), 10**9, places=3))
def test_plain_decimals_are_read_to_the_last_bit(number) -> None:
    values, *_ = parse(str(number), 1)
    assert values[0, 0] == float(number)


@pytest.mark.parametrize(
    "wrong", ["x", "-", "1-2", "1.2.3", "e5", "1e", "1e+", "nan", "--1", "1x", "é"]
)
def test_what_is_no_number_is_blamed_by_line_and_column(wrong: str) -> None:
    *_, line, column = parse(f"; top\n1 2 3\n\n4 {wrong} 6\n7 8 9\n", 3)
    assert (line, column) == (4, 2)


def test_a_short_line_is_blamed_on_its_first_missing_column() -> None:
    *_, line, column = parse("1 2 3\n4 5", 3)
    assert (line, column) == (2, 3)


def test_the_rest_of_a_line_is_where_the_next_cell_starts() -> None:
    text = "1 2  {a,b} q_1d\n3 4\n"
    *_, rest, _, _ = parse(text, 2)
    assert text[rest[0] :].startswith("{a,b}")
    assert rest[1] == -1
