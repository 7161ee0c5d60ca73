"""Room that is held for pods while their scheduler decides."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Sequence

from cotenant.errors import NothingFits, ServiceUnavailable
from cotenant.service.answers import Reservation
from cotenant.service.asked import TaskSpec
from cotenant.service.core import Placement

MOST = 10_000
"""Pods remembered, the latest ones."""


class Holds:
    """Reservations that were asked for, made or not.

    A durable write takes longer than a scheduler should wait for a filter. So `ask`
    does not wait. What follows does: `machine` for the reservation of the same pod, and
    `others_counted` for those of other pods, so that no two pods are offered the same
    room.
    """

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        self._asked: OrderedDict[str, asyncio.Future[Reservation]] = OrderedDict()
        self._open: dict[asyncio.Future[Reservation], str] = {}
        self.trusted = True
        """False after a reservation could not be written, until the next one was."""

    def ask(self, uid: str, spec: TaskSpec, machines: Sequence[str]) -> None:
        """Ask for room on one of some machines, instead of any held before."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Reservation] = loop.create_future()

        def submit() -> None:
            made = asyncio.wrap_future(self._placement.reserve(uid, spec, machines))
            made.add_done_callback(lambda made: _pass_on(made, future))

        # Two turns later the answer that is being made now is on its way, and need not
        # share the interpreter with the thread that decides.
        loop.call_soon(loop.call_soon, submit)
        self._asked[uid] = future
        self._asked.move_to_end(uid)
        self._open[future] = uid
        future.add_done_callback(self._done)
        if len(self._asked) > MOST:
            self._asked.popitem(last=False)

    async def made(self, uid: str) -> Reservation:
        """Wait until the room asked for is held.

        Raises
        ------
        NothingFits
            If none of the machines had room any more.
        ServiceUnavailable
            If that could not be written.
        """
        return await asyncio.shield(self._asked[uid])

    async def machine(self, uid: str) -> str | None:
        """Return where room is held for a pod; None if it is nowhere, or no more.

        Raises
        ------
        ServiceUnavailable
            If the reservation could not be written.
        """
        if uid not in self._asked:
            return None
        try:
            reservation = await self.made(uid)
        except NothingFits:
            return None
        return None if reservation.expires <= time.time() else reservation.machine

    async def others_counted(self, uid: str) -> None:
        """Wait until the room asked for other pods is held or refused."""
        others = [future for future, whose in self._open.items() if whose != uid]
        if others:
            await asyncio.wait(others)

    def _done(self, future: "asyncio.Future[Reservation]") -> None:
        del self._open[future]
        if future.cancelled():
            return
        self.trusted = not isinstance(future.exception(), ServiceUnavailable)


def _pass_on(
    made: "asyncio.Future[Reservation]", future: "asyncio.Future[Reservation]"
) -> None:
    if future.done():
        return
    if made.cancelled():
        future.cancel()
    elif (error := made.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(made.result())
