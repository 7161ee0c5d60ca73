"""In which order jobs start: strictly as they came, or with backfilling."""

from collections.abc import Mapping
from enum import IntEnum

from cotenant.errors import InvalidInput


class Order(IntEnum):
    """Orders, by the numbers that the kernels know them by.

    `FCFS`: the head blocks everyone until some cluster has room for it.

    `EASY`: the blocked head is promised the cluster with the earliest start by what is
    believed of run times. Any other job may start now, in order of the queue, on
    another cluster, or on the promised one if it ends by then (`now + estimate / speed
    <= shadow`) or needs no more processors than the head leaves over.

    `CONSERVATIVE`: every job is promised a slot when it arrives; promises only move
    forward, unless a job outlives what was believed of it.

    Completions come before arrivals at the same moment, intervals are half-open, and a
    running job that should have ended is taken to end a second from now.
    """

    FCFS = 0
    EASY = 1
    CONSERVATIVE = 2


ORDERS: Mapping[str, Order] = {
    "fcfs": Order.FCFS,
    "easy": Order.EASY,
    "conservative": Order.CONSERVATIVE,
}


def parse_order(text: str) -> Order:
    """Return the order of this name.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    if text not in ORDERS:
        raise InvalidInput(f"order is {text!r}; expected one of {', '.join(ORDERS)}")
    return ORDERS[text]
