"""Routes of keeping the promise: readings of many tasks, and the log of days."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from cotenant.service.keeping.daybook import read_date
from cotenant.service.keeping.reading import exclude, read
from cotenant.service.keeping.wire import (
    DaysOut,
    ExcludedIn,
    Readings,
    ReadOut,
    days_out,
)
from cotenant.service.replies import reply
from cotenant.service.routes import StrictRoute, service_of
from cotenant.service.wire_out import REFUSALS, problems

if TYPE_CHECKING:
    from cotenant.service.app import Service

keeping = APIRouter(
    prefix="/v1", route_class=StrictRoute, responses=REFUSALS | problems(503)
)

Date = Annotated[str, Path(min_length=1, max_length=40, examples=["2026-11-30"])]


@keeping.post("/usage", tags=["tasks"], responses={200: {"model": ReadOut}})
async def usage(request: Request, asked: Readings) -> Response:
    """Take in readings of many tasks; those that are not placed are passed over."""
    service = service_of(request)
    readings = [one.reading() for one in asked]
    future = service.placement.decide(lambda desk: read(desk, readings))
    unknown = await service.decided("read", future)
    if service.keeper is not None:
        service.keeper.wake()
    return reply({"read": len(readings) - len(unknown), "unknown": unknown})


@keeping.get("/days", tags=["days"], responses={200: {"model": DaysOut}})
def days(request: Request) -> Response:
    """Say how the promise was kept, day by day, and which margin follows."""
    return reply(_days(service_of(request)))


@keeping.patch("/days/{date}", tags=["days"], responses={200: {"model": DaysOut}})
async def change_day(request: Request, date: Date, asked: ExcludedIn) -> Response:
    """Let a day not count for the margin, or count again."""
    service, day = service_of(request), read_date(date)
    reason = asked.reason if asked.excluded else None
    future = service.placement.decide(lambda desk: exclude(desk, day, reason))
    await service.decided("exclude_day", future)
    return reply(_days(service))


def _days(service: "Service") -> dict[str, Any]:
    placement, keeper = service.placement, service.keeper
    settled = -1 if keeper is None else keeper.settled
    return days_out(placement.kept(), placement.settings.rho, settled)
