"""What the papers print, to stand beside what is measured here.

Pawel Janus and Krzysztof Rzadca, "SLO-aware Colocation of Data Center Tasks Based on
Instantaneous Processor Requirements", SoCC 2017: q is the frequency of overload.
"""

from dataclasses import dataclass

TRACE, EVALUATION = "section 3", "evaluation"


@dataclass(frozen=True, slots=True)
class Printed:
    """A number of a paper.

    Parameters
    ----------
    key
        What is compared with it; `study.gpa.beside` knows how to measure it.
    what
        In words.
    where
        Part of the paper.
    low, high
        The value; two where a range is printed.
    """

    key: str
    what: str
    where: str
    low: float
    high: float | None = None


GPA = (
    Printed("tasks zero", "Tasks that are idle throughout", TRACE, 0.012),
    Printed("tasks short", "Tasks of less than two hours", TRACE, 0.95),
    Printed("slope instantaneous", "Deviation on mean: slope", TRACE, 0.36),
    Printed("offset instantaneous", "Deviation on mean: offset", TRACE, 0.015),
    Printed("slope averages", "The same of averages: slope", TRACE, 0.31),
    Printed("offset averages", "The same of averages: offset", TRACE, 0.010),
    Printed(
        "stationarity",
        "Windows that differ, mean of 12, 24 and 36 samples",
        TRACE,
        0.30,
    ),
    Printed("cluster smallest", "Smallest of 16 clusters of shapes", TRACE, 0.014),
    Printed("cluster largest", "Largest of 16 clusters of shapes", TRACE, 0.176),
    Printed("normality 50", "Sums of 50 tasks not normal", TRACE, 0.78),
    Printed("normality 500", "Sums of 500 tasks not normal", TRACE, 0.09),
    Printed("load 500", "Mean load of 500 tasks", TRACE, 13.5),
    Printed("machines mean:1", "Machines, means", EVALUATION, 28.0),
    Printed("machines gaussian 0.1", "Machines, GPA 0.1", EVALUATION, 35.0),
    Printed("machines gaussian 0.001", "Machines, GPA 0.001", EVALUATION, 47.0),
    Printed("q gaussian 0.001", "q, GPA 0.001", EVALUATION, 1.6e-3),
    Printed("q cantelli:1", "q, Cantelli 1", EVALUATION, 3e-4),
    Printed("q cantelli:1.7", "q, Cantelli 1.7", EVALUATION, 2e-6),
    Printed("q percentile:90", "q, percentile 90", EVALUATION, 7e-5),
    Printed("q percentile:95", "q, percentile 95", EVALUATION, 5e-6),
    Printed("q percentile:99", "q, percentile 99", EVALUATION, 2e-8),
    Printed(
        "averages max 0.8", "q, largest averages, machines of 0.8", EVALUATION, 3e-7
    ),
    Printed("averages max 1", "q, largest averages, machines of 1", EVALUATION, 5e-5),
    Printed(
        "averages cantelli:1", "q on averages over q, Cantelli 1", EVALUATION, 10.0
    ),
    Printed(
        "averages gaussian", "q on averages over q, GPA 0.01", EVALUATION, 2.0, 3.0
    ),
    Printed("rebalancing", "Rebalancing changes q, GPA 0.001", EVALUATION, -0.07),
)
