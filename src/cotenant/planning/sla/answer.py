"""Hosts as numbers and values turned into machines with names."""

from collections.abc import Sequence

from cotenant.colocate.periodic.hosts import Host, Move
from cotenant.planning.sla.results import PlacedSla, SlaCore, SlaMachine, SlaMove


def machines(hosts: Sequence[Host], cores: int) -> int:
    """Count machines with at least one task."""
    return len({number // cores for number, host in enumerate(hosts) if host})


def as_machines(hosts: Sequence[Host], cores: int) -> tuple[SlaMachine, ...]:
    """Return machines with at least one task, by number."""
    found: dict[int, list[SlaCore]] = {}
    for number, host in enumerate(hosts):
        if host:
            found.setdefault(number // cores, []).append(_as_core(number % cores, host))
    return tuple(
        SlaMachine(_machine_name(machine), tuple(own)) for machine, own in found.items()
    )


def _as_core(core: int, host: Host) -> SlaCore:
    return SlaCore(
        core=core,
        tasks=tuple(
            PlacedSla(task, str(held.sla), str(held.offered))
            for task, held in host.items()
        ),
        utilization=sum(held.offered.utilization for held in host.values()),
        asked_utilization=sum(held.sla.utilization for held in host.values()),
    )


def as_move(move: Move, cores: int) -> SlaMove:
    """Return a change with the names of its hosts."""
    return SlaMove(
        move.task,
        _host_name(move.source, cores),
        _host_name(move.target, cores),
        str(move.before),
        str(move.after),
        move.reason,
    )


def _machine_name(machine: int) -> str:
    return f"m-{machine + 1:04d}"


def _host_name(number: int, cores: int) -> str:
    machine, core = divmod(number, cores)
    return _machine_name(machine) + (f" core {core}" if cores > 1 else "")
