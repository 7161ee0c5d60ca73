"""The theorems of the MorphoSys paper as named rules, as printed and as corrected.

A rule says yes, or nothing. None of them decides anything in this package: that is for
`rewrite.is_safe`, and the rules are shown beside it. Several are unsound as printed:
docs/sla-theorems.md has the counterexamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from cotenant.demand import conditions
from cotenant.demand.conditions import Condition
from cotenant.demand.sla import Sla


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition of the paper for `offered` to replace `required`, both rigid.

    Parameters
    ----------
    name
        What it is called.
    printed
        The condition as printed; may accept what is unsafe.
    corrected
        A sound condition in its place.
    """

    name: str
    printed: Condition
    corrected: Condition


RULES = (
    Rule("theorem 1", conditions.theorem_1, conditions.theorem_1),
    Rule("theorem 2", conditions.theorem_2_printed, conditions.theorem_2),
    Rule("theorem 3", conditions.theorem_3, conditions.theorem_3),
    Rule("theorem 4", conditions.theorem_4_printed, conditions.theorem_4),
    Rule("theorem 5", conditions.theorem_5, conditions.theorem_5),
    Rule("theorem 6", conditions.theorem_6, conditions.theorem_6),
    Rule("theorem 7", conditions.theorem_7_printed, conditions.theorem_7),
)


def paper_verdict(offered: Sla, required: Sla) -> str | None:
    """Return the rule that accepts as printed, None where the paper has nothing to say.

    A condition of Theorem 1 is called by its number alone. A fluid SLA is rigid at
    whichever period suits (Theorem 8): all of `offered` must be accepted, each for one
    of `required`, and the name is that of the last.

    Examples
    --------
    >>> paper_verdict(Sla(1, 2), Sla(1, 5)), paper_verdict(Sla(3, 4), Sla(1, 2))
    ('condition 1', None)
    >>> paper_verdict(Sla(1, 2), Sla(2, 4))
    'theorem 3'
    >>> paper_verdict(Sla(1, 3, 1, 11), Sla(1, 7, 2, 7))
    'theorem 2 condition 1'
    """
    name = None
    for period in offered.periods:
        chosen = offered.at(period)
        names = (_name(chosen, required.at(other)) for other in required.periods)
        name = next((name for name in names if name), None)
        if name is None:
            return None
    return name


def paper_budget(required: Sla, period: int) -> int | None:
    """Return the least budget by Theorems 1, 3 and 8, None where it exceeds `period`.

    Budgets are rounded up, and no period of `required` is missed.

    Examples
    --------
    >>> paper_budget(Sla(2, 10), 5), paper_budget(Sla(2, 10), 4)
    (1, 2)
    >>> paper_budget(Sla(4, 9), 3), paper_budget(Sla(4, 5), 2)
    (2, None)
    """
    budgets = (
        budget
        for length in required.periods
        for budget in _budgets(required.at(length), period)
    )
    return min((b for b in budgets if b <= period), default=None)


def _name(offered: Sla, required: Sla) -> str | None:
    accepting = (rule.name for rule in RULES if rule.printed(offered, required))
    name = next(accepting, None)
    condition = f"condition {conditions.case(offered, required)}"
    if name == "theorem 1":
        return condition
    return f"{name} {condition}" if name == "theorem 2" else name


def _budgets(required: Sla, period: int) -> Iterator[int]:
    if required.period % period == 0:
        yield -(-required.budget * period // required.period)
    condition = conditions.case(Sla(0, period), required)
    if condition == 1:
        yield -(-required.budget // (required.period // period - 1))
    else:
        yield period - (required.period - required.budget) // condition
