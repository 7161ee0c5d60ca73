import dataclasses
import math

import pytest

from cotenant.planning.results import Row
from cotenant.report.verdict import (
    labels,
    method_name,
    phrase,
    reference_of,
    with_own_row,
)
from tests.unit.report import samples

OURS = Row("exact", "best-fit", 52, 1.6, 0.00095, 0.001, 0, 0, 0.1)


def other(**changes) -> Row:
    return dataclasses.replace(OURS, method="gaussian", **changes)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (
            other(machines=47, overload_mean=0.0047, machines_above_rho=45),
            "promises 0.1 %, breaks it 4.7 times over",
        ),
        (
            other(worst_machine=0.003, machines_above_rho=1),
            "1 machine above 0.1 %, up to 0.3 %",
        ),
        (other(machines=59), "7 machines more than needed"),
        (other(machines=51), "1 machine fewer"),
        (other(), "the same number of machines"),
        (
            other(machines=40, overload_mean=math.nan),
            "12 machines fewer, overload not known",
        ),
        (
            other(machines=40, unplaced=3),
            "leaves 3 tasks unplaced, so its machines do not compare",
        ),
        (OURS, ""),
    ],
)
def test_a_phrase_says_what_the_numbers_say(row, text):
    assert phrase(row, OURS, 0.001) == text


def test_a_rule_that_promises_nothing_is_not_accused_of_breaking_a_promise():
    row = dataclasses.replace(
        OURS, method="mean:1.1", overload_mean=0.061, machines_above_rho=9
    )
    assert phrase(row, OURS, 0.001) == "61 times the accepted 0.1 %"


def test_more_machines_are_not_more_than_needed_when_ours_breaks_the_promise():
    ours = dataclasses.replace(OURS, machines_above_rho=2, overload_mean=0.002)
    assert phrase(other(machines=59), ours, 0.001) == "7 machines more"
    assert phrase(ours, ours, 0.001) == "promises 0.1 %, breaks it 2 times over"


def test_our_method_comes_first_and_only_once():
    rows = with_own_row(samples.plan())
    assert labels(rows, rows[0])[0] == "exact (yours)"
    assert [row.method for row in rows].count("exact") == 1


def test_rules_are_named_where_they_differ():
    rows = [OURS, dataclasses.replace(OURS, rule="first-fit")]
    assert labels(rows) == ["exact, best fit", "exact, first fit"]


def test_the_reference_keeps_the_promise_with_the_fewest_machines():
    found = reference_of(samples.comparison())
    assert found is not None
    assert found.method == "exact"


@pytest.mark.parametrize(
    ("method", "name"),
    [
        ("percentile:91", "91st percentiles"),
        ("percentile:99.9", "99.9th percentiles"),
        ("cantelli:3", "mean + 3 deviations"),
        ("cantelli", "cantelli"),
    ],
)
def test_methods_are_spoken(method, name):
    assert method_name(method) == name
