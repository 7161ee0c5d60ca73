"""The API: machines, tasks, repacking, the ledger. Every handler asks the core once."""

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Path, Query, Request, Response
from fastapi.routing import APIRoute
from pydantic_core import from_json

from cotenant.service import express
from cotenant.service.answers import Changed, Event, MachineView, Resized, TaskView
from cotenant.service.asked import LONGEST_NAME
from cotenant.service.replies import reply
from cotenant.service.wire import (
    DemandIn,
    Machines,
    ReadingIn,
    ResizeIn,
    Tasks,
    alike,
    listed,
)
from cotenant.service.wire_out import (
    REFUSALS,
    MeasuredOut,
    PlacedOut,
    PlanOut,
    ReleasedOut,
    problems,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from cotenant.service.app import Service


class StrictRequest(Request):
    """A request whose JSON is UTF-8, at most 200 levels deep, and finite."""

    async def json(self) -> Any:
        """Return the body."""
        try:
            return from_json(await self.body(), allow_inf_nan=False)
        except ValueError as error:
            # The position is worth telling, the text around it is not.
            why = str(error)[:200]
            raise HTTPException(400, f"the body is no JSON: {why}") from None


class StrictRoute(APIRoute):
    """A route that reads JSON strictly."""

    def get_route_handler(self) -> "Callable[[Request], Coroutine[Any, Any, Response]]":
        """Return the handler."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly


TaskName = Annotated[str, Path(min_length=1, max_length=LONGEST_NAME)]
MachineName = Annotated[str, Path(min_length=1, max_length=LONGEST_NAME)]
Key = Annotated[str | None, Header(min_length=1, max_length=LONGEST_NAME)]

api = APIRouter(
    prefix="/v1", route_class=StrictRoute, responses=REFUSALS | problems(503)
)


def service_of(request: Request) -> "Service":
    """Return the service behind a request."""
    service: Service = request.app.state.service
    return service


@api.post(
    "/machines",
    status_code=201,
    tags=["machines"],
    responses={201: {"model": MachineView | list[MachineView]}, **problems(409)},
)
async def add_machines(request: Request, asked: Machines) -> Response:
    """Declare a machine, or a list of them: all or none."""
    service = service_of(request)
    specs = [machine.spec() for machine in listed(asked)]
    future = service.placement.add_machines(specs)
    views = await service.decided("add_machines", future)
    return reply(alike(asked, [view.to_dict() for view in views]), 201)


@api.get("/machines", tags=["machines"], responses={200: {"model": list[MachineView]}})
def machines(request: Request) -> Response:
    """List the fleet, in the order it was declared."""
    return reply([m.to_dict() for m in service_of(request).placement.machines()])


@api.get(
    "/machines/{name:path}",
    tags=["machines"],
    responses={200: {"model": MachineView}, **problems(404)},
)
def machine(request: Request, name: MachineName) -> Response:
    """Look up a machine."""
    return reply(service_of(request).placement.machine(name).to_dict())


@api.patch(
    "/machines/{name:path}",
    tags=["machines"],
    responses={200: {"model": Resized}, **problems(404, 409, 422)},
)
async def resize(request: Request, name: MachineName, asked: ResizeIn) -> Response:
    """Change the capacity of a machine: tasks that no longer fit move, or none does."""
    service = service_of(request)
    future = service.placement.resize(name, asked.capacity.amounts())
    return reply((await service.decided("resize", future)).to_dict())


@api.delete(
    "/machines/{name:path}",
    status_code=202,
    tags=["machines"],
    responses={
        202: {"model": MachineView, "description": "It drains; it is not empty yet."},
        204: {"description": "It was empty and has left."},
        **problems(404),
    },
)
async def drain(request: Request, name: MachineName) -> Response:
    """Drain a machine: it takes no more tasks and leaves once it is empty."""
    service = service_of(request)
    view = await service.decided("drain", service.placement.drain(name))
    return Response(status_code=204) if view is None else reply(view.to_dict(), 202)


@api.post(
    "/tasks",
    status_code=201,
    tags=["tasks"],
    responses={
        200: {"model": PlacedOut | list[PlacedOut], "description": "Placed before."},
        201: {"model": PlacedOut | list[PlacedOut], "description": "Placed."},
        **problems(409, 422),
    },
)
async def place(
    request: Request, asked: Tasks, idempotency_key: Key = None
) -> Response:
    """Place a task, or a list of them: all or none. Asking again changes nothing."""
    return await express.place(service_of(request), asked, idempotency_key)


@api.get("/tasks", tags=["tasks"], responses={200: {"model": list[TaskView]}})
def tasks(request: Request) -> Response:
    """List tasks, in the order they were placed."""
    return reply([task.to_dict() for task in service_of(request).placement.tasks()])


@api.post(
    "/tasks/{name:path}/usage",
    tags=["tasks"],
    responses={200: {"model": MeasuredOut}, **problems(404)},
)
async def measure(request: Request, name: TaskName, asked: ReadingIn) -> Response:
    """Sharpen the demand of a task by samples, or say that it could not be measured."""
    service, samples = service_of(request), asked.samples()
    if asked.error is not None:
        future = service.placement.fail_usage(name, asked.error)
        return reply(_measured(await service.decided("measure", future), None))
    reading = service.placement.update_usage(name, samples, asked.timing())
    view, overload = await service.decided("measure", reading)
    service.overloads.note(name, samples.get("cpu", ()), service.clock())
    return reply(_measured(view, overload))


@api.get(
    "/tasks/{name:path}",
    tags=["tasks"],
    responses={200: {"model": TaskView}, **problems(404)},
)
def task(request: Request, name: TaskName) -> Response:
    """Look up a task."""
    return reply(service_of(request).placement.task(name).to_dict())


@api.patch(
    "/tasks/{name:path}",
    tags=["tasks"],
    responses={200: {"model": Changed}, **problems(404, 422)},
)
async def change(request: Request, name: TaskName, asked: DemandIn) -> Response:
    """Change the demand of a task: in place where it fits, else it moves."""
    service = service_of(request)
    future = service.placement.change(asked.spec_of(name))
    return reply((await service.decided("change", future)).to_dict())


@api.delete(
    "/tasks/{name:path}",
    tags=["tasks"],
    responses={200: {"model": ReleasedOut}, **problems(404)},
)
async def release(request: Request, name: TaskName) -> Response:
    """Release a task."""
    service = service_of(request)
    machine = await service.decided("release", service.placement.release(name))
    service.overloads.forget(name)
    return reply({"name": name, "machine": machine})


@api.post("/repack", tags=["repack"], responses={200: {"model": PlanOut}})
async def repack(request: Request) -> Response:
    """Work out moves, each with cost, gain and reason, and make none of them."""
    service = service_of(request)
    plan = await service.decided("repack", service.placement.repack())
    return reply(plan.to_dict())


@api.post(
    "/repack/{plan}/apply",
    tags=["repack"],
    responses={200: {"model": PlanOut}, **problems(404, 409)},
)
async def apply(
    request: Request, plan: Annotated[str, Path(max_length=100)]
) -> Response:
    """Make exactly the moves of a plan, or none if the fleet has changed."""
    service = service_of(request)
    made = await service.decided("apply", service.placement.apply(plan))
    return reply(made.to_dict())


@api.get("/events", tags=["ledger"], responses={200: {"model": list[Event]}})
def events(
    request: Request,
    after: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000,
    task: Annotated[str | None, Query(max_length=LONGEST_NAME)] = None,
    machine: Annotated[str | None, Query(max_length=LONGEST_NAME)] = None,
) -> Response:
    """Read the ledger: events with a number above `after`, in order."""
    found = service_of(request).placement.events(after, limit, task, machine)
    return reply([event.to_dict() for event in found])


def _measured(view: TaskView, overload: float | None) -> dict[str, Any]:
    return {
        "name": view.name,
        "machine": view.machine,
        "overload": overload,
        "usage": view.usage,
        "measured_at": view.measured_at,
        "feed_error": view.feed_error,
    }
