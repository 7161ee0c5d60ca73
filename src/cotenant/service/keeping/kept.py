"""What a state remembers to keep the promise tomorrow; changed by events only."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.colocate.margin import MarginRule
from cotenant.demand.task import Task
from cotenant.service.keeping.daybook import Daybook
from cotenant.service.keeping.history import MOMENTS, History, filled
from cotenant.service.keeping.stated import Stated, invented, random_of, ratio
from cotenant.service.keeping.stays import Stays
from cotenant.sim.donor import donor


@dataclass(frozen=True, slots=True)
class Told:
    """What readers see of it.

    Parameters
    ----------
    latest
        The newest moment of which there is a sample.
    due
        Whether a day is over and not counted yet.
    replayed
        Days that are replayed.
    moved
        Tasks the guard has moved today.
    """

    rule: MarginRule
    daybook: Daybook
    latest: int
    due: bool
    replayed: int
    moved: int


class Kept:
    """Histories, who was where, the log of days, and what stands in for newcomers.

    Parameters
    ----------
    window
        The days that are replayed, at most 14, all over and counted.
    known
        By task with a history: for each day of the window, the day that tells of it.
    donors
        By task that does not count as its own history tells: who stands in for it, and
        the factor; None for nobody. A task whose demand was changed stands in for
        itself until a day was measured since.
    shed
        By machine: how many times it has used four times its allowance today.
    moved
        Tasks the guard has moved today.
    today
        Moments of the day that is not over which are replayed too; 0 but for the guard.
    """

    def __init__(self, rule: MarginRule) -> None:
        self.rule = rule
        self.history, self.stays = History(), Stays()
        self.daybook = Daybook(rule.first)
        self.window: tuple[int, ...] = ()
        self.known: dict[str, tuple[int, ...]] = {}
        self.stated: dict[str, Stated] = {}
        self.donors: dict[str, tuple[str, float] | None] = {}
        self.shed: dict[str, int] = {}
        self.moved = 0
        self.today = 0

    def copy(self) -> "Kept":
        """Return a copy that shares what never changes in place."""
        other = Kept(self.rule)
        other.history, other.stays = self.history.copy(), self.stays.copy()
        other.daybook, other.window = self.daybook, self.window
        for name in ("known", "stated", "donors", "shed"):
            setattr(other, name, dict(getattr(self, name)))
        other.moved, other.today = self.moved, self.today
        return other

    @property
    def now(self) -> int:
        """The moment from which a change counts: the one after the newest sample."""
        return self.history.latest + 1

    def told(self) -> Told:
        """Return what readers see."""
        latest, due = self.history.latest, self.due() is not None
        return Told(self.rule, self.daybook, latest, due, len(self.window), self.moved)

    def due(self) -> int | None:
        """Return the earliest day that is over and not counted yet."""
        over = range(self.daybook.closed + 1, self.history.latest // MOMENTS)
        return min(self.history.days.intersection(over), default=None) if over else None

    def joined(self, task: Task, digest: str, machine: str) -> None:
        """Note that a task has come to a machine."""
        self.stays.join(task.name, machine, self.now)
        self._state(task, digest)

    def left(self, task: str) -> None:
        """Note that a task has left its machine."""
        self.stays.leave(task, self.now)

    @contextmanager
    def supposing(self, task: Task, digest: str) -> Iterator[None]:
        """Replay a task as if this had been stated of it."""
        before = self.remember([task.name])
        self._state(task, digest)
        try:
            yield
        finally:
            self.restore(before)

    def remember(self, tasks: Iterable[str]) -> dict[str, list[Any]]:
        """Return what is noted of tasks, so that it can be restored."""
        books = self._books()
        return {task: [book.get(task, _NOTHING) for book in books] for task in tasks}

    def restore(self, noted: Mapping[str, list[Any]]) -> None:
        """Put back what was noted of tasks."""
        for task, values in noted.items():
            for book, value in zip(self._books(), values, strict=True):
                book.pop(task, None)
                if value is not _NOTHING:
                    book[task] = value
        self._forget_able()

    def close(self, day: int) -> None:
        """Let the replayed days end with a day that is over."""
        self.history.close(day)
        self.window = (*self.window, day)[-self.rule.window :]
        self.shed, self.moved = {}, 0
        self.stays.forget((day + 1) * MOMENTS)
        self.history.forget(self.window[0])
        self.known = {
            task: found for task in self.stated if (found := self._days(task, day))
        }
        for task in self.stated.keys() - self.stays.of.keys() - self.known.keys():
            del self.stated[task]
        own = {task for task in self.donors if self._stands_for_itself(task)}
        self._forget_able()
        self.donors = {task: self.donors[task] for task in own}
        for task, stated in self.stated.items():
            if task not in self.known:
                self.donors[task] = self._donor(task, stated)

    def closed_for(self, task: str) -> int:
        """Return the day until which samples of a task come too late."""
        return self.daybook.closed if task in self.known else -1

    def with_today(self) -> "Kept":
        """Return a copy that replays the part of today that is over as well."""
        other = self.copy()
        if self.history.latest >= 0:
            other.today = self.history.latest % MOMENTS + 1
        return other

    def series(self, task: Task) -> FloatArray:
        """Return what is replayed of a task: `(moments,)`.

        Its own history; else that of a donor, in the proportion of what was stated of
        both; else, where nobody has any, random usage as it was stated.
        """
        name = task.name
        stated = self.stated.get(name)
        if stated is None:
            cpu = task.usage["cpu"]
            stated = Stated("", task.label, cpu.mean, cpu.variance)
            given = self._donor(name, stated)
        elif name in self.donors:
            given = self.donors[name]
        else:
            given = (name, 1.0)
        if given is None:
            days = invented(name, stated, MOMENTS * max(1, len(self.window)))
        else:
            giver, factor = given
            days = factor * self._own(giver)
        if not self.today:
            return days
        return np.concatenate([days, self._elapsed(name, days[-MOMENTS:])])

    def _own(self, name: str) -> FloatArray:
        days = self.history.usage[name]
        return np.concatenate([filled(days[day]) for day in self.known[name]])

    def _elapsed(self, name: str, yesterday: FloatArray) -> FloatArray:
        """Return what a task has used today; as yesterday, if nobody measured it."""
        days = self.history.usage.get(name, {})
        now = days.get(self.history.latest // MOMENTS, yesterday)[: self.today]
        return filled(now) if np.isfinite(now).any() else yesterday[: self.today]

    def _state(self, task: Task, digest: str) -> None:
        name, cpu = task.name, task.usage["cpu"]
        before = self.stated.get(name)
        if before is not None and before.digest == digest:
            return
        since = -1 if before is None else self.history.latest // MOMENTS
        stated = Stated(digest, task.label, cpu.mean, cpu.variance, since)
        if before is not None and name in self.known:
            _, factor = self.donors.get(name) or (name, 1.0)
            self.donors[name] = (name, factor * ratio(cpu.mean, before.mean))
        else:
            self.donors[name] = self._donor(name, stated)
        self.stated[name] = stated
        self._forget_able()

    def _stands_for_itself(self, task: str) -> bool:
        given = self.donors.get(task)
        return given is not None and given[0] == task and task in self.known

    def _days(self, task: str, day: int) -> tuple[int, ...]:
        """Return, for each day of the window, the day that tells of a task."""
        # Closed days take no more samples of a task that is known.
        known = self.known.get(task)
        measured = [
            one
            for one in self.window
            if (
                one in known
                if known is not None and one != day
                else self.history.there(task, one)
            )
        ]
        since = self.stated[task].since
        own = [one for one in measured if one > since]
        if own:
            self.donors.pop(task, None)
        elif self._stands_for_itself(task):
            own = measured
        if not own:
            return ()
        window = np.array(self.window)
        nearest = np.abs(window[:, None] - np.array(own)).argmin(axis=1)
        return tuple(own[i] for i in nearest)

    def _donor(self, name: str, stated: Stated) -> tuple[str, float] | None:
        names, labels, means = self._able
        if not names:
            return None
        chosen = donor(
            len(names),
            np.append(np.ones(len(names), np.bool_), False),
            [*labels, stated.label],
            np.append(means, stated.mean),
            random_of(name),
        )
        return names[chosen], ratio(stated.mean, float(means[chosen]))

    @cached_property
    def _able(self) -> tuple[list[str], list[str | None], FloatArray]:
        """Whose history may stand in for others: names, labels, stated means."""
        names = [name for name in self.known if name not in self.donors]
        stated = [self.stated[name] for name in names]
        return names, [s.label for s in stated], np.array([s.mean for s in stated])

    def _forget_able(self) -> None:
        self.__dict__.pop("_able", None)

    def _books(self) -> tuple[dict[str, Any], ...]:
        return self.stated, self.donors, self.stays.of


_NOTHING = object()
