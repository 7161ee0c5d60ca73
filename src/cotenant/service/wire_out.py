"""What goes back over the wire, as the OpenAPI document says it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

TAGS = {"one", "many", "moments", "samples", "body"}
"""Parts of a place in a request that pydantic adds and nobody sent."""


class PlacedOut(BaseModel):
    """Where a task is."""

    name: str
    machine: str
    overload: float | None
    granted: str | None = None


class ReleasedOut(BaseModel):
    """A task that left, and the machine it was on."""

    name: str
    machine: str


class MeasuredOut(BaseModel):
    """What a reading changed."""

    name: str
    machine: str
    overload: float | None
    usage: Mapping[str, Mapping[str, float]]
    measured_at: float | None
    feed_error: str | None


class MoveOut(BaseModel):
    """A move of a plan."""

    model_config = ConfigDict(populate_by_name=True)

    task: str
    from_: Annotated[str, Field(alias="from")]
    to: str
    cost: float
    gain: float
    unit: Literal["overload", "machines"]
    reason: str


class PlanOut(BaseModel):
    """Moves that were worked out."""

    id: str
    version: int
    moves: list[MoveOut]
    cost: float
    before: Mapping[str, float]
    after: Mapping[str, float]


class Problem(BaseModel):
    """Why a request was refused.

    Parameters
    ----------
    error
        A word for programs.
    reason
        A sentence for people.
    task, resource, machines
        With status 422: what did not fit, what refused it, and each machine's reason.
    """

    error: str
    reason: str
    task: str | None = None
    resource: str | None = None
    machines: Mapping[str, str] | None = None


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of refusals."""
    return {status: {"model": Problem} for status in statuses}


REFUSALS = problems(400, 401, 403, 408, 413, 415, 429)
"""What any request may end in."""


def sentence(errors: Sequence[Mapping[str, Any]]) -> str:
    """Say what is malformed, without repeating what was sent.

    Parameters
    ----------
    errors
        As pydantic lists them.
    """
    first = errors[0]
    path = ".".join(
        str(part) if len(str(part)) <= 40 else f"{str(part)[:20]}..."
        for part in first["loc"]
        if part not in TAGS
    )
    more = f" (and {len(errors) - 1:,} more)" if len(errors) > 1 else ""
    what = str(first["msg"]).removeprefix("Value error, ")[:300]
    return f"{path or 'the request'}: {what}{more}"
