"""The index names machines in the order a sorted list has them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cotenant.kernels.index import following, make_index, put
from cotenant.kernels.tree import NONE

MACHINES = 9
# Few distinct values, so that ties are common; above 1 and infinite ones too.
fullnesses = st.sampled_from([0.0, 0.25, 0.5, 0.5 + 1e-12, 0.9, 1.0, 1.5])
rooms = st.sampled_from([-1.0, 0.0, 0.1, 0.2, np.inf])
changes = st.lists(st.tuples(st.integers(0, MACHINES - 1), fullnesses, rooms))


@given(changes=changes, need=rooms, best=st.booleans())
def test_machines_with_room_come_in_the_order_of_the_rule(
    changes: list[tuple[int, float, float]], need: float, best: bool
) -> None:
    index = make_index(MACHINES, best)
    known: dict[int, tuple[float, float]] = {}
    for machine, fullness, room in changes:
        put(index, machine, fullness, room)
        known[machine] = fullness, room
        found, at = [], following(index, NONE, need)
        while at != NONE:
            found.append(at)
            at = following(index, at, need)
        order = sorted(known, key=lambda m: (-known[m][0] if best else 0.0, m))
        assert found == [m for m in order if known[m][1] >= need]
