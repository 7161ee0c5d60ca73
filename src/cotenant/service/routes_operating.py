"""Routes for those who run the service: health, metrics, the extender, the handbook."""

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse

from cotenant.service.handbook import handbook
from cotenant.service.metrics import CONTENT_TYPE
from cotenant.service.replies import JSON, reply
from cotenant.service.wire_out import REFUSALS

if TYPE_CHECKING:
    from cotenant.service.app import Service

operating = APIRouter(responses=REFUSALS)

SCHEDULER: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {JSON: {"schema": {"type": "object"}}},
    }
}
"""The body of extender requests is read by hand: its keys come in two spellings."""


def _service(request: Request) -> "Service":
    service: Service = request.app.state.service
    return service


@operating.post("/extender/filter", tags=["kubernetes"], openapi_extra=SCHEDULER)
async def extender_filter(request: Request) -> Response:
    """Say to which nodes a pod may go, and hold room for it on one."""
    answer = await _service(request).extender.filter(await request.body())
    return Response(answer, media_type=JSON)


@operating.post("/extender/prioritize", tags=["kubernetes"], openapi_extra=SCHEDULER)
async def extender_prioritize(request: Request) -> Response:
    """Score nodes for a pod from 0 to 10."""
    answer = await _service(request).extender.prioritize(await request.body())
    return Response(answer, media_type=JSON)


@operating.post("/extender/preempt", tags=["kubernetes"], openapi_extra=SCHEDULER)
async def extender_preempt(request: Request) -> Response:
    """Say on which nodes an eviction would make room for a pod."""
    answer = await _service(request).extender.preempt(await request.body())
    return Response(answer, media_type=JSON)


@operating.get("/metrics", tags=["operating"], response_class=PlainTextResponse)
def metrics(request: Request) -> Response:
    """Return the metrics in the text format of Prometheus."""
    return Response(_service(request).meters.text(), media_type=CONTENT_TYPE)


@operating.get("/healthz", tags=["operating"])
async def healthz() -> Response:
    """Say that the process answers."""
    return reply({"status": "ok"})


@operating.get(
    "/readyz",
    tags=["operating"],
    responses={503: {"description": "Not now, and why."}},
)
def readyz(request: Request) -> Response:
    """Say whether placements are accepted: warm, not stopping, and the ledger works."""
    service = _service(request)
    if not service.ready:
        return reply({"status": "not ready", "reason": "starting or stopping"}, 503)
    if not service.placement.durable:
        reason = "the ledger cannot be written"
        return reply({"status": "not ready", "reason": reason}, 503)
    return reply({"status": "ready"})


@operating.get("/docs", include_in_schema=False)
def docs(request: Request) -> Response:
    """Show the interface as a page that needs no other host."""
    return Response(handbook(request.app.openapi()), media_type="text/html")
