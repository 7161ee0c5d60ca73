"""Short ways to ask, and the promise judged from scratch."""

import numpy as np

from cotenant.colocate.exact import ExactAdmission
from cotenant.demand.sla import Sla
from cotenant.demand.task import Task
from cotenant.service.applying import apply
from cotenant.service.asked import MachineSpec, Moments, Settings, TaskSpec
from cotenant.service.core import Placement
from cotenant.service.ledger import Ledger
from cotenant.service.state import State

SETTINGS = Settings(rho=0.01)


def machine(name: str, cpu: float = 1.0, **more: float) -> MachineSpec:
    return MachineSpec(name, {"cpu": cpu, **more})


def hosts(name: str, cores: float = 1.0) -> MachineSpec:
    return MachineSpec(name, {"cpu": cores}, "sla")


def task(name: str, mean: float = 0.1, variance: float = 0.01) -> TaskSpec:
    return TaskSpec(name, {"cpu": Moments(mean, variance)})


def sampled(name: str, *samples: float, label: str | None = None) -> TaskSpec:
    return TaskSpec(name, {"cpu": tuple(samples)}, label=label)


def promised(name: str, sla: str) -> TaskSpec:
    return TaskSpec(name, sla=Sla.parse(sla))


def fleet(placement: Placement, count: int, cpu: float = 1.0) -> None:
    placement.add_machines([machine(f"m{i}", cpu) for i in range(count)]).result()


def state_of(database: str, settings: Settings = SETTINGS) -> State:
    """Read a ledger from its first event, without its snapshots."""
    ledger = Ledger(database)
    state = State(settings)
    for event in ledger.read(0):
        assert event.number == state.number + 1
        if event.kind == "placed":
            assert event.data["task"]["name"] not in state.held, "placed twice"
        apply(state, event.number, event.at, event.kind, event.data)
    ledger.close()
    return state.start()


def check_books(state: State) -> None:
    """Every task is on one machine; no machine is above its promise."""
    on = [key for entry in state.machines.values() for key in entry.keys]
    assert sorted(on) == sorted(state.held)
    for name, entry in state.machines.items():
        if entry.spec.kind != "usage":
            continue
        judge = ExactAdmission(state.settings.rho)
        judge.grow(entry.spec.capacity["cpu"])
        for key in entry.keys:
            assert state.held[key].machine == name
            demand = state.held[key].demand
            assert isinstance(demand, Task)
            judge.add(0, demand.usage["cpu"])
        assert judge.overload(0) <= state.settings.rho * (1 + 1e-9)


def random_tasks(count: int, seed: int, name: str = "t") -> list[TaskSpec]:
    random = np.random.default_rng(seed)
    return [
        sampled(f"{name}{i}", *random.gamma(2.0, random.uniform(0.01, 0.08), 12))
        for i in range(count)
    ]
