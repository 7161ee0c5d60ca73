"""Where a job starts: greedy allocators, each a function of what it sees.

The kernels know these by number and run them compiled; the functions say what they do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cotenant.kernels import queue_state as kernel
from cotenant.kernels.queueing import reserve
from cotenant.queueing.view import View


@dataclass(frozen=True, slots=True)
class WaitFor:
    """The answer "not now: wait for that cluster".

    Under EASY, the head of the queue is then promised that cluster.
    """

    cluster: int


Answer: TypeAlias = int | WaitFor | None
Allocator: TypeAlias = Callable[[View], Answer]


def best_fit(view: View) -> int:
    """Pick the cluster that would have fewest processors left.

    The faster one on a tie, then the lower-numbered.
    """
    return best_fit_order(view)[0]


def worst_fit(view: View) -> int:
    """Pick the cluster that would have most processors left; ties as in best fit."""
    room: list[int] = view.room.tolist()
    return min(room, key=lambda c: (-view.left(c), -_speed(view, c), c))


def fastest_first(view: View) -> int:
    """Pick the fastest cluster with room.

    The one with fewest processors left on a tie, then the lower-numbered.
    """
    return fastest_first_order(view)[0]


def random_cluster(view: View) -> int:
    """Pick any cluster with room, by a number drawn for the job beforehand."""
    room = view.room
    return int(room[int(view.work.draw[view.job] * len(room))])


def earliest_completion(view: View) -> Answer:
    """Pick the cluster where the job would complete first, waiting for it if busy.

    By what is believed of the jobs that run; the faster cluster on a tie. A job that
    is backfilled under EASY does not wait, so for it this is fastest first.
    """
    if view.profiles is not None:
        end = view.soonest_s + view.believed_s / view.site.speed
        large: list[int] = view.large.tolist()
        return min(large, key=lambda c: (end[c], -_speed(view, c), c))
    if not view.is_head:
        return fastest_first(view)
    cluster, when, _ = reserve(view.site, view.work, view.state, view.job, True, -1)
    return int(cluster) if when <= view.now else WaitFor(int(cluster))


COMPILED: Mapping[Allocator, int] = {
    best_fit: kernel.BEST_FIT,
    fastest_first: kernel.FASTEST_FIRST,
    worst_fit: kernel.WORST_FIT,
    random_cluster: kernel.RANDOM,
    earliest_completion: kernel.EARLIEST_COMPLETION,
}


def fastest_first_order(view: View) -> list[int]:
    """Return the clusters with room, the choice of fastest first at the front."""
    room: list[int] = view.room.tolist()
    return sorted(room, key=lambda c: (-_speed(view, c), view.left(c), c))


def best_fit_order(view: View) -> list[int]:
    """Return the clusters with room, the choice of best fit at the front."""
    room: list[int] = view.room.tolist()
    return sorted(room, key=lambda c: (view.left(c), -_speed(view, c), c))


def _speed(view: View, cluster: int) -> float:
    return float(view.site.speed[cluster])
