"""A plan read back from its JSON, and what `explain` says of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from cotenant.errors import InvalidInput, SourceNotFound, TraceError, UnknownTask
from cotenant.planning.results import API_VERSION

PARTS = ("settings", "summary", "machines", "unplaced", "decisions")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What `explain` answers about a task or a machine."""

    about: Literal["task", "machine"]
    name: str
    sentences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `cotenant explain -o json`."""
        return {
            "apiVersion": API_VERSION,
            "kind": "Explanation",
            self.about: self.name,
            "sentences": list(self.sentences),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row a sentence."""
        return pl.DataFrame({"sentence": list(self.sentences)})


class SavedPlan:
    """A plan file: its machines and why each task is where it is.

    Parameters
    ----------
    content
        The JSON of `cotenant plan -o json`.
    file
        Its name, for errors.

    Raises
    ------
    TraceError
        If the content is not a plan.
    """

    def __init__(self, content: Mapping[str, Any], file: str = "plan") -> None:
        missing = [part for part in PARTS if part not in content]
        if content.get("kind") != "Plan" or missing:
            raise TraceError(
                file, "is not a plan; expected what `cotenant plan -o json` writes"
            )
        self.file = file
        try:
            self._take(content)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TraceError(
                file, f"is a damaged plan ({type(error).__name__}: {error}); plan again"
            ) from error

    def _take(self, content: Mapping[str, Any]) -> None:
        self.rho = float(content["settings"]["rho"])
        self.rule = str(content["settings"]["rule"])
        self.settings: Mapping[str, Any] = content["settings"]
        self.unit = str(content["settings"].get("unit", ""))
        self.machines: list[dict[str, Any]] = content["machines"]
        self._unplaced = {u["task"]: u for u in content["unplaced"]}
        self._decisions = {d["task"]: d for d in content["decisions"]}
        names = [str(m["machine"]) for m in self.machines]
        tasks = [task for m in self.machines for task in m["tasks"]]
        if not 0.0 < self.rho < 1.0:
            raise ValueError(f"rho is {self.rho}")
        if len(set(names)) < len(names) or len(set(tasks)) < len(tasks):
            raise ValueError("a machine or a task is in it twice")
        if any(not isinstance(m["tasks"], list) for m in self.machines):
            raise ValueError("tasks of a machine are no list")
        if any(not capacity > 0 for capacity in self.capacities()):
            raise ValueError("a capacity is not above 0")

    @classmethod
    def read(cls, path: str) -> "SavedPlan":
        """Read a plan file.

        Raises
        ------
        SourceNotFound
            If there is no such file.
        TraceError
            If it is not the JSON of a plan.
        """
        file = Path(path)
        if not file.is_file():
            raise SourceNotFound(f"{path} does not exist; expected a plan's JSON file")
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            line = getattr(error, "lineno", None)
            problem = "is not JSON; expected what `cotenant plan -o json` writes"
            raise TraceError(path, problem, line) from error
        return cls(content if isinstance(content, dict) else {}, path)

    def capacities(self) -> list[float]:
        """Return the CPU capacity of each machine, in the order of the plan."""
        return [float(m["capacity"]["cpu"]) for m in self.machines]

    def machine_of(self) -> dict[str, int]:
        """Return the number of the machine of each task, from 0."""
        return {
            task: number
            for number, m in enumerate(self.machines)
            for task in m["tasks"]
        }

    def why_task(self, task: str) -> list[str]:
        """Say in sentences why a task is where it is, or why it is nowhere.

        Raises
        ------
        UnknownTask
            If the plan does not know it.
        """
        if task in self._unplaced:
            refusal = self._unplaced[task]
            return [f"{task} is on no machine: it {refusal['reason']}."]
        decision = self._decisions.get(task)
        if decision is None:
            raise UnknownTask(task, self._decisions)
        lines = [self._because(task, decision)]
        lines += [
            f"{refused['machine']} would reach {refused['reason']}."
            for refused in decision["refused"]
        ]
        unit = " cores" if self.unit == "cores" else ""
        lines.append(
            f"It needs {decision['mean']:.3g}{unit} on average and "
            f"{decision['high']:.3g}{unit} at its 99.9th percentile, "
            f"known by {decision['observations']:,} samples."
        )
        return lines

    def _because(self, task: str, decision: Mapping[str, Any]) -> str:
        machine, reach = decision["machine"], decision["reach"]
        if decision["moved"]:
            return (
                f"{task} is on {machine} because rebalancing moved it there; "
                f"where it was placed first it reached {reach}."
            )
        if decision["opened"]:
            return (
                f"{task} is on {machine}, which was opened for it: no open machine had "
                f"room. Alone there it reaches {reach}."
            )
        picked = "fullest" if self.rule == "best-fit" else "lowest-numbered"
        return (
            f"{task} is on {machine} because it is the {picked} machine where "
            f"{reach} holds."
        )

    def why_machine(self, name: str) -> list[str]:
        """Say in sentences what a machine holds and how full it is.

        Raises
        ------
        InvalidInput
            If the plan has no such machine.
        """
        machine = next((m for m in self.machines if m["machine"] == name), None)
        if machine is None:
            known = f"{self.machines[0]['machine']} to {self.machines[-1]['machine']}"
            raise InvalidInput(f"no machine is named {name!r}; the plan has {known}")
        lines = [
            f"{name} holds {len(machine['tasks']):,} task(s) and is over its CPU "
            f"capacity {machine['overload']:.3%} of the time (limit {self.rho:.3%})."
        ]
        lines += [
            f"{resource}: {machine['mean'].get(resource, 0.0):.4g} of {capacity:.4g} "
            "on average."
            for resource, capacity in machine["capacity"].items()
        ]
        heavy = sorted(machine["tasks"], key=lambda t: -self._decisions[t]["mean"])
        lines += [
            f"{task}: {self._decisions[task]['mean']:.3g} on average, "
            f"{self._decisions[task]['high']:.3g} at its 99.9th percentile."
            for task in heavy
        ]
        return lines
