"""Every exception of the package.

::

    CotenantError
    ├── InvalidInput (also ValueError)   a value or option that cannot be right
    │   └── SourceNotFound               a usage source that does not exist
    ├── TraceError                       bad or insufficient data, with file and line
    ├── DoesNotFit                       no machine of the fleet takes a task
    │   └── NothingFits                  the same, with the reason of each machine
    ├── UnknownTask                      a name that is not placed
    ├── UnknownMachine                   a name that is not in the fleet
    ├── UnknownPlan                      a repacking plan that was never proposed
    ├── Conflict                         the name is taken by something else
    │   └── FleetChanged                 a plan was made for a fleet that is no more
    └── ServiceUnavailable               the ledger cannot be written just now
"""

from collections.abc import Iterable, Mapping
from copyreg import __newobj__  # type: ignore[attr-defined]
from difflib import get_close_matches
from typing import Any


class CotenantError(Exception):
    """Root of everything this package raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Comes back from other processes as it was: the constructors below take other
        # arguments than an exception keeps.
        return __newobj__, (type(self), *self.args), self.__dict__


class InvalidInput(CotenantError, ValueError):
    """A value, an option or a combination of options that cannot be right."""


class SourceNotFound(InvalidInput):
    """A file, folder or pattern that names nothing."""


class TraceError(CotenantError):
    """Data that cannot be read, or is too little to decide on.

    Parameters
    ----------
    file
        The file as the user would name it, archive members included.
    problem
        What is wrong and what would be right, one sentence.
    line
        Line number, from 1, where one line is to blame.
    """

    def __init__(self, file: str, problem: str, line: int | None = None) -> None:
        self.file = file
        self.line = line
        self.problem = problem
        where = file if line is None else f"{file} line {line}"
        super().__init__(f"{where}: {problem}")


class DoesNotFit(CotenantError):
    """No machine that is open or may still be opened takes the task.

    Parameters
    ----------
    task
        Name of the task.
    resource
        The resource that refused, for instance ``cpu``.
    reason
        The number and its limit, in words.
    """

    def __init__(self, task: str, resource: str, reason: str) -> None:
        self.task = task
        self.resource = resource
        self.reason = reason
        super().__init__(f"task {task!r} does not fit: {reason}")


class UnknownTask(CotenantError):
    """A task that was never placed, or has left.

    Parameters
    ----------
    task
        The name asked for.
    known
        Names there are, of which the nearest is suggested.
    """

    def __init__(self, task: str, known: Iterable[str] = ()) -> None:
        self.task = task
        by_letters = {name.lower(): name for name in known}
        near = get_close_matches(task.lower(), by_letters, 1)
        hint = f"; did you mean {by_letters[near[0]]!r}?" if near else ""
        super().__init__(f"no task named {task!r} is placed{hint}")


class NothingFits(DoesNotFit):
    """No machine of a fixed fleet takes the task.

    Parameters
    ----------
    task, resource, reason
        As in `DoesNotFit`.
    machines
        The reason of each machine by name, those the rule prefers first; not all of
        them where there are many.
    """

    def __init__(
        self, task: str, resource: str, reason: str, machines: Mapping[str, str]
    ) -> None:
        super().__init__(task, resource, reason)
        self.machines = machines


class UnknownMachine(CotenantError):
    """A machine that was never declared, or has left.

    Parameters
    ----------
    machine
        The name asked for.
    """

    def __init__(self, machine: str) -> None:
        self.machine = machine
        super().__init__(f"no machine named {machine!r} is in the fleet")


class UnknownPlan(CotenantError):
    """A repacking plan that was never proposed, or is long forgotten.

    Parameters
    ----------
    plan
        The id asked for.
    """

    def __init__(self, plan: str) -> None:
        self.plan = plan
        super().__init__(f"no repacking plan has the id {plan!r}")


class Conflict(CotenantError):
    """A name or key that already stands for something else."""


class FleetChanged(Conflict):
    """A plan cannot be applied as it was shown, because what it rests on changed."""


class ServiceUnavailable(CotenantError):
    """The ledger cannot be written, so nothing may be promised; try again later."""
