"""The repair of a night: relieve machines that fail, empty a few that hold little."""

import math
from dataclasses import dataclass, field

from cotenant.arrays import BoolArray, FloatArray
from cotenant.service.keeping import shift as on
from cotenant.service.keeping.shift import Shift
from cotenant.service.state import Held, State
from cotenant.service.words import percent

EMPTIED = 0.05
"""Share of the machines in use, the emptiest ones, that a night tries to empty."""


@dataclass(slots=True)
class Repair:
    """Moves on a state whose margin is the one in force from now on."""

    state: State
    margin: float
    _from: dict[str, str] = field(default_factory=dict)
    _why: dict[str, str] = field(default_factory=dict)

    def run(self) -> list[Shift]:
        """Repair, then empty; return where each task that moved went, and why."""
        self._relieve()
        self._empty()
        held = self.state.held
        return [
            Shift(task, source, held[task].machine, self._why[task])
            for task, source in self._from.items()
            if held[task].machine != source
        ]

    def _relieve(self) -> None:
        """Take tasks off machines that fail with half the margin, and place them anew.

        Machines that stay within it are left alone although the whole margin might move
        something: what would move tonight might move back tomorrow.
        """
        state, side = self.state, on.side_of(self.state)
        keep = 1.0 + (self.margin - 1.0) / 2.0
        out: list[tuple[float, Held]] = []
        for name, host in on.machines(state).items():
            if side.keeps(host, keep):
                continue
            above = percent(float(side.above(host, keep).mean()))
            room = "" if keep == 1.0 else f" with margin {keep:.3g}"
            why = f"{name} would have been over capacity {above} of the "
            why += f"replayed days{room}, of {percent(state.settings.rho)}"
            while not side.keeps(host, self.margin):
                there = on.tasks(state, name)
                if len(there) < 2:
                    break
                task = self._heaviest(there, side.above(host, self.margin))
                mean = float(self._series(task).mean())
                out.append((mean, state.take(task)))
                self._note(task, name, why)
        for _, held in sorted(out, key=lambda pair: -pair[0]):
            source = self._from[held.name]
            target = on.choose(state, held, {source})
            on.place(state, held, target or source)

    def _empty(self) -> None:
        """Empty the machines that hold least, where all they hold fits on others."""
        state, side = self.state, on.side_of(self.state)
        used = {n: h for n, h in on.machines(state).items() if state.machines[n].keys}
        by_load = sorted(
            used, key=lambda name: side.load(range(used[name], used[name] + 1))
        )
        for name in by_load[: math.ceil(EMPTIED * len(used))]:
            there = on.tasks(state, name)
            if len(there) < len(state.machines[name].keys):
                continue
            load = side.load(range(used[name], used[name] + 1))
            before = {task: state.held[task] for task in there}
            targets = used.keys() - {name}
            if not self._all_elsewhere(there, targets):
                # All leave and come back, so that the order is what it was.
                for task in there:
                    state.take(task)
                for task in there:
                    on.place(state, before[task], name)
                continue
            del used[name]
            count = (
                "its task fits" if len(there) == 1 else f"its {len(there)} tasks fit"
            )
            for task in there:
                why = f"empties {name}: at {percent(load)} load {count} elsewhere"
                self._note(task, name, why)

    def _all_elsewhere(self, there: list[str], targets: set[str]) -> bool:
        state = self.state
        for task in sorted(there, key=lambda task: -self._series(task).mean()):
            target = on.choose(state, state.held[task], (), targets)
            if target is None:
                return False
            on.place(state, state.take(task), target)
        return True

    def _heaviest(self, there: list[str], above: BoolArray) -> str:
        return max(there, key=lambda task: float(self._series(task)[above].mean()))

    def _series(self, task: str) -> FloatArray:
        kept = self.state.kept
        assert kept is not None
        return kept.series(on.demand_of(self.state.held[task]))

    def _note(self, task: str, source: str, why: str) -> None:
        self._from.setdefault(task, source)
        self._why[task] = why
