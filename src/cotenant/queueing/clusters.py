"""Clusters as arrays: how many processors, how fast."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cotenant.arrays import FloatArray, IntArray
from cotenant.errors import InvalidInput
from cotenant.fleet import Cluster

# The kernels pack a cluster into so many values beside a number of processors.
MOST = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Where jobs may run, in a fixed order; a cluster is known by its number in it.

    Parameters
    ----------
    size, speed
        `(clusters,)` processors and relative speed.
    names
        For people; ``c1``, ``c2`` ... where none is given.

    Examples
    --------
    >>> Clusters.of([parse_cluster("128@2"), parse_cluster("64")]).speed.tolist()
    [2.0, 1.0]
    """

    size: IntArray
    speed: FloatArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, clusters: Sequence[Cluster]) -> "Clusters":
        """Make them from their descriptions.

        Raises
        ------
        InvalidInput
            If there is none, too many, or two have the same name.
        """
        if not 0 < len(clusters) < MOST:
            raise InvalidInput(
                f"there are {len(clusters)} clusters; expected 1 to {MOST - 1}"
            )
        names = [c.name or f"c{at}" for at, c in enumerate(clusters, start=1)]
        if len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise InvalidInput(f"two clusters are named {twice!r}")
        return cls(
            np.array([c.processors for c in clusters], dtype=np.int64),
            np.array([c.speed for c in clusters], dtype=np.float64),
            tuple(names),
        )

    def __len__(self) -> int:
        return len(self.size)

    @property
    def largest(self) -> int:
        """Most processors a job may ask for."""
        return int(self.size.max())

    @property
    def ability(self) -> float:
        """Processor seconds at speed 1 that all clusters do in a second."""
        return float(self.size @ self.speed)


def parse_cluster(text: str, name: str = "") -> Cluster:
    """Read ``128@1.5``: processors, and a speed relative to the log's machine.

    >>> parse_cluster("128@1.5")
    Cluster(processors=128, speed=1.5, name='')
    """
    count, at, speed = text.strip().partition("@")
    try:
        return Cluster(int(count), float(speed) if at else 1.0, name)
    except InvalidInput:
        raise
    except ValueError as error:
        raise InvalidInput(
            f"cluster is {text!r}; expected PROCESSORS@SPEED such as 128@1.5"
        ) from error
