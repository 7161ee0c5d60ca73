"""What goes over the wire: values, checks, sentences, statuses."""

import inspect

import pytest
from pydantic import TypeAdapter, ValidationError

from cotenant import errors
from cotenant.errors import CotenantError, InvalidInput
from cotenant.service.asked import Moments
from cotenant.service.replies import STATUS
from cotenant.service.wire import (
    DemandIn,
    MachineIn,
    Machines,
    ReadingIn,
    TaskIn,
    Tasks,
    alike,
    listed,
)
from cotenant.service.wire_out import sentence


def test_every_error_has_one_status():
    named = {
        value
        for _, value in inspect.getmembers(errors, inspect.isclass)
        if issubclass(value, CotenantError) and value is not CotenantError
    }
    assert named == set(STATUS)


@pytest.mark.parametrize(
    ("given", "cores"), [("500m", 0.5), ("2", 2.0), (3, 3.0), (0.25, 0.25)]
)
def test_quantities_are_numbers_or_kubernetes_text(given, cores):
    machine = MachineIn.model_validate(
        {"name": "m", "capacity": {"cpu": given, "memory": "2Gi"}}
    )
    assert machine.spec().capacity == {"cpu": cores, "memory": 2.0 * 2**30}


@pytest.mark.parametrize(
    "given", [True, None, [], {}, "64 MB", "1e999", "9" * 50, -1, 0, 1e19, 10**400, ""]
)
def test_a_capacity_that_cannot_be_right_is_refused(given):
    with pytest.raises(ValidationError):
        MachineIn.model_validate({"name": "m", "capacity": {"cpu": given}})


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, True, "abc"])
def test_a_sample_that_cannot_be_right_is_refused(bad):
    with pytest.raises(ValidationError):
        TaskIn.model_validate({"name": "t", "usage": {"cpu": {"samples": [0.1, bad]}}})


def test_a_task_carries_what_the_core_needs():
    task = TaskIn.model_validate(
        {
            "name": "t",
            "usage": {
                "cpu": {"mean": "50m", "variance": 0.01},
                "memory": {"samples": ["1Mi", 5]},
            },
            "label": "web",
        }
    )
    spec = task.spec()
    assert spec.usage["cpu"] == Moments(0.05, 0.01)
    assert spec.usage["memory"] == (2.0**20, 5.0)
    assert spec.label == "web"


def test_a_demand_is_usage_or_an_sla_and_never_both_or_neither():
    usage = {"cpu": {"mean": 1}}
    assert str(DemandIn.model_validate({"sla": "1/30:2/5"}).spec_of("t").sla)
    for given in ({}, {"usage": usage, "sla": "1/30"}):
        with pytest.raises(InvalidInput, match="either usage or an sla"):
            DemandIn.model_validate(given).spec_of("t")


def test_a_reading_has_samples_or_an_error():
    assert ReadingIn.model_validate({"cpu": [1]}).samples() == {"cpu": [1.0]}
    assert ReadingIn.model_validate({"error": "timeout"}).samples() == {}
    for given in ({}, {"cpu": [1], "error": "timeout"}):
        with pytest.raises(InvalidInput, match="samples of cpu or memory, or an error"):
            ReadingIn.model_validate(given).samples()


def test_one_is_answered_by_one_and_a_list_by_a_list():
    assert (listed("a"), listed(["a", "b"])) == (["a"], ["a", "b"])
    assert alike("a", [1]) == 1
    assert alike(["a"], [1]) == [1]


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        (Tasks, [{"name": "t", "usage": {"cpu": {"mean": -1}}}], "0.usage.cpu.mean: "),
        (Tasks, {"name": "t", "usages": {}}, "usages: "),
        (Machines, 7, "the request: "),
        (Machines, [], "the request: "),
        (Machines, {"name": "m", "capacity": {"cpu": "64 MB"}}, "capacity.cpu: "),
    ],
)
def test_a_refusal_names_the_place_in_the_request(kind, given, words):
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(given)
    assert sentence(caught.value.errors()).startswith(words)


def test_a_refusal_never_repeats_a_long_key_or_value():
    with pytest.raises(ValidationError) as caught:
        TaskIn.model_validate({"n" * 10**6: "v" * 10**6})
    assert len(sentence(caught.value.errors())) < 500
