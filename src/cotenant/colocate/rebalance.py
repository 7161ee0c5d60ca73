"""Evens out a finished packing: the paper's rebalancing."""

from cotenant.colocate.placer import C, D, Placer


def rebalance(placer: Placer[D, C]) -> list[tuple[str, int]]:
    """Fill the last machine from the others; return `(task, machine it left)` moves.

    Machine after machine gives the first of its tasks, in the order they joined, that
    the last machine admits; rounds repeat until one moves nothing. No machine breaks
    its test: givers only lose. (Janus and Rzadca, SoCC 2017, section 5.)
    """
    last = len(placer.machines) - 1
    moves: list[tuple[str, int]] = []
    moved = True
    while moved:
        moved = False
        for machine in range(last):
            task = next(
                (t for t in placer.tasks(machine) if placer.fits(t, last)), None
            )
            if task is not None:
                placer.move(task, last)
                moves.append((task, machine))
                moved = True
    return moves
