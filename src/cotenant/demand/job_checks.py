"""What the columns of jobs must hold, said about the first job that breaks it."""

from collections.abc import Mapping

import numpy as np

from cotenant.arrays import BoolArray, FloatArray, IntArray
from cotenant.errors import InvalidInput


def check_columns(columns: Mapping[str, IntArray | FloatArray], jobs: int) -> None:
    """Refuse columns of unequal length, or values out of their range.

    Raises
    ------
    InvalidInput
        Naming the column, and the job where one is to blame.
    """
    for name, column in columns.items():
        if column.shape != (jobs,):
            raise InvalidInput(
                f"jobs have {len(column)} values of {name}; expected {jobs}"
            )
    submit, runtime = columns["submit_s"], columns["runtime_s"]
    estimate = columns["estimate_s"]
    later = np.ones(jobs, dtype=np.bool_)
    later[1:] = np.diff(submit) >= 0
    for name, right, expected in (
        ("submit_s", np.isfinite(submit), "a number of seconds"),
        ("submit_s", later, "no earlier than the job before it"),
        ("processors", columns["processors"] >= 1, "1 or more"),
        ("runtime_s", (runtime > 0) & (runtime < np.inf), "seconds above 0"),
        ("estimate_s", np.isnan(estimate) | (estimate > 0), "seconds above 0, or NaN"),
    ):
        _refuse(columns, name, right, expected)
    if repeats(columns["id"]):
        raise InvalidInput("two jobs have the same id")


def _refuse(
    columns: Mapping[str, IntArray | FloatArray],
    name: str,
    right: BoolArray,
    expected: str,
) -> None:
    if not right.all():
        wrong = int(right.argmin())
        job, value = columns["id"][wrong], columns[name][wrong]
        raise InvalidInput(f"job {job} has {name} = {value}; expected {expected}")


def repeats(numbers: IntArray | FloatArray) -> bool:
    """Say whether a number occurs twice; faster than a set on ids, nearly sorted."""
    ordered = np.sort(numbers)
    return bool((ordered[1:] == ordered[:-1]).any())
