"""A state as bytes and back, every float with all its bits."""

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic_core import from_json, to_json

from cotenant.arrays import FloatArray
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.service.answers import Placed
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.believed import from_moments, is_declared
from cotenant.service.keeping import packed as keeping
from cotenant.service.keeping.kept import Kept
from cotenant.service.state import Entry, Held, State

FORMAT = 2
SLICE, PAUSE = 100, 0.002  # tasks, seconds


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
    kept: Kept | None = None

    def with_today(self) -> "Picture":
        """Return a picture that replays the part of today that is over as well."""
        return self if self.kept is None else replace(self, kept=self.kept.with_today())


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
        None if state.kept is None else state.kept.copy(),
    )


def pack(picture: Picture) -> bytes:
    """Return a state as compressed chunks: the fleet first, then a few tasks each.

    A chunk is its length, a line of JSON, and the numbers of its usages, without those
    that follow from declared moments. It takes a
    short pause after each, so that threads that answer requests come first.
    """
    packer = zlib.compressobj(1)
    packed = []
    for chunk in _pieces(picture):
        packed.append(packer.compress(chunk))
        time.sleep(PAUSE)
    return b"".join([*packed, packer.flush()])


def unpack(settings: Settings, packed: bytes) -> State | None:
    """Return the state that `pack` was given, not started yet.

    None if it lacks what these settings need: it was made under another promise.
    """
    chunks = _chunks(zlib.decompress(packed))
    facts, _ = next(chunks)
    state = State(settings)
    state.number, state.at = facts["number"], facts["at"]
    state.fleet_changed, state.plans = facts["fleet_changed"], facts["plans"]
    if state.kept is not None:
        if facts.get("kept") is None:
            return None
        keeping.read_facts(state.kept, facts["kept"])
    for spec, draining, changed, keys in facts["machines"]:
        machine = MachineSpec.from_dict(spec)
        entry = Entry(machine, keys=dict.fromkeys(keys), draining=draining)
        entry.changed = changed
        state.machines[machine.name] = entry
    for facts, arrays in chunks:
        if "history" in facts:
            keeping.unpack(state.kept, facts, arrays.all)
            continue
        for key, digest, answers in facts["answered"]:
            told = tuple(Placed(*answer) for answer in answers)
            state.answered[key] = (digest, told)
        for key, *rest in facts["held"]:
            held = _held(rest, arrays)
            state.held[key] = held
            if held.expires is not None:
                state.pods[key] = held.expires
    return state


def _pieces(picture: Picture) -> Iterator[bytes]:
    fleet = {
        "format": FORMAT,
        "number": picture.number,
        "at": picture.at,
        "fleet_changed": picture.fleet_changed,
        "plans": picture.plans,
        "kept": None if picture.kept is None else keeping.facts_of(picture.kept),
        "machines": [
            [spec.to_dict(), draining, changed, keys]
            for spec, draining, changed, keys in picture.machines
        ],
    }
    yield _chunk(fleet, [])
    answered = list(picture.answered.items())
    for first in range(0, len(answered), SLICE):
        told = [
            [key, digest, [_told(answer) for answer in answers]]
            for key, (digest, answers) in answered[first : first + SLICE]
        ]
        yield _chunk({"answered": told, "held": []}, [])
    held = list(picture.held.items())
    for first in range(0, len(held), SLICE):
        some = held[first : first + SLICE]
        usages: list[Usage] = []
        facts = [[key, *_facts(h, usages)] for key, h in some]
        yield _chunk({"answered": [], "held": facts}, usages)
    if picture.kept is not None:
        for history, numbers in keeping.pieces(picture.kept, SLICE):
            yield _packed(history, numbers)


def _chunk(facts: Any, usages: Sequence[Usage]) -> bytes:
    arrays = [u.values for u in usages] + [u.weights for u in usages]
    return _packed(facts, np.concatenate([np.zeros(0), *arrays]))


def _packed(facts: Any, numbers: FloatArray) -> bytes:
    body = to_json(facts) + b"\n" + numbers.astype("<f8").tobytes()
    return len(body).to_bytes(8, "little") + body


def _chunks(data: bytes) -> Iterator[tuple[Any, "_Arrays"]]:
    at = 0
    while at < len(data):
        end = at + 8 + int.from_bytes(data[at : at + 8], "little")
        text, _, body = data[at + 8 : end].partition(b"\n")
        numbers = np.frombuffer(body, "<f8").astype(np.float64)
        yield from_json(text), _Arrays(numbers)
        at = end


class _Arrays:
    """Hands out values and weights in the order they were packed."""

    def __init__(self, numbers: FloatArray) -> None:
        half = len(numbers) // 2
        self.all = numbers
        self._values, self._weights, self._at = numbers[:half], numbers[half:], 0

    def take(self, count: int) -> tuple[FloatArray, FloatArray]:
        own = slice(self._at, self._at + count)
        self._at += count
        return self._values[own], self._weights[own]


def _facts(held: Held, usages: list[Usage]) -> list[Any]:
    """Return what is held as JSON; usages whose numbers it lacks join a list."""
    demand: Any = held.granted
    if isinstance(held.demand, Task):
        usage = [
            [resource, *_moments(u, usages)]
            for resource, u in held.demand.usage.items()
        ]
        demand = [held.demand.label, usage]
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
    for resource, count, mean, variance, *more in resources:
        if count is None:
            usage[resource] = from_moments(mean, variance)
        else:
            usage[resource] = Usage(mean, variance, *arrays.take(count), *more)
    return Held(name, digest, None, Task(name, usage, label), *rest)


def _moments(usage: Usage, usages: list[Usage]) -> list[Any]:
    """Return all of a usage but its values; None for their number if it is declared."""
    if is_declared(usage):
        return [None, usage.mean, usage.variance]
    usages.append(usage)
    return [
        *(len(usage.values), usage.mean, usage.variance, usage.observations),
        *(usage.request, usage.third, usage.fourth, usage.shared),
    ]


def _told(answer: Placed) -> list[Any]:
    return [answer.name, answer.machine, answer.overload, False, answer.granted]
