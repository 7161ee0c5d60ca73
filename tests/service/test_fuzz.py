"""Requests made up from the OpenAPI document: whatever comes, no answer is a crash."""

from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from cotenant.service.asked import PROMISES, MachineSpec, Settings
from cotenant.service.patience import PatientProtocol
from cotenant.service.wire import LARGEST
from tests.service.fakes import listening
from tests.service.running import running

load_all_checks()
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


RIGHT = schemathesis.GenerationMode.POSITIVE
WRONG = schemathesis.GenerationMode.NEGATIVE
EXAMPLES = {RIGHT: 60, WRONG: 6}  # wrong ones take longer to make up


@dataclass(frozen=True)
class Api:
    url: str
    openapi: dict[str, Any]


@pytest.fixture(scope="module", params=PROMISES)
def api(request):
    with running(Settings(promise=request.param)) as service:
        host = MachineSpec("s", {"cpu": 2}, "sla")
        service.placement.add_machines([host]).result()
        service.machines(3, cpu=4.0)
        with listening(service.app, http=PatientProtocol) as url:
            yield Api(url, service.app.openapi())


@pytest.mark.slow
@pytest.mark.parametrize("mode", [RIGHT, WRONG], ids=["as said", "not as said"])
def test_no_request_crashes_the_service(api, mode):
    schema = schemathesis.openapi.from_dict(api.openapi)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 23
    statuses = {op.label: answers(api, op, mode) for op in operations}
    if mode is RIGHT:
        # What the document allows gets as far as the core, it is not all refused.
        assert statuses["POST /v1/machines"] & {201, 409}
        assert statuses["POST /extender/filter"] == {200}
    else:
        assert 400 in statuses["POST /v1/tasks"]


def answers(api, operation, mode):
    statuses = set()
    if mode is WRONG and not (
        operation.body or operation.query or operation.path_parameters
    ):
        return statuses  # there is nothing to get wrong

    @settings(
        deadline=None,
        max_examples=EXAMPLES[mode],
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def every_answer_is_one_the_interface_knows(case):
        response = case.call(base_url=api.url)
        statuses.add(response.status_code)
        case.validate_response(response, checks=CHECKS)

    every_answer_is_one_the_interface_knows()
    return statuses


amounts = st.one_of(
    st.floats(0.0, LARGEST),
    st.floats(0.0, 4.0),
    st.sampled_from([0, 5e-324, 1e-300, "1n", "250m", "3.999", 4, 4.000001, LARGEST]),
)
variances = amounts.filter(lambda value: not isinstance(value, str))
moments = st.fixed_dictionaries({"mean": amounts}, optional={"variance": variances})
measured = moments | st.fixed_dictionaries(
    {"samples": st.lists(amounts, min_size=1, max_size=5)}
)
usages = st.fixed_dictionaries({"cpu": measured}, optional={"memory": measured})
slas = st.builds("{}/{}:{}/{}".format, *[st.integers(1, 9)] * 4)
numbers = st.integers(0, 10**9)


@pytest.mark.slow
@given(st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
def test_a_task_that_can_be_right_is_placed_or_refused_with_reasons(placing, data):
    demand = data.draw(st.fixed_dictionaries({"usage": usages}))
    name = f"t-{data.draw(numbers)}"
    answer = placing.http.post("/v1/tasks", json={"name": name, **demand})
    if answer.status_code == 400:
        assert "varies has a mean" in answer.text
        return
    assert answer.status_code in (200, 201, 409, 422), answer.text
    if answer.status_code == 422:
        assert answer.json()["reason"]
        assert set(answer.json()["machines"]) <= {"n1", "n2", "n3"}
    change = data.draw(st.fixed_dictionaries({"usage": usages}))
    changed = placing.http.patch(f"/v1/tasks/{name}", json=change)
    assert changed.status_code in (200, 400, 404, 422), changed.text
    reading = {"cpu": data.draw(st.lists(amounts, min_size=1, max_size=5))}
    read = placing.http.post(f"/v1/tasks/{name}/usage", json=reading)
    assert read.status_code in (200, 404), read.text
    assert placing.http.post("/v1/repack").status_code == 200
    assert placing.http.get("/v1/machines").status_code == 200
    if data.draw(st.booleans()):
        gone = placing.http.delete(f"/v1/tasks/{name}")
        assert gone.status_code in (200, 404), gone.text


@given(slas, numbers)
@settings(deadline=None, max_examples=50, suppress_health_check=list(HealthCheck))
def test_an_sla_that_can_be_right_is_placed_or_refused(placing, sla, number):
    asked = {"name": f"s-{number}", "sla": sla}
    answer = placing.http.post("/v1/tasks", json=asked)
    budget, period = map(int, sla.partition(":")[0].split("/"))
    misses, window = map(int, sla.partition(":")[2].split("/"))
    allowed = (200, 201, 409, 422)
    right = budget <= period and misses <= window
    assert answer.status_code in (allowed if right else (400,)), answer.text


@pytest.fixture(scope="module")
def placing():
    with running() as service:
        host = MachineSpec("s", {"cpu": 2}, "sla")
        service.placement.add_machines([host]).result()
        service.machines(3, cpu=4.0, memory=LARGEST)
        yield service
