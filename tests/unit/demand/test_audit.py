"""Audits judged by the schedule behind the readings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.audit import Grants, audit
from cotenant.demand.schedule import Window
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from tests.sla_oracles import kept

MS = 10**6


def counter(slots: list[bool], at: list[int], start: int = 0) -> Grants:
    """Read a counter of granted slots of a millisecond at some boundaries."""
    total = np.concatenate(([0], np.cumsum(slots, dtype=np.int64)))
    return Grants((np.array(at) + start) * MS, total[at] * MS)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[bool], Sla, Window]:
    period, window = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    many = draw(st.integers(1, 12))
    slots = draw(
        st.lists(st.booleans(), min_size=many * period, max_size=many * period)
    )
    budget, misses = draw(st.integers(0, period)), draw(st.integers(0, window))
    reading: Window = draw(st.sampled_from(["aligned", "sliding"]))
    return slots, Sla(budget, period, misses, window), reading


@settings(max_examples=400, deadline=None)
@given(case=cases(), start=st.integers(0, 10**13))
def test_a_reading_every_slot_tells_exactly_what_was_kept(
    case: tuple[list[bool], Sla, Window], start: int
) -> None:
    slots, sla, window = case
    grants = counter(slots, list(range(len(slots) + 1)), start)
    found = audit(grants, sla, tick=MS, window=window)
    assert not found.unclear.any()
    assert len(found.missed) == len(slots) // sla.period
    # A last window begun counts what it has: the rest of it may be met.
    whole = slots + [True] * (sla.period * sla.window)
    assert found.kept == kept(whole, sla, window)


@settings(max_examples=400, deadline=None)
@given(case=cases(), data=st.data())
def test_coarse_readings_never_tell_the_wrong_thing(
    case: tuple[list[bool], Sla, Window], data: st.DataObject
) -> None:
    slots, sla, window = case
    some = data.draw(st.sets(st.integers(1, len(slots))))
    at = sorted({0, len(slots), *some})
    fine = audit(
        counter(slots, list(range(len(slots) + 1))), sla, tick=MS, window=window
    )
    coarse = audit(counter(slots, at), sla, tick=MS, window=window)
    sure = ~coarse.unclear
    assert (coarse.missed[sure] == fine.missed[sure]).all()
    assert coarse.kept in (None, fine.kept)
    assert (coarse.misses <= fine.misses).all()
    assert (fine.misses <= coarse.misses + coarse.doubts).all()


def test_readings_too_far_apart_leave_the_verdict_open() -> None:
    grants = Grants(np.array([0, 100]) * MS, np.array([0, 50]) * MS)
    assert audit(grants, Sla(1, 10), tick=MS).kept is None
    # Half of the time in any case: at most five of the ten periods got nothing.
    assert audit(grants, Sla(1, 100), tick=MS).kept is True
    assert audit(grants, Sla(51, 100), tick=MS).kept is False


def test_a_counter_of_many_cores_is_not_bounded_by_the_clock() -> None:
    # Three cores' worth in the first period, nothing known of where in the second.
    grants = Grants(np.array([0, 10, 25, 30]) * MS, np.array([0, 30, 45, 45]) * MS)
    found = audit(grants, Sla(10, 10), tick=MS)
    assert found.missed.tolist() == [False, False, False]
    assert found.unclear.tolist() == [False, True, True]


def test_periods_start_at_the_origin_and_only_whole_ones_count() -> None:
    grants = counter([True] * 10 + [False] * 10, list(range(21)), start=100)
    late = audit(grants, Sla(2, 5), tick=MS, origin=103 * MS)
    assert (late.first, late.missed.tolist()) == (0, [False, False, True])
    early = audit(grants, Sla(2, 5), tick=MS, origin=81 * MS)
    # Period 4 starts at 101; the last whole one ends at 116.
    assert (early.first, early.missed.tolist()) == (4, [False, False, True])
    assert early.windows.tolist() == [4, 5, 6]


def test_a_log_without_a_whole_period_has_nothing_to_judge() -> None:
    grants = counter([True] * 4, [0, 4])
    assert len(audit(grants, Sla(1, 5), tick=MS).missed) == 0
    assert len(audit(grants, Sla(1, 2), tick=MS, origin=10 * MS).missed) == 0


def test_a_fluid_sla_has_no_period_to_judge() -> None:
    with pytest.raises(InvalidInput, match="leaves the period open"):
        audit(counter([True] * 9, [0, 9]), Sla.parse("1/2~1-3"), tick=MS)
