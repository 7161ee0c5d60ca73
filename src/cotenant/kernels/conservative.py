"""Conservative backfilling: every job gets a reservation when it arrives.

Reservations are half-open intervals by what is believed of run times. None is ever
moved back, unless a job outlives what was believed.
"""

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.kernels._jit import jit
from cotenant.kernels.profiles import Profiles, choose, forget, hold
from cotenant.kernels.queue_state import (
    ANSWER,
    ARRIVED,
    ASK,
    ASKED,
    ASKING,
    AT,
    DONE,
    EARLIEST_COMPLETION,
    EVENT,
    FIRST,
    JOB,
    LAST,
    NO_ANSWER,
    NOW,
    PHASE,
    RUNNING,
    WAIT,
    Site,
    State,
    Work,
    arrive,
    learn,
    outlived,
)

PLACE = 1  # the phase after EVENT


@jit
def promise_ahead(
    size: IntArray,
    speed: FloatArray,
    profiles: Profiles,
    need: int,
    believed: float,
    c: int,
    arrive: FloatArray,
    processors: IntArray,
    lengths: FloatArray,
    rule: int,
) -> tuple[FloatArray, FloatArray]:
    # Starts and ends of a job in its earliest slot on cluster `c`, and of imagined jobs
    # that are promised slots after it. Works on copies that it is given.
    start, end = np.empty(len(arrive) + 1), np.empty(len(arrive) + 1)
    start[0] = profiles.soonest[c]
    end[0] = start[0] + believed / speed[c]
    hold(profiles, c, start[0], end[0], need)
    for k in range(len(arrive)):
        found = choose(
            size, speed, profiles, arrive[k], processors[k], lengths[k], rule, 0.0
        )
        start[k + 1] = profiles.soonest[found]
        end[k + 1] = start[k + 1] + lengths[k] / speed[found]
        hold(profiles, found, start[k + 1], end[k + 1], processors[k])
    return start, end


@jit
def replan(
    site: Site,
    work: Work,
    state: State,
    profiles: Profiles,
    job: int,
    rule: int,
    afresh: bool,
) -> None:
    # Moves a reservation forward where the rule finds an earlier one; where jobs have
    # outlived what was believed it was given back before, and is made afresh.
    planned, until, cluster = profiles.planned, profiles.until, state.cluster
    need, believed = work.processors[job], state.believed[job]
    if not afresh:
        hold(profiles, cluster[job], planned[job], until[job], -need)
    draw = work.draw[job] if len(work.draw) > 0 else 0.0
    c = choose(
        site.size, site.speed, profiles, state.clock[NOW], need, believed, rule, draw
    )
    end = profiles.soonest[c] + believed / site.speed[c]
    earlier = profiles.soonest[c] < planned[job]
    if rule == EARLIEST_COMPLETION:
        earlier = end < until[job]
    if afresh or earlier:
        cluster[job], planned[job], until[job] = c, profiles.soonest[c], end
    hold(profiles, cluster[job], planned[job], until[job], need)


@jit
def advance_promised(
    site: Site, work: Work, state: State, profiles: Profiles, rule: int, predict: bool
) -> int:
    marks = state.marks
    inner = EARLIEST_COMPLETION if rule == ASK else rule
    while True:
        if marks[PHASE] == EVENT:
            if not next_promise(work, state, profiles):
                return DONE
            early, late = end_jobs(work, state, profiles, predict)
            if late:
                give_back(site, work, state, profiles, predict)
            if late or early:
                for job in state.queue[marks[FIRST] : marks[LAST]]:
                    replan(site, work, state, profiles, job, inner, late)
            marks[AT] = marks[LAST]
            arrive(work, state, state.clock[NOW], predict)
            marks[PHASE] = PLACE
        if promise(site, work, state, profiles, inner, rule == ASK) == ASKING:
            return ASKED
        start_promised(site, work, state, profiles)
        marks[PHASE] = EVENT


