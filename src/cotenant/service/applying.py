"""What each kind of event does to a state."""

from collections.abc import Callable
from dataclasses import replace

from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.service.answers import Placed
from cotenant.service.asked import MachineSpec, TaskSpec
from cotenant.service.believed import sharpen
from cotenant.service.keeping import events as keeping
from cotenant.service.state import Data, Demand, Held, State, demand_of, pod_key

KEYS = 100_000
"""Idempotency keys remembered, the latest ones."""

PLANS = 50
"""Repacking plans remembered, the latest ones."""


def apply(
    state: State,
    number: int,
    at: float,
    kind: str,
    data: Data,
    known: Demand | None = None,
) -> None:
    """Do one event.

    Parameters
    ----------
    known
        The demand that `data` describes, where it is at hand already.
    """
    state.number, state.at = number, at
    _DO[kind](state, data, known)


def _machine_added(state: State, data: Data, known: Demand | None) -> None:
    state.add(MachineSpec.from_dict(data["machine"]))
    state.fleet_changed = state.number


def _machine_draining(state: State, data: Data, known: Demand | None) -> None:
    entry = state.machines[data["machine"]]
    state.close(entry)
    state.fleet_changed = entry.changed = state.number


def _machine_resized(state: State, data: Data, known: Demand | None) -> None:
    state.resize(MachineSpec.from_dict(data["machine"]))
    state.fleet_changed = state.number


def _machine_removed(state: State, data: Data, known: Demand | None) -> None:
    state.remove(data["machine"])
    state.fleet_changed = state.number


def _placed(state: State, data: Data, known: Demand | None) -> None:
    held = _held(state, data, known)
    state.put(held.name, held)


def _answered(state: State, data: Data, known: Demand | None) -> None:
    answers = tuple(Placed(*answer) for answer in data["answers"])
    state.answered[data["key"]] = (data["digest"], answers)
    if len(state.answered) > KEYS:
        del state.answered[next(iter(state.answered))]


def _changed(state: State, data: Data, known: Demand | None) -> None:
    before = state.take(data["task"]["name"])
    held = replace(_held(state, data, known), placed_at=before.placed_at)
    state.put(held.name, held)


def _moved(state: State, data: Data, known: Demand | None) -> None:
    held = state.take(data["name"])
    state.put(data["name"], _at(held, data))
    keeping.count_move(state, data)


def _proposed(state: State, data: Data, known: Demand | None) -> None:
    state.plans[data["plan"]] = dict(data)
    if len(state.plans) > PLANS:
        del state.plans[next(iter(state.plans))]


def _released(state: State, data: Data, known: Demand | None) -> None:
    state.take(data["name"])


def _measured(state: State, data: Data, known: Demand | None) -> None:
    entry = state.machines[state.held[data["name"]].machine]
    changed = entry.changed  # a plan looks at the room itself after a measurement
    held = state.take(data["name"])
    demand = known
    if demand is None and isinstance(held.demand, Task):
        demand = sharpen(held.demand, data["samples"])
    held = replace(
        held,
        demand=demand or held.demand,
        measured_at=state.at,
        feed_error=None,
        overload=data["overload"],
    )
    state.put(data["name"], held)
    entry.changed = changed
    if "start" in data and "cpu" in data["samples"]:
        keeping.note(state, data["name"], data["samples"]["cpu"], data)


def _unmeasured(state: State, data: Data, known: Demand | None) -> None:
    held = state.held[data["name"]]
    state.held[data["name"]] = replace(held, feed_error=data["error"])


def _reserved(state: State, data: Data, known: Demand | None) -> None:
    held = replace(_held(state, data, known), expires=data["expires"])
    state.put(pod_key(data["uid"]), held)


def _unreserved(state: State, data: Data, known: Demand | None) -> None:
    state.take(pod_key(data["uid"]))


def _held(state: State, data: Data, known: Demand | None) -> Held:
    task = data["task"]
    asked = Sla.parse(task["sla"]) if "sla" in task else None
    demand = known or demand_of(TaskSpec.from_dict(task))
    if asked is not None:
        demand = Sla.parse(data["granted"])
    core, overload = data.get("core", 0), data["overload"]
    where = data["machine"], core, overload, state.at
    return Held(task["name"], data["digest"], asked, demand, *where)


def _at(held: Held, data: Data) -> Held:
    demand = Sla.parse(data["granted"]) if data.get("granted") else held.demand
    return replace(
        held,
        machine=data["machine"],
        core=data.get("core", 0),
        demand=demand,
        overload=data["overload"],
    )


_DO: dict[str, Callable[[State, Data, Demand | None], None]] = {
    "machine_added": _machine_added,
    "machine_draining": _machine_draining,
    "machine_resized": _machine_resized,
    "machine_removed": _machine_removed,
    "placed": _placed,
    "answered": _answered,
    "changed": _changed,
    "moved": _moved,
    "proposed": _proposed,
    "released": _released,
    "measured": _measured,
    "unmeasured": _unmeasured,
    "reserved": _reserved,
    "unreserved": _unreserved,
    "read": keeping.read,
    "night": keeping.night,
    "shed": keeping.shed,
    "day_excluded": keeping.exclude,
}
