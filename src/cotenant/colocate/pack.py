"""Packs a list of tasks: the placer run once over all of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from cotenant.arrays import IntArray
from cotenant.colocate import RULES
from cotenant.colocate.admission import ExplainedAdmission, Verdict
from cotenant.colocate.bandwidth import skewness
from cotenant.colocate.joint import (
    CountAdmission,
    GroupAdmission,
    JointAdmission,
    ResourceAdmission,
    SpreadAdmission,
)
from cotenant.colocate.methods import make_admission, parse_method
from cotenant.colocate.placer import Placer
from cotenant.colocate.rebalance import rebalance
from cotenant.colocate.sized import SizedAdmission, maximum_sizes
from cotenant.colocate.summed import check_rho
from cotenant.colocate.supply import Supply
from cotenant.demand.task import Task
from cotenant.demand.usage import Usage
from cotenant.errors import DoesNotFit, InvalidInput
from cotenant.fleet import Fleet, Machine

REFUSALS = 3


@dataclass(frozen=True, slots=True)
class Policy:
    """How tasks are packed.

    Parameters
    ----------
    method
        Admission test of CPU by name, such as ``exact`` or ``mean:1.25``.
    rule
        Which fitting machine takes a task: a name in `RULES`.
    rho
        Largest accepted overload probability of a machine, in (0, 1).
    order
        Order in which tasks arrive: a name in `ORDERS`.
    rebalance
        Whether to fill the last machine from the others afterwards.
    max_tasks
        Most tasks on a machine; None for no limit.
    seed
        For the random order.
    slots
        Time-of-day slots in which tasks are independent; 1 for none.
    groups
        Tasks are parted into this many groups of like ratio of effective bandwidth to
        mean, of equal load, and each group has machines of its own; 1 for none.
    """

    method: str = "exact"
    rule: str = "best-fit"
    rho: float = 0.01
    order: str = "arrival"
    rebalance: bool = False
    max_tasks: int | None = None
    seed: int = 0
    slots: int = 1
    groups: int = 1

    def __post_init__(self) -> None:
        check_rho(self.rho)
        row, _ = parse_method(self.method)
        if self.slots > 1 and not row.slotted:
            raise InvalidInput(f"method {self.method} knows no time-of-day slots")
        if self.rule not in RULES:
            known = " or ".join(RULES)
            raise InvalidInput(f"rule is {self.rule!r}; expected {known}")
        if self.order not in ORDERS:
            known = ", ".join(ORDERS)
            raise InvalidInput(f"order is {self.order!r}; expected one of {known}")
        if self.max_tasks is not None and self.max_tasks < 1:
            raise InvalidInput(f"max tasks is {self.max_tasks}; expected 1 or more")
        for name in ("slots", "groups"):
            if getattr(self, name) < 1:
                value = getattr(self, name)
                raise InvalidInput(f"{name} is {value}; expected 1 or more")


@dataclass(frozen=True, slots=True)
class Choice:
    """How one task was placed: the verdict where it went, and who refused it."""

    verdict: Verdict
    opened: bool
    refused: tuple[tuple[int, Verdict], ...]


@dataclass(slots=True)
class Packing:
    """A finished packing.

    Parameters
    ----------
    machines
        In the order they were opened.
    tasks
        The tasks of each machine, in the order they joined.
    unplaced
        Tasks no machine took, with the reason.
    choices
        By task, when they were asked for.
    moved
        Tasks that rebalancing moved.
    """

    machines: list[Machine]
    tasks: list[list[Task]]
    unplaced: list[DoesNotFit]
    choices: dict[str, Choice] = field(default_factory=dict)
    moved: set[str] = field(default_factory=set)


def pack(
    tasks: Sequence[Task],
    fleet: Fleet,
    policy: Policy,
    *,
    explain: bool = False,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Packing:
    """Place every task, opening machines of the fleet as needed.

    Tasks that no machine takes alone are listed and the rest is placed. Memory, where
    the fleet offers it, is a second resource: the largest usages seen must add up to at
    most capacity.

    Parameters
    ----------
    explain
        Whether to keep for each task the verdicts that decided.
    advance
        Called with tasks done and tasks in all.

    Raises
    ------
    InvalidInput
        If the method needs what the tasks do not have.
    """

    def empty() -> ExplainedAdmission[Task, Machine]:
        return _admission(tasks, fleet, policy)

    supply, admission = Supply(fleet, empty), empty()
    placer = Placer(admission, supply.open, RULES[policy.rule])
    packing = Packing(placer.machines, [], [])
    ordered = ORDERS[policy.order](tasks, policy, _typical(fleet))
    where = None if explain else _at_once(ordered, admission, supply, policy)
    if where is not None:
        packing.unplaced = placer.fill({task.name: task for task in ordered}, where)
        advance(len(tasks), len(tasks))
        ordered = []
    for number, task in enumerate(ordered):
        chosen = placer.choose(task) if explain else None
        refused = _refused(placer, task, chosen) if explain else ()
        verdict = None if chosen is None else placer.verdict(chosen, task)
        try:
            placed = placer.place(task.name, task)
        except DoesNotFit as refusal:
            packing.unplaced.append(refusal)
        else:
            if explain:
                alone = supply.verdict(placer.machines[placed.machine], task)
                choice = Choice(verdict or alone, verdict is None, refused)
                packing.choices[task.name] = choice
        advance(number + 1, len(tasks))
    if policy.rebalance:
        packing.moved = {task for task, _ in rebalance(placer)}
    numbers = range(len(placer.machines))
    packing.tasks = [list(placer.tasks(machine).values()) for machine in numbers]
    return packing


def _at_once(
    tasks: Sequence[Task],
    admission: ExplainedAdmission[Task, Machine],
    supply: Supply[Task],
    policy: Policy,
) -> IntArray | None:
    """Return the machines of tasks packed in one go, None if that cannot be."""
    distinct = len({task.name for task in tasks}) == len(tasks)
    if supply.only is None or not distinct or not tasks:
        return None
    if not (isinstance(admission, ResourceAdmission) and admission.runs):
        return None
    return admission.run(tasks, RULES[policy.rule], supply.only)


def _admission(
    tasks: Sequence[Task], fleet: Fleet, policy: Policy
) -> ExplainedAdmission[Task, Machine]:
    test = make_admission(
        policy.method,
        policy.rho,
        slots=policy.slots,
        population=_cpu(tasks),
        capacity=_typical(fleet),
    )
    parts: list[ExplainedAdmission[Task, Machine]] = [ResourceAdmission("cpu", test)]
    if all("memory" in kind.capacity for kind in fleet.types):
        size = SizedAdmission(maximum_sizes, "maxima")
        parts.append(ResourceAdmission("memory", size))
    if policy.max_tasks is not None:
        parts.append(CountAdmission(policy.max_tasks))
    if any(task.label is not None for task in tasks):
        parts.append(SpreadAdmission())
    if policy.groups > 1:
        parts.append(GroupAdmission(groups(tasks, policy, _typical(fleet))))
    return JointAdmission(parts) if len(parts) > 1 else parts[0]


def groups(tasks: Sequence[Task], policy: Policy, capacity: float) -> dict[str, int]:
    """Part tasks into groups of equal load, from the wildest to the steadiest.

    Returns the group of each task, from 1 to `policy.groups`, by its ratio of effective
    bandwidth to mean.
    """
    ratio = skewness(_cpu(tasks), capacity, policy.rho)
    order = np.argsort(-ratio, kind="stable")
    load = np.cumsum([tasks[i].usage["cpu"].mean for i in order])
    share = load / (load[-1] or 1.0) if len(load) else load
    group = np.clip(np.ceil(share * policy.groups), 1, policy.groups)
    return {tasks[i].name: int(g) for i, g in zip(order, group, strict=True)}


def _cpu(tasks: Sequence[Task]) -> list[Usage]:
    return [task.usage["cpu"] for task in tasks]


def _typical(fleet: Fleet) -> float:
    return fleet.usable()[0][0].capacity["cpu"]


def _refused(
    placer: Placer[Task, Machine], task: Task, chosen: int | None
) -> tuple[tuple[int, Verdict], ...]:
    machines = placer.refusals(task, chosen, REFUSALS)
    return tuple((machine, placer.verdict(machine, task)) for machine in machines)


def _shuffled(tasks: Sequence[Task], policy: Policy, _capacity: float) -> list[Task]:
    order = np.random.default_rng(policy.seed).permutation(len(tasks))
    return [tasks[i] for i in order]


def _steadiest(tasks: Sequence[Task], policy: Policy, capacity: float) -> list[Task]:
    ratio = skewness(_cpu(tasks), capacity, policy.rho)
    return [tasks[i] for i in np.argsort(ratio, kind="stable")]


# Sorts are stable: equal tasks keep the order they arrived in. `steadiest` is by
# effective bandwidth over mean: like tasks then share machines, without groups.
ORDERS: dict[str, Callable[[Sequence[Task], Policy, float], list[Task]]] = {
    "arrival": lambda tasks, *_: list(tasks),
    "random": _shuffled,
    "largest-mean": lambda tasks, *_: sorted(tasks, key=lambda t: -t.usage["cpu"].mean),
    "largest-variance": lambda tasks, *_: sorted(
        tasks, key=lambda t: -t.usage["cpu"].variance
    ),
    "steadiest": _steadiest,
}
