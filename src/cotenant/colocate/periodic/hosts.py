"""What hosts hold as plain values, and how two placements differ."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from cotenant.colocate.periodic.candidates import asked
from cotenant.demand.sla import Sla


@dataclass(frozen=True, slots=True)
class Held:
    """A task on a host: what was asked and what is given for it."""

    sla: Sla
    offered: Sla


Host: TypeAlias = dict[str, Held]


@dataclass(frozen=True, slots=True)
class Move:
    """One change of a repack.

    Parameters
    ----------
    source, target
        Hosts by number; equal where the task is only rewritten.
    before, after
        What the task was given and is given.
    """

    task: str
    source: int
    target: int
    before: Sla
    after: Sla
    reason: str


def changes(before: Sequence[Host], after: Sequence[Host], reason: str) -> list[Move]:
    """List what differs between two placements of the same tasks, by target host."""
    was = {
        t: (number, h) for number, host in enumerate(before) for t, h in host.items()
    }
    moves = []
    for number, host in enumerate(after):
        for task, held in host.items():
            source, old = was.get(task, (number, held))
            why = reason
            if source != number and not after[source]:
                why = "empties its host"
            elif source == number and held.offered == asked(held.sla):
                why = "there is room for what it asked"
            if (source, old) != (number, held):
                moves.append(Move(task, source, number, old.offered, held.offered, why))
    return moves


def given(host: Host, offered: Sequence[Sla]) -> Host:
    """Return a host with the stand-ins of its tasks exchanged, in their order."""
    pairs = zip(host.items(), offered, strict=True)
    return {task: replace(held, offered=sla) for (task, held), sla in pairs}


def original(host: Host) -> float:
    """Return the utilization that the tasks of a host had asked."""
    return sum(held.sla.utilization for held in host.values())


def matched(before: Sequence[Host], found: list[Host], cores: int) -> list[Host]:
    """Number new machines like the old ones they share most utilization with."""
    machine_of = {t: n // cores for n, host in enumerate(before) for t in host}
    shared: dict[tuple[int, int], float] = {}
    for number, host in enumerate(found):
        for task, held in host.items():
            pair = (number // cores, machine_of[task])
            shared[pair] = shared.get(pair, 0.0) + held.sla.utilization
    place: dict[int, int] = {}
    for (new, old), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if new not in place and old not in place.values():
            place[new] = old
    free = (m for m in range(len(before)) if m not in set(place.values()))
    result: list[Host] = [{} for _ in before]
    for number, host in enumerate(found):
        machine = number // cores
        if machine not in place:
            place[machine] = next(free)
        result[place[machine] * cores + number % cores] = host
    return result
