"""Tasks as columns: what snapshots are made of."""

import dataclasses
from typing import Any

import numpy as np
from pydantic_core import from_json, to_json

from cotenant.service import declared
from cotenant.service.asked import Moments, TaskSpec
from cotenant.service.believed import sharpen
from cotenant.service.columns import Numbers, from_columns, to_columns
from cotenant.service.state import Demand, Held, demand_of
from tests.service.asking import promised


def held(spec: TaskSpec, demand: Demand | None = None) -> Held:
    own = demand_of(spec) if demand is None else demand
    return Held(spec.name, "digest", spec.sla, own, "m", 0, 0.25, 1e9 / 3)


def back(some: list[Held], known: set[float] | None = None) -> list[tuple[str, Held]]:
    named = [(one.name, one) for one in some]
    facts, numbers = to_columns(named, set() if known is None else known)
    return list(from_columns(from_json(to_json(facts)), Numbers(numbers)))


def bits(value: Any) -> Any:
    """Return a value as plain ones that are equal only if it is, to the bit."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return [type(value), *(bits(getattr(value, name)) for name in names)]
    if isinstance(value, dict):
        return {key: bits(own) for key, own in value.items()}
    return value.tobytes() if isinstance(value, np.ndarray) else repr(value)


def some_of_every_kind() -> list[Held]:
    both = {"cpu": Moments(0.3, 0.02), "memory": (5.0, 6.0, 5.0)}
    steady = {"cpu": Moments(0.3, 0.0), "memory": Moments(0.0)}
    known = demand_of(TaskSpec("measured", {"cpu": Moments(0.1, 0.01)}))
    measured = sharpen(known, {"cpu": [0.1, 0.2]})  # type: ignore[arg-type]
    return [
        held(TaskSpec("declared", both, label="replica")),
        held(promised("sla", "2/4~2-8:1/5")),
        held(TaskSpec("steady", steady)),
        held(TaskSpec("measured", {"cpu": Moments(0.1, 0.01)}), measured),
    ]


def test_what_is_held_comes_back_with_every_bit() -> None:
    some = some_of_every_kind()
    for one, (key, other) in zip(some, back(some), strict=True):
        assert key == one.name
        assert bits(other) == bits(one)


def test_a_shape_is_told_once_and_moments_stand_for_usage() -> None:
    spec = {"cpu": Moments(0.4, 0.04)}
    some = [held(TaskSpec(f"t{i}", spec)) for i in range(9)]
    named, known = [(one.name, one) for one in some], set[float]()
    first, numbers = to_columns(named, known)
    again, fewer = to_columns(named, known)
    assert [relative for relative, _ in first["shapes"]] == [0.5]
    assert again["shapes"] == []
    assert len(fewer) == 2 * len(some)
    assert len(numbers) < 2 * len(some) + 2 * 64


def test_a_start_takes_shapes_as_they_were_cut_before() -> None:
    # As if the library had cut it a hair differently then.
    usage = demand_of(TaskSpec("t", {"cpu": Moments(0.4, 0.04)})).usage["cpu"]  # type: ignore[union-attr]
    values, weights = declared.shape_of(0.5)
    hair = np.nextafter(values, np.inf)
    try:
        declared.remember({0.5: (hair, weights)})
        some = [held(TaskSpec("t", {"cpu": Moments(0.4, 0.04)}))]
        facts, numbers = to_columns([("t", some[0])], set())
        declared.remember({0.5: (values, weights)})
        [(_, found)] = from_columns(facts, Numbers(numbers))
        fresh = declared.from_moments(0.4, 0.04)
    finally:
        declared.remember({0.5: (values, weights)})
    assert np.array_equal(found.demand.usage["cpu"].values, 0.4 * hair)  # type: ignore[union-attr]
    assert np.array_equal(fresh.values, 0.4 * hair)
    assert not np.array_equal(fresh.values, usage.values)
