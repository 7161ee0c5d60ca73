"""A task with what it asks of each resource."""

from collections.abc import Mapping
from dataclasses import dataclass

from cotenant.demand.usage import Usage


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A unit of work that shares a machine.

    Parameters
    ----------
    name
        Unique in a problem.
    usage
        Random usage by resource: `cpu`, and `memory` where it was measured.
    label
        Replicas carry the same label where they must be kept apart.
    """

    name: str
    usage: Mapping[str, Usage]
    label: str | None = None