@jit
def next_promise(work: Work, state: State, profiles: Profiles) -> bool:
    # Goes to the next moment where anything happens; False if there is none.
    marks, now = state.marks, np.inf
    if marks[ARRIVED] < len(work.submit):
        now = work.submit[marks[ARRIVED]]
    for job in state.ending[: marks[RUNNING]]:
        now = min(now, state.finish[job])
    for job in state.queue[marks[FIRST] : marks[LAST]]:
        now = min(now, profiles.planned[job])
    if now == np.inf:
        return False
    state.clock[NOW] = now
    for c in range(len(state.free)):
        profiles.steps[c] = forget(
            profiles.times[c], profiles.level[c], profiles.steps[c], now
        )
    return True


@jit
def end_jobs(
    work: Work, state: State, profiles: Profiles, predict: bool
) -> tuple[bool, bool]:
    # Ends the jobs that are over; whether any ended before its reservation did, and
    # whether any runs on after it.
    ending, until, now = state.ending, profiles.until, state.clock[NOW]
    early, late, kept = False, False, 0
    # Running jobs lie in the order of their numbers, so they end in it too.
    for job in ending[: state.marks[RUNNING]]:
        if state.finish[job] > now:
            late = late or until[job] <= now
            ending[kept] = job
            kept += 1
            continue
        c, need = state.cluster[job], work.processors[job]
        state.free[c] += need
        if until[job] > now:
            early = True
            hold(profiles, c, now, until[job], -need)
        if predict:
            learn(work, state, job)
    state.marks[RUNNING] = kept
    return early, late


@jit
def give_back(
    site: Site, work: Work, state: State, profiles: Profiles, predict: bool
) -> None:
    # Takes all reservations back and lengthens those of the running jobs that are late:
    # as predictions are corrected, or else by a second at a time.
    marks, until, cluster = state.marks, profiles.until, state.cluster
    processors, now = work.processors, state.clock[NOW]
    for job in state.queue[marks[FIRST] : marks[LAST]]:
        hold(
            profiles, cluster[job], profiles.planned[job], until[job], -processors[job]
        )
    for job in state.ending[: marks[RUNNING]]:
        if until[job] > now:
            continue
        until[job] = now + 1.0
        while predict and outlived(site, state, job):
            until[job] = (
                state.start[job] + state.believed[job] / site.speed[cluster[job]]
            )
        hold(profiles, cluster[job], now, until[job], processors[job])


@jit
def promise(
    site: Site, work: Work, state: State, profiles: Profiles, rule: int, ask: bool
) -> int:
    # Reserves a slot for each job that has arrived; ASKING where the answer has to come
    # from outside.
    marks, until, planned = state.marks, profiles.until, profiles.planned
    while marks[AT] < marks[LAST]:
        job = state.queue[marks[AT]]
        need, believed = work.processors[job], state.believed[job]
        choice = marks[ANSWER]
        marks[ANSWER] = NO_ANSWER
        if choice == NO_ANSWER:
            draw = work.draw[job] if len(work.draw) > 0 else 0.0
            choice = choose(
                site.size, site.speed, profiles, state.clock[NOW], need, believed, rule,
                draw,
            )  # fmt: skip
            if ask:
                marks[JOB] = job
                return ASKING
        state.cluster[job], planned[job] = choice, profiles.soonest[choice]
        until[job] = planned[job] + believed / site.speed[choice]
        hold(profiles, choice, planned[job], until[job], need)
        marks[AT] += 1
    return WAIT


@jit
def start_promised(site: Site, work: Work, state: State, profiles: Profiles) -> None:
    # Starts the waiting jobs whose reservation begins; the others keep their order.
    marks, queue, ending, now = state.marks, state.queue, state.ending, state.clock[NOW]
    to = marks[LAST]
    for at in range(marks[LAST] - 1, marks[FIRST] - 1, -1):
        job = queue[at]
        if profiles.planned[job] > now:
            to -= 1
            queue[to] = job
            continue
        c = state.cluster[job]
        state.free[c] -= work.processors[job]
        state.start[job] = now
        state.finish[job] = now + work.runtime[job] / site.speed[c]
        at_end = marks[RUNNING]
        while at_end > 0 and ending[at_end - 1] > job:
            ending[at_end] = ending[at_end - 1]
            at_end -= 1
        ending[at_end] = job
        marks[RUNNING] += 1
    marks[FIRST] = to
