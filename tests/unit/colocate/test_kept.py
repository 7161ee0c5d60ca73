"""Kept tasks keep their cells, whatever comes and goes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.colocate.cells import cut
from cotenant.colocate.kept import KeptTasks
from cotenant.demand.usage import Usage
from tests.strategies import samples


@settings(deadline=None)
@given(
    drawn=st.lists(samples(size=6), min_size=1, max_size=6),
    moves=st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=80),
)
def test_what_is_kept_is_what_was_cut(
    drawn: list[list[float]], moves: list[tuple[int, bool]]
) -> None:
    asked = cut([Usage.from_samples(values) for values in drawn], 1.0, 50)
    tasks, known = KeptTasks(1), dict[int, int]()
    for which, joins in moves:
        if joins or not known:
            task = which % len(drawn)
            number = tasks.add(asked, task)
            assert number not in known
            known[number] = task
        else:
            number = list(known)[which % len(known)]
            tasks.drop(number)
            del known[number]
        for number, task in known.items():
            own = slice(*tasks.asked.starts[number])
            theirs = slice(*asked.starts[task])
            assert tasks.asked.cells[own].tolist() == asked.cells[theirs].tolist()
            assert tasks.asked.mass[own].tolist() == asked.mass[theirs].tolist()
            assert tasks.asked.pinned[own].tolist() == asked.pinned[theirs].tolist()
            assert tasks.asked.mean[number] == asked.mean[task]
            assert tasks.asked.maximum[number] == asked.maximum[task]


def test_room_of_dropped_tasks_is_used_again() -> None:
    asked = cut([Usage.from_samples(np.arange(30) / 30)], 1.0, 50)
    tasks = KeptTasks(1)
    for _ in range(1_000):
        tasks.drop(tasks.add(asked, 0))
    assert len(tasks.asked.cells) < 10 * len(asked.cells)
    assert len(tasks.asked.mean) < 100
