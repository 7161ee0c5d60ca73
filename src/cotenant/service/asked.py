"""What callers ask of the service: machines, tasks, and how it is set up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from cotenant.colocate import RULES
from cotenant.colocate.methods import make_admission
from cotenant.colocate.periodic.host_tests import host_test
from cotenant.demand.sla import Sla
from cotenant.errors import InvalidInput

Kind: TypeAlias = Literal["usage", "sla"]
KINDS: tuple[Kind, ...] = ("usage", "sla")
RESOURCES = ("cpu", "memory")
MOST_CORES = 1024
PROMISES = ("history", "tomorrow")


@dataclass(frozen=True, slots=True)
class Moments:
    """A usage known by its moments only; neither is negative or infinite."""

    mean: float
    variance: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mean", "variance"):
            value = getattr(self, name)
            if not 0.0 <= value < float("inf"):
                raise InvalidInput(f"usage {name} is {value}; expected 0 or more")
        if self.mean == 0.0 and self.variance > 0.0:
            raise InvalidInput(
                f"usage mean is 0 and variance {self.variance}; usage is never "
                "negative, so expected variance 0"
            )


Measured: TypeAlias = Moments | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MachineSpec:
    """A machine the operator declares.

    Parameters
    ----------
    name
        Unique; 1 to 253 characters.
    capacity
        By resource, `cpu` at least, all above 0 and finite. A resource that is left out
        is not limited. For kind `sla` `cpu` is a whole number of cores.
    kind
        Which tasks it takes: those with random usage, or those with an SLA.

    Raises
    ------
    InvalidInput
        If a value is outside its range.
    """

    name: str
    capacity: Mapping[str, float]
    kind: Kind = "usage"

    def __post_init__(self) -> None:
        check_name("machine", self.name)
        if self.kind not in KINDS:
            raise InvalidInput(
                f"machine {self.name!r} has kind {self.kind!r}; expected usage or sla"
            )
        known = RESOURCES if self.kind == "usage" else ("cpu",)
        for resource, value in self.capacity.items():
            if resource not in known:
                raise InvalidInput(
                    f"machine {self.name!r} has resource {resource!r}; "
                    f"expected {' or '.join(known)}"
                )
            if not 0 < value < float("inf"):
                raise InvalidInput(
                    f"machine {self.name!r} has {resource} = {value}; expected above 0"
                )
        if "cpu" not in self.capacity:
            raise InvalidInput(f"machine {self.name!r} has no cpu capacity")
        cores = self.capacity["cpu"]
        if self.kind == "sla" and (cores != int(cores) or cores > MOST_CORES):
            raise InvalidInput(
                f"machine {self.name!r} has cpu = {cores}; "
                f"expected whole cores, 1 to {MOST_CORES}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "kind": self.kind,
            "capacity": dict(self.capacity),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "MachineSpec":
        """Read the JSON form back."""
        return cls(data["name"], dict(data["capacity"]), data["kind"])


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A task somebody wants placed: random usage, or an SLA, never both.

    Parameters
    ----------
    name
        Unique; 1 to 253 characters.
    usage
        By resource, `cpu` at least: moments, or samples of equal weight.
    sla
        What is promised instead.
    label
        Tasks of one label are kept on different machines.

    Raises
    ------
    InvalidInput
        If a value is outside its range.
    """

    name: str
    usage: Mapping[str, Measured] = field(default_factory=dict)
    sla: Sla | None = None
    label: str | None = None

    def __post_init__(self) -> None:
        check_name("task", self.name)
        if (self.sla is None) == (not self.usage):
            raise InvalidInput(
                f"task {self.name!r} needs either usage or an sla, not both"
            )
        if self.sla is None and "cpu" not in self.usage:
            raise InvalidInput(f"task {self.name!r} has no cpu usage")
        for resource, measured in self.usage.items():
            if resource not in RESOURCES:
                raise InvalidInput(
                    f"task {self.name!r} uses {resource!r}; "
                    f"expected {' or '.join(RESOURCES)}"
                )
            if not isinstance(measured, Moments):
                check_samples(self.name, resource, measured)
        if self.label is not None:
            check_name("label", self.label)

    @property
    def kind(self) -> Kind:
        """The kind of machine that takes it."""
        return "usage" if self.sla is None else "sla"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, the same for equal demands."""
        found: dict[str, Any] = {"name": self.name}
        if self.sla is not None:
            found["sla"] = str(self.sla)
        else:
            found["usage"] = {
                resource: {"mean": m.mean, "variance": m.variance}
                if isinstance(m, Moments)
                else {"samples": list(m)}
                for resource, m in sorted(self.usage.items())
            }
        if self.label is not None:
            found["label"] = self.label
        return found

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "TaskSpec":
        """Read the JSON form back."""
        usage: dict[str, Measured] = {
            resource: tuple(m["samples"])
            if "samples" in m
            else Moments(m["mean"], m["variance"])
            for resource, m in data.get("usage", {}).items()
        }
        sla = Sla.parse(data["sla"]) if "sla" in data else None
        return cls(data["name"], usage, sla, data.get("label"))


@dataclass(frozen=True, slots=True)
class Settings:
    """How the service decides.

    Parameters
    ----------
    rho
        Largest accepted probability that a machine is overloaded, in (0, 1).
    method, rule
        As in `plan`; method and rho are for machines of kind `usage`.
    test
        Host test for machines of kind `sla`.
    stale_after
        Seconds after which a usage that was measured once and is no longer is stale.
    reserve_for
        Seconds a reservation lasts unless it is confirmed.
    promise
        What usage is taken for: `history`, as it was measured; `tomorrow`, as it may
        drift from the days before, see `keeping`.
    conservative
        With `tomorrow`: the largest margin that any of the last seven days needed.
    """

    rho: float = 0.01
    method: str = "exact"
    rule: str = "best-fit"
    test: str = "response-time"
    stale_after: float = 300.0
    reserve_for: float = 30.0
    promise: str = "history"
    conservative: bool = False

    def __post_init__(self) -> None:
        if self.method.partition(":")[0] == "esscher":
            raise InvalidInput(
                "method esscher looks at all tasks at once, and a service meets them "
                "one by one; expected another method, such as exact"
            )
        make_admission(self.method, self.rho)
        host_test(self.test)
        if self.rule not in RULES:
            known = " or ".join(RULES)
            raise InvalidInput(f"rule is {self.rule!r}; expected {known}")
        if self.promise not in PROMISES:
            known = " or ".join(PROMISES)
            raise InvalidInput(f"promise is {self.promise!r}; expected {known}")
        for name in ("stale_after", "reserve_for"):
            value = getattr(self, name)
            if not 0 < value < float("inf"):
                raise InvalidInput(f"{name} is {value} s; expected above 0")


LONGEST_NAME = 253


def check_name(what: str, name: str) -> str:
    """Return a name of 1 to 253 characters without control characters."""
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(
            f"{what} name has {len(name):,} characters; expected 1 to {LONGEST_NAME}"
        )
    if not name.isprintable():
        raise InvalidInput(f"{what} name {name!r} has characters that do not print")
    return name


def check_samples(task: str, resource: str, samples: tuple[float, ...]) -> None:
    """Refuse no samples at all, and samples below 0 or not finite."""
    if not samples:
        raise InvalidInput(
            f"task {task!r} has no samples of {resource}; expected at least one"
        )
    for value in samples:
        if not 0.0 <= value < float("inf"):
            raise InvalidInput(
                f"task {task!r} has a sample of {resource} = {value}; "
                "expected 0 or more"
            )
