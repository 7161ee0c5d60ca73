"""Numbers for task names, in the order of their first appearance."""

import numpy as np
import polars as pl

from cotenant.arrays import IntArray


class Names:
    """Gives each new name the next number.

    Polars numbers the values of a `Categorical` for the whole process; those numbers
    are translated, so that a name is looked up once a batch and not once a row.
    """

    def __init__(self) -> None:
        self._parts: list[pl.Series] = []
        self._numbers = np.full(0, -1, np.int64)
        self._count = 0
        # The numbers of polars hold as long as any Categorical lives.
        self._alive = pl.Series([], dtype=pl.Categorical)

    def __len__(self) -> int:
        return self._count

    def number(self, names: pl.Series) -> IntArray:
        """Return the number of each name in a `Categorical` without nulls."""
        physical = names.to_physical()
        first = physical.unique(maintain_order=True).to_numpy()
        short = int(first.max(initial=0)) + 1 - len(self._numbers)
        if short > 0:
            more = np.full(max(short, len(self._numbers)), -1, np.int64)
            self._numbers = np.concatenate([self._numbers, more])
        fresh = self._numbers[first] < 0
        if fresh.any():
            seen = names.unique(maintain_order=True).filter(pl.Series(fresh))
            self._parts.append(seen.cast(pl.String))
            count = int(fresh.sum())
            self._numbers[first[fresh]] = self._count + np.arange(count)
            self._count += count
        numbers: IntArray = self._numbers[physical.to_numpy()]
        return numbers

    def all(self) -> pl.Series:
        """Return the names, by number."""
        return pl.concat([pl.Series([], dtype=pl.String), *self._parts])
