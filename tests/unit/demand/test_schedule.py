"""Keeping an SLA, judged slot by slot."""

from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.demand.schedule import Schedule, keeps, missed_periods
from cotenant.demand.sla import Sla
from tests.sla_oracles import kept

slots = st.lists(st.booleans(), max_size=30)


@st.composite
def slas(draw: st.DrawFn) -> Sla:
    period, window = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    budget, misses = draw(st.integers(0, period)), draw(st.integers(0, window))
    return Sla(budget, period, misses, window)


@given(slots=slots)
def test_runs_and_idle_runs_hold_every_slot_once(slots: list[bool]) -> None:
    schedule = Schedule.of_slots(slots)
    back = [False] * schedule.length
    for start, length in schedule.granted:
        assert length > 0
        back[start : start + length] = [True] * length
    assert back == slots
    starts, ends = schedule.idle()
    idle = [slot for a, b in zip(starts, ends, strict=True) for slot in range(a, b)]
    assert idle == [slot for slot, granted in enumerate(slots) if not granted]


@settings(max_examples=400)
@given(slots=slots, sla=slas(), origin=st.integers(0, 5))
def test_missed_periods_are_those_with_too_few_slots(
    slots: list[bool], sla: Sla, origin: int
) -> None:
    found = missed_periods(Schedule.of_slots(slots), sla, origin).tolist()
    periods = max(len(slots) - origin, 0) // sla.period
    got = [
        sum(slots[origin + i * sla.period : origin + (i + 1) * sla.period])
        for i in range(periods)
    ]
    assert found == [i for i, granted in enumerate(got) if granted < sla.budget]


@settings(max_examples=400)
@given(slots=slots, sla=slas(), origin=st.integers(0, 5), sliding=st.booleans())
def test_keeping_follows_the_definition_on_whole_windows(
    slots: list[bool], sla: Sla, origin: int, sliding: bool
) -> None:
    # Padded so that every window the schedule touches is there as a whole.
    span = sla.period * sla.window
    padded = slots + [True] * ((origin - len(slots)) % span + 2 * span)
    window = "sliding" if sliding else "aligned"
    schedule = Schedule.of_slots(padded)
    expected = kept(padded, sla, window, origin)
    assert keeps(schedule, sla, window=window, origin=origin) == expected


def test_a_window_begun_has_the_misses_seen_so_far() -> None:
    schedule = Schedule.of_slots([0, 0, 1])
    assert not keeps(schedule, Sla(1, 1, 1, 10))
    assert keeps(schedule, Sla(1, 1, 2, 10))
