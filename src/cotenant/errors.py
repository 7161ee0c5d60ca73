"""Every exception of the package.

::

    CotenantError
    ├── InvalidInput (also ValueError)   a value or option that cannot be right
    │   └── SourceNotFound               a usage source that does not exist
    ├── TraceError                       bad or insufficient data, with file and line
    ├── DoesNotFit                       no machine of the fleet takes a task
    └── UnknownTask                      a name that is not placed
"""


class CotenantError(Exception):
    """Root of everything this package raises on purpose."""


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
    """

    def __init__(self, task: str) -> None:
        self.task = task
        super().__init__(f"no task named {task!r} is placed")
