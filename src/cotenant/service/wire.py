"""What goes over the wire: requests with their checks, replies with their statuses."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    model_validator,
)

from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput
from cotenant.quantities import parse_quantity
from cotenant.service.asked import (
    LONGEST_NAME,
    Kind,
    MachineSpec,
    Measured,
    Moments,
    TaskSpec,
)
from cotenant.service.keeping.history import WIDTH_S
from cotenant.service.keeping.timing import Timing

T = TypeVar("T")

MOST_TASKS = 1_000
MOST_MACHINES = 10_000
MOST_SAMPLES = 10_000
LONGEST_TEXT = 1_000
LARGEST = 1e18
SMALLEST = 1e-9
NOTHING = 1e-12
"""Amounts below it are noise of arithmetic and count as 0; powers of them underflow."""


QUANTITY = r"^([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3}|[numkMGTPE]|[KMGTPE]i)?$"
"""For the document only; `parse_quantity` reads it."""

SLA = r"^[0-9]+/[0-9]+(~[0-9]+-[0-9]+)?(:[0-9]+/[0-9]+)?$"


def _quantity(value: object) -> float:
    if isinstance(value, str):
        if len(value) > 40:
            raise ValueError("a quantity has at most 40 characters")
        return parse_quantity(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Larger integers than a float holds have no other way to be refused.
        return float(value) if abs(value) <= LARGEST else float("inf")
    raise ValueError("expected a number or a quantity such as 500m or 64Gi")


def _amount(value: object) -> float:
    amount = _quantity(value)
    return amount if abs(amount) >= NOTHING else 0.0


def _schema(**bound: float) -> WithJsonSchema:
    text = {"type": "string", "maxLength": 40, "pattern": QUANTITY}
    number = {"type": "number", "maximum": LARGEST, **bound}
    return WithJsonSchema({"anyOf": [number, text]})


Amount = Annotated[
    float, Field(ge=0.0, le=LARGEST), BeforeValidator(_amount), _schema(minimum=0.0)
]
Capacity = Annotated[
    float,
    Field(ge=SMALLEST, le=LARGEST),
    BeforeValidator(_quantity),
    _schema(minimum=SMALLEST),
]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Samples = Annotated[list[Amount], Field(min_length=1, max_length=MOST_SAMPLES)]
When = Annotated[float, Field(ge=0.0, le=1e11)]
Step = Annotated[float, Field(ge=1.0, le=3600.0)]
Throttled = Annotated[
    list[Annotated[float, Field(ge=0.0, le=1.0)]],
    Field(min_length=1, max_length=MOST_SAMPLES),
]


class Asked(BaseModel):
    """A request body; keys it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class CapacityIn(Asked):
    """What a machine offers: cores, bytes."""

    cpu: Capacity
    memory: Capacity | None = None

    def amounts(self) -> dict[str, float]:
        """Return it as the core takes it."""
        return self.model_dump(exclude_none=True)


class MachineIn(Asked):
    """A machine to declare."""

    name: Name
    capacity: CapacityIn
    kind: Kind = "usage"

    def spec(self) -> MachineSpec:
        """Return it as the core takes it."""
        return MachineSpec(self.name, self.capacity.amounts(), self.kind)


class ResizeIn(Asked):
    """What a machine offers from now on."""

    capacity: CapacityIn


class MomentsIn(Asked):
    """Usage known by its mean and its variance."""

    mean: Amount
    variance: Annotated[float, Field(ge=0.0, le=LARGEST)] = 0.0

    @model_validator(mode="after")
    def _varies_around_something(self) -> "MomentsIn":
        if self.mean == 0.0 and self.variance > 0.0:
            raise ValueError("usage that varies has a mean above 0")
        return self


class SamplesIn(Asked):
    """Usage known by samples of equal weight."""

    samples: Samples


def _form(value: object) -> str:
    return "samples" if isinstance(value, dict) and "samples" in value else "moments"


MeasuredIn = Annotated[
    Annotated[MomentsIn, Tag("moments")] | Annotated[SamplesIn, Tag("samples")],
    Discriminator(_form),
]


class UsageIn(Asked):
    """Random usage by resource."""

    cpu: MeasuredIn
    memory: MeasuredIn | None = None

    def measured(self) -> dict[str, Measured]:
        """Return it as the core takes it."""
        given = {"cpu": self.cpu, "memory": self.memory}
        return {
            resource: tuple(m.samples)
            if isinstance(m, SamplesIn)
            else Moments(m.mean, m.variance)
            for resource, m in given.items()
            if m is not None
        }


class DemandIn(Asked):
    """What a task needs: random usage, or an SLA such as `1/30:2/5`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"oneOf": [{"required": ["usage"]}, {"required": ["sla"]}]},
    )

    usage: UsageIn | None = None
    sla: Annotated[str, Field(max_length=100, pattern=SLA)] | None = None
    label: Name | None = None

    def spec_of(self, name: str) -> TaskSpec:
        """Return it as the core takes it."""
        usage = {} if self.usage is None else self.usage.measured()
        sla = None if self.sla is None else Sla.parse(self.sla)
        return TaskSpec(name, usage, sla, self.label)


class TaskIn(DemandIn):
    """A task to place."""

    name: Name

    def spec(self) -> TaskSpec:
        """Return it as the core takes it."""
        return self.spec_of(self.name)


class ReadingIn(Asked):
    """Samples that were measured, or why there are none.

    Parameters
    ----------
    start, step
        Seconds since 1970 of the first sample, and seconds from one to the next; by
        default the last one is of now.
    throttled
        For each CPU sample, the share of its time in which the machine held the task
        back.
    """

    cpu: Samples | None = None
    memory: Samples | None = None
    start: When | None = None
    step: Step = WIDTH_S
    throttled: Throttled | None = None
    error: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)] | None = None

    def samples(self) -> dict[str, list[float]]:
        """Return samples by resource.

        Raises
        ------
        InvalidInput
            If there are neither samples nor an error, or both.
        """
        given = {"cpu": self.cpu, "memory": self.memory}
        found = {resource: s for resource, s in given.items() if s is not None}
        if bool(found) == (self.error is not None):
            raise InvalidInput("a reading has samples of cpu or memory, or an error")
        return found

    def timing(self) -> Timing:
        """Return when the samples were taken."""
        return Timing(self.start, self.step, self.throttled)


def _count(value: object) -> str:
    return "many" if isinstance(value, list) else "one"


Machines: TypeAlias = Annotated[
    Annotated[MachineIn, Tag("one")]
    | Annotated[
        list[MachineIn], Field(min_length=1, max_length=MOST_MACHINES), Tag("many")
    ],
    Discriminator(_count),
]
Tasks: TypeAlias = Annotated[
    Annotated[TaskIn, Tag("one")]
    | Annotated[list[TaskIn], Field(min_length=1, max_length=MOST_TASKS), Tag("many")],
    Discriminator(_count),
]


def listed(asked: T | list[T]) -> list[T]:
    """Return a request for one or many as a list."""
    return asked if isinstance(asked, list) else [asked]


def alike(asked: object, answers: Sequence[T]) -> T | list[T]:
    """Return answers in the form of the request: one, or a list."""
    return list(answers) if isinstance(asked, list) else answers[0]
