"""The tree finds what a search of the whole row finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cotenant.kernels.tree import NONE, first_from, make_tree, write

SIZES = (1, 2, 15, 16, 17, 31, 272, 273, 300)  # of one, two and three storeys
numbers = st.sampled_from([-np.inf, -1.0, 0.0, 0.1, 0.2, np.inf])


@given(size=st.sampled_from(SIZES), data=st.data(), least=numbers)
def test_the_first_number_that_is_large_enough_is_found_from_every_place(
    size: int, data: st.DataObject, least: float
) -> None:
    tree, row = make_tree(size), np.full(size, -np.inf)
    places = st.one_of(st.integers(0, size - 1), st.sampled_from([0, size - 1]))
    for place, number in data.draw(st.lists(st.tuples(places, numbers), max_size=40)):
        write(tree, place, number)
        row[place] = number
    least = max(least, -1.0)
    for place in range(size + 1):
        found = np.flatnonzero(row[place:] >= least)
        expected = place + found[0] if len(found) else NONE
        assert first_from(tree, place, least) == expected
