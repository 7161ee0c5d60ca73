"""From answers and errors to HTTP replies."""

from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException

from cotenant.errors import (
    Conflict,
    CotenantError,
    DoesNotFit,
    FleetChanged,
    InvalidInput,
    NothingFits,
    ServiceUnavailable,
    SourceNotFound,
    TraceError,
    UnknownMachine,
    UnknownPlan,
    UnknownTask,
)
from cotenant.service.metrics import Meters
from cotenant.service.wire_out import sentence

JSON = "application/json"

STATUS: dict[type[CotenantError], tuple[int, str]] = {
    InvalidInput: (400, "malformed"),
    SourceNotFound: (400, "malformed"),
    TraceError: (400, "malformed"),
    UnknownTask: (404, "unknown-task"),
    UnknownMachine: (404, "unknown-machine"),
    UnknownPlan: (404, "unknown-plan"),
    Conflict: (409, "conflict"),
    FleetChanged: (409, "fleet-changed"),
    DoesNotFit: (422, "does-not-fit"),
    NothingFits: (422, "nothing-fits"),
    ServiceUnavailable: (503, "unavailable"),
}
"""Status and word of every error a decision may end in."""

HTTP_WORDS = {404: "not-found", 405: "method-not-allowed"}


def reply(value: Any, status: int = 200) -> Response:
    """Return a value as JSON; what is not finite becomes null."""
    return Response(to_json(value, inf_nan_mode="null"), status, media_type=JSON)


def refuse(meters: Meters, error: CotenantError) -> Response:
    """Return a refusal as JSON, and count it."""
    status, word = STATUS[type(error)]
    body: dict[str, Any] = {"error": word, "reason": str(error)}
    counted = word
    if isinstance(error, DoesNotFit):
        counted = error.resource
        body |= {"reason": error.reason, "task": error.task}
        body |= {"resource": error.resource, "machines": {}}
    if isinstance(error, NothingFits):
        body["machines"] = dict(error.machines)
    meters.rejections.labels(counted).inc()
    response = reply(body, status)
    if status == 503:
        response.headers["retry-after"] = "1"
    return response


async def on_refusal(request: Request, error: Exception) -> Response:
    """Answer what the core, or a check, refused."""
    if not isinstance(error, CotenantError):
        raise error
    return refuse(_meters(request), error)


async def on_malformed(request: Request, error: Exception) -> Response:
    """Answer a body, a path or a query that is not what the interface says."""
    if not isinstance(error, RequestValidationError):
        raise error
    return refuse(_meters(request), InvalidInput(sentence(error.errors())))


async def on_http(request: Request, error: Exception) -> Response:
    """Answer what the framework refused: unknown paths, methods, damaged JSON."""
    if not isinstance(error, HTTPException):
        raise error
    word = HTTP_WORDS.get(error.status_code, "malformed")
    body = {"error": word, "reason": str(error.detail)}
    response = reply(body, error.status_code)
    response.headers.update(error.headers or {})
    return response


async def on_crash(request: Request, error: Exception) -> Response:
    """Answer an error of our own without telling what it says; the log has it."""
    body = {"error": "internal", "reason": "internal error; the log says more"}
    return reply(body, 500)


def _meters(request: Request) -> Meters:
    meters: Meters = request.app.state.service.meters
    return meters
