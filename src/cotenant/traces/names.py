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

    def fresh(self, names: pl.Series) -> pl.Series:
        """Give numbers to the new names of a `Categorical`, and return those as text.

        Nulls have no number and are not returned.
        """
        physical = names.to_physical().drop_nulls()
        if self._known(physical.to_numpy()):
            return pl.Series([], dtype=pl.String)
        seen = names.drop_nulls().unique(maintain_order=True)
        first = seen.to_physical().to_numpy()
        new = self._numbers[first] < 0
        fresh = seen.filter(pl.Series(new)).cast(pl.String)
        self._numbers[first[new]] = self._count + np.arange(len(fresh))
        self._count += len(fresh)
        self._parts.append(fresh)
        return fresh

    def number(self, names: pl.Series) -> IntArray:
        """Return the number of each name in a `Categorical` without nulls."""
        self.fresh(names)
        numbers: IntArray = self._numbers[names.to_physical().to_numpy()]
        return numbers

    def _known(self, physical: IntArray) -> bool:
        short = int(physical.max(initial=0)) + 1 - len(self._numbers)
        if short > 0:
            more = np.full(max(short, len(self._numbers)), -1, np.int64)
            self._numbers = np.concatenate([self._numbers, more])
            return False
        return bool((self._numbers[physical] >= 0).all())

    def all(self) -> pl.Series:
        """Return the names, by number."""
        return pl.concat([pl.Series([], dtype=pl.String), *self._parts])
