"""A state as bytes and back, every float with all its bits."""

import json
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.service.answers import Placed
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.state import Demand, Entry, Held, State

T = TypeVar("T")

FORMAT = 1
SLICE, PAUSE = 50, 0.002  # tasks, seconds


@dataclass(frozen=True, slots=True)
class Picture:
    """References to all of a state at one moment; nothing in it changes any more."""

    number: int
    at: float
    fleet_changed: int
    machines: list[tuple[MachineSpec, bool, int, list[str]]]
    held: dict[str, Held]
    answered: dict[str, tuple[str, tuple[Placed, ...]]]
    plans: dict[str, dict[str, Any]]


def take_picture(state: State) -> Picture:
    """Return the state as it is now; quick, since values are not copied."""
    machines = [
        (entry.spec, entry.draining, entry.changed, list(entry.keys))
        for entry in state.machines.values()
    ]
    return Picture(
        state.number,
        state.at,
        state.fleet_changed,
        machines,
        dict(state.held),
        dict(state.answered),
        dict(state.plans),
    )


def pack(picture: Picture) -> bytes:
    """Return a state as bytes: a line of JSON, then values and weights of usages."""
    usages = [u for held in picture.held.values() for u in _usages(held.demand)]
    facts = {
        "format": FORMAT,
        "number": picture.number,
        "at": picture.at,
        "fleet_changed": picture.fleet_changed,
        "machines": [
            [spec.to_dict(), draining, changed, keys]
            for spec, draining, changed, keys in picture.machines
        ],
        "held": list(_slowly([key, *_facts(h)] for key, h in picture.held.items())),
        "plans": picture.plans,
        "answered": [
            [key, digest, [_told(answer) for answer in answers]]
            for key, (digest, answers) in picture.answered.items()
        ],
    }
    text = json.dumps(facts, separators=(",", ":"), allow_nan=False).encode()
    arrays = [u.values for u in usages] + [u.weights for u in usages]
    body = np.concatenate([np.zeros(0), *arrays]).astype("<f8").tobytes()
    return zlib.compress(text + b"\n" + body, 1)


def unpack(settings: Settings, packed: bytes) -> State:
    """Return the state that `pack` was given, not started yet."""
    text, _, body = zlib.decompress(packed).partition(b"\n")
    facts: dict[str, Any] = json.loads(text)
    numbers = np.frombuffer(body, "<f8").astype(np.float64)
    arrays = _Arrays(numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :])
    state = State(settings)
    state.number, state.at = facts["number"], facts["at"]
    state.fleet_changed, state.plans = facts["fleet_changed"], facts["plans"]
    for spec, draining, changed, keys in facts["machines"]:
        machine = MachineSpec.from_dict(spec)
        entry = Entry(machine, keys=dict.fromkeys(keys), draining=draining)
        entry.changed = changed
        state.machines[machine.name] = entry
    for key, *rest in facts["held"]:
        held = _held(rest, arrays)
        state.held[key] = held
        if held.expires is not None:
            state.pods[key] = held.expires
    for key, digest, answers in facts["answered"]:
        state.answered[key] = (digest, tuple(Placed(*answer) for answer in answers))
    return state


def _slowly(items: Iterable[T]) -> Iterator[T]:
    """Pause between slices, so that threads that answer requests come first."""
    for number, item in enumerate(items):
        if number % SLICE == SLICE - 1:
            time.sleep(PAUSE)
        yield item


class _Arrays:
    """Hands out values and weights in the order they were packed."""

    def __init__(self, values: FloatArray, weights: FloatArray) -> None:
        self._values, self._weights, self._at = values, weights, 0

    def take(self, count: int) -> tuple[FloatArray, FloatArray]:
        own = slice(self._at, self._at + count)
        self._at += count
        return self._values[own], self._weights[own]


def _facts(held: Held) -> list[Any]:
    demand: Any = held.granted
    if isinstance(held.demand, Task):
        demand = [
            held.demand.label,
            [
                [resource, len(u.values), u.mean, u.variance, u.observations]
                + [u.request, u.third, u.fourth, u.shared]
                for resource, u in held.demand.usage.items()
            ],
        ]
    asked = None if held.asked is None else str(held.asked)
    where = [held.machine, held.core, held.overload, held.placed_at]
    measured = [held.measured_at, held.feed_error, held.expires]
    return [held.name, held.digest, asked, demand, *where, *measured]


def _held(facts: list[Any], arrays: _Arrays) -> Held:
    name, digest, asked, packed, *rest = facts
    if asked is not None:
        return Held(name, digest, Sla.parse(asked), Sla.parse(packed), *rest)
    label, resources = packed
    usage = {}
    for resource, count, mean, variance, observations, *more in resources:
        values, weights = arrays.take(count)
        usage[resource] = Usage(mean, variance, values, weights, observations, *more)
    return Held(name, digest, None, Task(name, usage, label), *rest)


def _usages(demand: Demand) -> Iterator[Usage]:
    if isinstance(demand, Task):
        yield from demand.usage.values()


def _told(answer: Placed) -> list[Any]:
    return [answer.name, answer.machine, answer.overload, False, answer.granted]
