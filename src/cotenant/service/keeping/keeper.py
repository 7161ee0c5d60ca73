"""Who sees that a day is over: runs the nights and the guard beside the decisions."""

import logging
import threading

from cotenant.errors import CotenantError
from cotenant.service.core import Placement
from cotenant.service.keeping.daybook import date_of
from cotenant.service.keeping.guard import HOUR, plan_watch, record_watch
from cotenant.service.keeping.night import plan_night, record_night
from cotenant.service.picture import take_picture

log = logging.getLogger("cotenant.service")

LOOK_S = 1.0


class Keeper(threading.Thread):
    """Works out nights and watches in a thread of its own, and has them recorded.

    Time is that of the samples: the first one of a new day (UTC) ends the day before,
    the last one of an hour makes the guard look. So a feed that runs at speed makes
    days pass at speed, and a feed that stops makes nothing of the gap. Several
    processes may keep one ledger; whoever records a night first has made it.
    """

    def __init__(self, placement: Placement) -> None:
        super().__init__(name="cotenant-keeper", daemon=True)
        self._placement = placement
        self._news = threading.Event()
        self._closed = False
        self._watched = -1  # hours
        self.settled = -1
        """Moment up to which everything that was due is done."""

    def wake(self) -> None:
        """Look now: there are new samples."""
        self._news.set()

    def close(self) -> None:
        """Stop; what is being worked out is dropped."""
        self._closed = True
        self.wake()
        self.join()

    def run(self) -> None:
        """Look whenever there are new samples, until closed."""
        while not self._closed:
            try:
                while self.turn() and not self._closed:
                    pass
            except CotenantError as error:
                log.warning("the night has to wait: %s", error)
            except Exception:
                log.exception("a night or a watch failed")
            self._news.wait(LOOK_S)
            self._news.clear()

    def turn(self) -> bool:
        """Do one thing that is due; False if there was none."""
        told = self._placement.kept()
        if told is None or told.latest == self.settled:
            return False
        hours = (told.latest + 1) // HOUR
        if told.due:
            self._night()
            return True
        if hours > self._watched:
            self._watch()
            self._watched = hours
        self.settled = told.latest
        return False

    def _night(self) -> None:
        placement = self._placement
        picture = placement.decide(lambda desk: take_picture(desk.state)).result()
        night = plan_night(picture, placement.settings)
        if night is None:
            return
        recorded = placement.decide(lambda desk: record_night(desk, night)).result()
        told = placement.kept()
        if recorded and told is not None:
            log.info("counted %s", date_of(night.day.day))
            for alarm in told.daybook.alarms(told.rule):
                log.warning("after %s: %s", date_of(night.day.day), alarm)

    def _watch(self) -> None:
        placement = self._placement
        picture = placement.decide(lambda desk: take_picture(desk.state)).result()
        watch = plan_watch(picture, placement.settings)
        if watch is not None:
            placement.decide(lambda desk: record_watch(desk, watch)).result()
