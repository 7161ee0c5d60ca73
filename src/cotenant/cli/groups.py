"""Options that belong together, as one parameter of a command."""

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any


def grouped(command: Callable[..., int]) -> Callable[..., int]:
    """Let a command take dataclasses of options: each is opened up into its fields.

    The command line shows every field where its group stands among the parameters.
    """
    asked = signature(command).parameters.values()
    groups: dict[str, Any] = {
        p.name: p.annotation for p in asked if is_dataclass(p.annotation)
    }
    flat = [
        one
        for parameter in asked
        for one in _opened(parameter, groups.get(parameter.name))
    ]

    @wraps(command)
    def opened(**given: Any) -> int:
        for name, group in groups.items():
            given[name] = group(**{f.name: given.pop(f.name) for f in fields(group)})
        return command(**given)

    made: Any = opened
    made.__signature__ = signature(command).replace(parameters=flat)
    made.__annotations__ = {one.name: one.annotation for one in flat}
    return opened


def _opened(parameter: Parameter, group: Any) -> list[Parameter]:
    if group is None:
        return [parameter.replace(kind=Parameter.KEYWORD_ONLY)]
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=field.type,
        )
        for field in fields(group)
    ]
