"""Requests made up from the OpenAPI document: whatever comes, no answer is a crash."""

from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from cotenant.service.asked import MachineSpec
from cotenant.service.patience import PatientProtocol
from tests.service.fakes import listening
from tests.service.running import running

load_all_checks()
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


EXAMPLES = 20
MODES = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]


@dataclass(frozen=True)
class Api:
    url: str
    openapi: dict[str, Any]


@pytest.fixture(scope="module")
def api():
    with running() as service:
        host = MachineSpec("s", {"cpu": 2}, "sla")
        service.placement.add_machines([host]).result()
        service.machines(3, cpu=4.0)
        with listening(service.app, http=PatientProtocol) as url:
            yield Api(url, service.app.openapi())


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=["as said", "not as said"])
def test_no_request_crashes_the_service(api, mode):
    schema = schemathesis.openapi.from_dict(api.openapi)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) == 19
    statuses = {op.label: answers(api, op, mode) for op in operations}
    if mode is schemathesis.GenerationMode.POSITIVE:
        # What the document allows gets as far as the core, it is not all refused.
        assert statuses["POST /v1/machines"] & {201, 409}
        assert statuses["POST /v1/tasks"] & {201, 409, 422}
        assert statuses["POST /extender/filter"] == {200}
    else:
        assert 400 in statuses["POST /v1/tasks"]


def answers(api, operation, mode):
    statuses = set()
    if mode is schemathesis.GenerationMode.NEGATIVE and not (
        operation.body or operation.query or operation.path_parameters
    ):
        return statuses  # there is nothing to get wrong

    @settings(
        deadline=None,
        max_examples=EXAMPLES,
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
