"""Harmonic chains: how few cover a set of periods."""

from functools import lru_cache


@lru_cache(maxsize=65_536)
def chain_cover(periods: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Cover distinct periods with the fewest chains in which each divides the next.

    Divisibility is transitive, so the fewest chains are the fewest vertex-disjoint
    paths: the number of periods less a maximum matching between each period and the
    next one in its chain (Dilworth, 1950; Fulkerson, 1956). Taking chains greedily can
    need more.

    Parameters
    ----------
    periods
        Ascending, each once.

    Examples
    --------
    >>> chain_cover((2, 3, 4, 6, 12))
    ((2, 4, 12), (3, 6))
    """
    follows: dict[int, int] = {}  # period -> the one before it in its chain

    def extend(period: int, seen: set[int]) -> bool:
        for other in periods:
            if other > period and other % period == 0 and other not in seen:
                seen.add(other)
                if other not in follows or extend(follows[other], seen):
                    follows[other] = period
                    return True
        return False

    for period in periods:
        extend(period, set())
    after = {first: second for second, first in follows.items()}
    chains = []
    for period in periods:
        if period not in follows:
            chain = [period]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            chains.append(tuple(chain))
    return tuple(chains)
