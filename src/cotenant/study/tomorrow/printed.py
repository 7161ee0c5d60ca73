"""What the design study of the margin measured, to stand beside what is measured here.

It chose the constants on six of these sets and two of PlanetLab and others, so neither
its numbers nor ours are of data that the constants have not seen. Overload over rho.
"""

# By set: at 0.1, 0.01 and 0.001, the default.
DEFAULT = {
    "azure averages": (0.76, 0.74, 0.69),
    "azure maxima": (0.80, 0.86, 0.64),
    "azure x3": (0.91, 0.97, 0.77),
    "bitbrains": (0.64, 0.87, 1.00),
    "bitbrains x3": (0.87, 0.59, 0.14),
    "google job-days": (0.61, 0.66, 0.81),
    "alibaba x2": (0.59, 0.85, 1.03),
}
# The same by method, mean over sets; None where nothing is printed.
MEANS: dict[str, tuple[float | None, ...]] = {
    "exact": (1.54, 3.23, 6.4),
    "replay": (None, 2.02, None),
    "divisor": (1.12, 1.41, 2.0),
    "mixture": (None, 1.15, None),
    "adaptive": (1.08, 1.32, 2.3),
    "fitted": (0.93, 1.08, 1.03),
    "conservative": (0.57, 0.58, 0.69),
    "default": (0.79, 0.82, 0.77),
}
# By scenario and method; the first two of a shift are the day it comes and the next.
SHIFT_FIRST: dict[str, tuple[float, ...]] = {
    "conservative": (3.2, 12.0, 20.0),
    "default": (3.2, 10.0, 19.0),
}
SHIFT_SECOND: dict[str, tuple[float, ...]] = {"default": (1.7, 0.2, 0.0)}
SCENARIOS: dict[str, dict[str, tuple[float, ...]]] = {
    "shift": {"default": (1.06, 1.37, 2.1)},
    "growth": {
        "replay": (2.9, 5.0, 15.0),
        "fitted": (1.3, 1.5, 2.6),
        "conservative": (0.93, 0.83, 1.03),
        "default": (1.09, 1.33, 1.74),
    },
    "newcomers": {"default": (0.86, 1.03, 0.69)},
}
