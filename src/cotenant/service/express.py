"""The way past the framework for what a busy service is asked most."""

from typing import TYPE_CHECKING

from fastapi import Response
from pydantic import TypeAdapter
from pydantic_core import from_json

from cotenant.errors import CotenantError
from cotenant.service import replies
from cotenant.service.asked import LONGEST_NAME, check_name
from cotenant.service.guard import App, Receive, Scope, Send, replay
from cotenant.service.wire import TaskIn, Tasks, alike, listed

if TYPE_CHECKING:
    from cotenant.service.app import Service

TASKS: TypeAdapter[TaskIn | list[TaskIn]] = TypeAdapter(Tasks)


class Express:
    """Answers a few requests as their routes do, without what a framework costs.

    Finding the route, its parameters and its errors takes the framework several times
    as long as the answer takes. A placement that is not plainly well-formed is left to
    the framework, which says what is wrong with it, as are all other requests.
    """

    def __init__(self, app: App, service: "Service") -> None:
        self._app, self._service = app, service
        extender = service.extender
        self._verbs = {
            "/extender/filter": extender.filter,
            "/extender/prioritize": extender.prioritize,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope.get("method") == "POST" else None
        if path == "/v1/tasks":
            await self._place(scope, receive, send)
        elif path in self._verbs:
            answer = await self._verbs[path]((await receive()).get("body", b""))
            response = Response(answer, media_type=replies.JSON)
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _place(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive()).get("body", b"")  # whole: the guard has read it
        key = _key(scope)
        try:
            asked = TASKS.validate_python(from_json(body, allow_inf_nan=False))
        except ValueError:
            asked = None
        if asked is None or (key is not None and not 0 < len(key) <= LONGEST_NAME):
            await self._app(scope, replay(body, receive), send)
            return
        try:
            response = await place(self._service, asked, key)
        except CotenantError as error:
            response = replies.refuse(self._service.meters, error)
        await response(scope, receive, send)


async def place(
    service: "Service", asked: TaskIn | list[TaskIn], key: str | None
) -> Response:
    """Place a task, or a list of them, and answer."""
    if key is not None:
        check_name("idempotency key", key)
    specs = [task.spec() for task in listed(asked)]
    future = service.placement.place(specs, key)
    placed = await service.decided("place", future)
    status = 200 if all(answer.repeated for answer in placed) else 201
    told = [answer.to_dict() for answer in placed]
    return replies.reply(alike(asked, told), status)


def _key(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"idempotency-key":
            return bytes(value).decode("latin-1")
    return None
