"""A state as bytes and back."""

import time
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic_core import from_json, to_json

from cotenant.arrays import FloatArray
from cotenant.service.answers import Placed
from cotenant.service.asked import MachineSpec, Settings
from cotenant.service.columns import Numbers, from_columns, to_columns
from cotenant.service.keeping import packed as keeping
from cotenant.service.picture import Picture
from cotenant.service.state import Entry, State

FORMAT = 3
SLICE, PAUSE = 100, 0.002  # tasks, seconds


def pack(picture: Picture) -> bytes:
    """Return a state as compressed chunks: the fleet first, then a few tasks each.

    A chunk is its length, a line of JSON, and numbers. It takes a short pause after
    each, so that threads that answer requests come first.
    """
    packer = zlib.compressobj(1)
    packed = []
    for facts, numbers in _pieces(picture):
        body = to_json(facts) + b"\n" + numbers.astype("<f8").tobytes()
        packed.append(packer.compress(len(body).to_bytes(8, "little") + body))
        time.sleep(PAUSE)
    return b"".join([*packed, packer.flush()])


def unpack(settings: Settings, packed: bytes) -> State | None:
    """Return the state that `pack` was given, not started yet.

    None if it is of another format, or lacks what these settings need since it was made
    under another promise.
    """
    chunks = _chunks(zlib.decompress(packed))
    facts, _ = next(chunks)
    if facts["format"] != FORMAT:
        return None
    state = State(settings)
    state.number, state.at = facts["number"], facts["at"]
    state.fleet_changed, state.plans = facts["fleet_changed"], facts["plans"]
    if state.kept is not None:
        if facts["kept"] is None:
            return None
        keeping.read_facts(state.kept, facts["kept"])
    for spec, draining, changed, keys in facts["machines"]:
        machine = MachineSpec.from_dict(spec)
        entry = Entry(machine, keys=dict.fromkeys(keys), draining=draining)
        entry.changed = changed
        state.machines[machine.name] = entry
    for facts, numbers in chunks:
        _take_in(state, facts, numbers)
    return state


def _take_in(state: State, facts: dict[str, Any], numbers: FloatArray) -> None:
    if "history" in facts:
        keeping.unpack(state.kept, facts, numbers)
    elif "answered" in facts:
        for key, digest, answers in facts["answered"]:
            told = tuple(Placed(*answer) for answer in answers)
            state.answered[key] = (digest, told)
    else:
        for key, held in from_columns(facts, Numbers(numbers)):
            state.held[key] = held
            if held.expires is not None:
                state.pods[key] = held.expires


def _pieces(picture: Picture) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    nothing = np.zeros(0)
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
    yield fleet, nothing
    answered = list(picture.answered.items())
    for first in range(0, len(answered), SLICE):
        told = [
            [key, digest, [_told(answer) for answer in answers]]
            for key, (digest, answers) in answered[first : first + SLICE]
        ]
        yield {"answered": told}, nothing
    held, known = list(picture.held.items()), set[float]()
    for first in range(0, len(held), SLICE):
        yield to_columns(held[first : first + SLICE], known)
    if picture.kept is not None:
        yield from keeping.pieces(picture.kept, SLICE)


def _chunks(data: bytes) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    at = 0
    while at < len(data):
        end = at + 8 + int.from_bytes(data[at : at + 8], "little")
        text, _, body = data[at + 8 : end].partition(b"\n")
        yield from_json(text), np.frombuffer(body, "<f8").astype(np.float64)
        at = end


def _told(answer: Placed) -> list[Any]:
    return [answer.name, answer.machine, answer.overload, False, answer.granted]
