"""Histories in chunks, for a snapshot."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from cotenant.arrays import FloatArray
from cotenant.service.keeping.history import MOMENTS
from cotenant.service.keeping.kept import Kept


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
