"""Judges machines from scratch, by drawing what their tasks use."""

import numpy as np

DRAWS = 200_000


def judge(machines, demands, rho):
    """Check that no machine is above rho, by draws the service knows nothing of.

    Parameters
    ----------
    demands
        Mean and deviation of every task, taken as gamma distributed.
    """
    generator = np.random.default_rng(7)
    error = 4.0 * np.sqrt(rho * (1.0 - rho) / DRAWS)
    for machine in machines:
        total = np.zeros(DRAWS)
        for task in machine.tasks:
            mean, deviation = demands[task]
            shape, scale = (mean / deviation) ** 2, deviation**2 / mean
            total += generator.gamma(shape, scale, DRAWS)
        frequency = (total > machine.capacity["cpu"]).mean()
        assert frequency <= rho + error, (machine.name, frequency)
