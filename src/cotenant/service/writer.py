"""The one thread that decides: batches requests, makes them durable, then answers."""

import gc
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from cotenant.errors import CotenantError, ServiceUnavailable
from cotenant.service.answers import Event
from cotenant.service.applying import apply
from cotenant.service.asked import Settings
from cotenant.service.desk import Desk
from cotenant.service.ledger import Ledger
from cotenant.service.picture import Picture, take_picture
from cotenant.service.published import Published
from cotenant.service.reserving import expire
from cotenant.service.snapshot import pack, unpack
from cotenant.service.state import State

T = TypeVar("T")

log = logging.getLogger("cotenant.service")

BATCH = 256  # requests of one transaction
TICK = 1.0  # seconds between looks at what other processes have written
PAGE = 5_000  # events read at once
SNAPSHOT_EVERY = 25_000  # events
SNAPSHOT_LAST = 1_000  # events from which one more is worth while at the end
FREEZE_EVERY = 1_000  # events
PART = 1 << 18  # bytes of a snapshot written with one batch


@dataclass(slots=True)
class Request(Generic[T]):
    """Something to decide, and who waits for it."""

    decide: Callable[[Desk], T]
    future: Future[T]


class Writer(threading.Thread):
    """Decides one batch after the other.

    While one batch is being written, the next one gathers, so that the cost of a
    durable write is shared by all who wait (group commit). After a write that failed,
    or may have, nothing of the batch is believed: the state is read back from the
    ledger before anything else is decided.

    Parameters
    ----------
    clock
        Seconds since 1970.
    meanwhile
        Called in a thread of its own while the engine is filled for the first time.
    """

    def __init__(
        self,
        settings: Settings,
        ledger: Ledger,
        clock: Callable[[], float],
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(name="cotenant-writer", daemon=True)
        self.lock = threading.Lock()  # held while the state changes
        self.state: State | None = None
        self.published = Published()
        self.durable = True
        self._settings, self._ledger, self._clock = settings, ledger, clock
        self._requests: queue.SimpleQueue[Request[Any] | None] = queue.SimpleQueue()
        self._closed = False
        self._snapshot = self._frozen = 0
        self._saving: threading.Thread | None = None
        self._load(meanwhile)

    def submit(self, decide: Callable[[Desk], T]) -> Future[T]:
        """Queue a decision."""
        future: Future[T] = Future()
        if self._closed:
            future.set_exception(ServiceUnavailable("the service is stopping"))
        else:
            self._requests.put(Request(decide, future))
        return future

    def close(self) -> None:
        """Finish what is queued, make the next start quick, and stop."""
        if self._saving is not None:
            self._saving.join()
        if self.state is not None:
            self._save_last(self.state)
        self._closed = True
        self._requests.put(None)
        self.join()
        self._fail(self._left_over(), ServiceUnavailable("the service is stopping"))
        self._ledger.close()

    def run(self) -> None:
        """Work until closed."""
        while True:
            batch, more = self._next_batch()
            try:
                self._batch(batch)
            except ServiceUnavailable as error:
                if self.durable:
                    log.error("%s", error)
                self.durable = False
                self._fail(batch, error)
            except Exception as error:
                log.exception("a batch of %d requests failed", len(batch))
                self.durable = False
                self._fail(batch, ServiceUnavailable(f"internal error: {error!r}"))
            if not more:
                return

    def _left_over(self) -> list[Request[Any]]:
        """Return what was queued in the moment of closing."""
        left: list[Request[Any]] = []
        while not self._requests.empty():
            request = self._requests.get()
            if request is not None:
                left.append(request)
        return left

    def _next_batch(self) -> tuple[list[Request[Any]], bool]:
        batch: list[Request[Any]] = []
        try:
            request = self._requests.get(timeout=TICK)
            while request is not None:
                if request.future.set_running_or_notify_cancel():
                    batch.append(request)
                if len(batch) == BATCH:
                    return batch, True
                request = self._requests.get_nowait()
        except queue.Empty:
            return batch, True
        return batch, False

    def _batch(self, batch: list[Request[Any]]) -> None:
        state = self.state or self._load()
        if not batch and not self._due(state):
            self._follow(state)
            return
        answers: list[tuple[Request[Any], Any, Exception | None]] = []
        deciding = False
        try:
            with self._ledger.write() as writing:
                with self.lock:
                    deciding = True
                    self._catch_up(state, writing.since(state.number))
                    desk = Desk(state, max(self._clock(), state.at), writing)
                    expire(desk)
                    for request in batch:
                        answers.append((request, *_decide(desk, request)))
                writing.append(desk.events)
        except Exception:
            if deciding:
                # The state is ahead of the ledger, or of unknown standing.
                with self.lock:
                    self.state = None
            raise
        self._done(state, desk.events, [error for _, _, error in answers])
        for request, answer, error in answers:
            if error is None:
                request.future.set_result(answer)
            else:
                request.future.set_exception(error)

    def _done(
        self, state: State, fresh: list[Event], refused: list[Exception | None]
    ) -> None:
        self.published.show(state, fresh)
        self.published.count(fresh, refused)
        self._available()
        self._save_if_due(state)
        self._forget_to_search(state)

    def _fail(self, batch: list[Request[Any]], error: ServiceUnavailable) -> None:
        for request in batch:
            if not request.future.done():
                request.future.set_exception(error)

    def _due(self, state: State) -> bool:
        now = self._clock()
        return any(expires <= now for expires in state.pods.values())

    def _follow(self, state: State) -> None:
        if self.durable:
            fresh = self._ledger.read(state.number, PAGE)
        else:
            with self._ledger.write() as writing:
                fresh = writing.since(state.number)
        with self.lock:
            self._catch_up(state, fresh)
        self._available()

    def _available(self) -> None:
        if not self.durable:
            log.info("the ledger is available again")
        self.durable = True

    def _catch_up(self, state: State, fresh: list[Event]) -> None:
        """Do what other processes have decided."""
        for event in fresh:
            apply(state, event.number, event.at, event.kind, event.data)
        if fresh:
            self.published.show(state, fresh)

    def _load(self, meanwhile: Callable[[], None] | None = None) -> State:
        started = time.perf_counter()
        with _no_collection():
            state = self._read_back()
            if meanwhile is not None:
                threading.Thread(target=meanwhile, daemon=True).start()
            state.start()
        with self.lock:
            self.state = state
        self.published.show(state, None)
        log.info(
            "read %d events, %d machines, %d tasks in %.2f s",
            state.number,
            len(state.machines),
            len(state.held),
            time.perf_counter() - started,
        )
        return state

    def _read_back(self) -> State:
        found = self._ledger.load_snapshot()
        state = None if found is None else unpack(self._settings, found[1])
        state = state or State(self._settings)
        self._snapshot = self._frozen = state.number
        while page := self._ledger.read(state.number, PAGE):
            for event in page:
                apply(state, event.number, event.at, event.kind, event.data)
        return state

    def _forget_to_search(self, state: State) -> None:
        """Keep the garbage collector from searching what was added of late.

        A few milliseconds often, instead of a second now and then.
        """
        if state.number - self._frozen >= FREEZE_EVERY:
            self._frozen = state.number
            gc.collect(1)
            gc.freeze()

    def _save_if_due(self, state: State) -> None:
        if state.number - self._snapshot < SNAPSHOT_EVERY:
            return
        if self._saving is not None and self._saving.is_alive():
            return
        self._snapshot = state.number
        picture = take_picture(state)

        name, save = "cotenant-snapshot", self._save
        self._saving = threading.Thread(target=save, args=(picture,), name=name)
        self._saving.start()

    def _save_last(self, state: State) -> None:
        if self.durable and state.number - self._snapshot >= SNAPSHOT_LAST:
            with self.lock:
                picture = take_picture(state)
            self._save(picture)

    def _save(self, picture: Picture) -> None:
        """Write a snapshot part by part, each along with a batch: only one writes."""
        number = picture.number
        try:
            body = pack(picture)
            parts = [body[i : i + PART] for i in range(0, len(body), PART)]
            for part, piece in enumerate(parts):
                keep = partial(_keep, number=number, part=part, body=piece)
                if not self.submit(keep).result():
                    return  # another process keeps the same state
            self.submit(partial(_complete, number=number, parts=len(parts))).result()
        except ServiceUnavailable as error:
            log.warning("no snapshot of event %d: %s", number, error)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from searching what was just read, now and later.

    A state has no cycles, and searching a large one takes a good part of a second.
    """
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        gc.enable()


def _keep(desk: Desk, number: int, part: int, body: bytes) -> bool:
    assert desk.writing is not None
    return desk.writing.keep(number, part, body)


def _complete(desk: Desk, number: int, parts: int) -> None:
    assert desk.writing is not None
    desk.writing.complete(number, parts)


def _decide(desk: Desk, request: Request[T]) -> tuple[T | None, Exception | None]:
    try:
        return request.decide(desk), None
    except CotenantError as refusal:
        return None, refusal
