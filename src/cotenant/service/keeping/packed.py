"""What is kept, for a snapshot: facts as JSON, histories in chunks."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.service.keeping.daybook import Daybook
from cotenant.service.keeping.history import MOMENTS
from cotenant.service.keeping.kept import Kept
from cotenant.service.keeping.stated import Stated
from cotenant.service.keeping.stays import Stay


def facts_of(kept: Kept) -> dict[str, Any]:
    """Return the JSON form of all but the samples."""
    return {
        "daybook": kept.daybook.to_dict(),
        "window": kept.window,
        "known": kept.known,
        "stated": {
            name: [s.digest, s.label, s.mean, s.variance, s.since]
            for name, s in kept.stated.items()
        },
        "donors": kept.donors,
        "shed": kept.shed,
        "moved": kept.moved,
        "latest": kept.history.latest,
        "stays": {
            task: [[s.machine, s.since, s.until] for s in stays]
            for task, stays in kept.stays.of.items()
        },
    }


def read_facts(kept: Kept, data: Mapping[str, Any]) -> None:
    """Read the JSON form back."""
    kept.daybook = Daybook.from_dict(data["daybook"])
    kept.window = tuple(data["window"])
    kept.known = {name: tuple(days) for name, days in data["known"].items()}
    kept.stated = {name: Stated(*s) for name, s in data["stated"].items()}
    kept.donors = {
        name: None if given is None else (given[0], given[1])
        for name, given in data["donors"].items()
    }
    kept.shed = dict(data["shed"])
    kept.moved, kept.history.latest = data["moved"], data["latest"]
    kept.stays.of = {
        task: tuple(Stay(*stay) for stay in stays)
        for task, stays in data["stays"].items()
    }


def pieces(kept: Kept, size: int) -> Iterator[tuple[dict[str, Any], FloatArray]]:
    """Return histories of a few tasks at a time: their facts, and their samples."""
    for which in ("usage", "throttled"):
        book = getattr(kept.history, which)
        tasks = list(book)
        for first in range(0, len(tasks), size):
            some = tasks[first : first + size]
            days = [list(book[task]) for task in some]
            parts = [samples for task in some for samples in book[task].values()]
            numbers = np.concatenate([np.zeros(0), *parts])
            yield {"history": which, "tasks": some, "days": days}, numbers


def unpack(kept: Kept | None, facts: dict[str, Any], numbers: FloatArray) -> None:
    """Take in what `pieces` returned; nothing where no history is kept."""
    if kept is None:
        return
    book = getattr(kept.history, facts["history"])
    rows = iter(numbers.reshape(-1, MOMENTS))
    for task, days in zip(facts["tasks"], facts["days"], strict=True):
        book[task] = {day: next(rows) for day in days}
        kept.history.days.update(days)
