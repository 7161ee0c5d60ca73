"""The days of a backtest, each worked out by itself."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cotenant.arrays import IntArray
from cotenant.colocate.margin import MarginRule
from cotenant.colocate.methods import parse_method
from cotenant.errors import InvalidInput
from cotenant.sim.backtest import Planner, Setting
from cotenant.sim.history import History
from cotenant.sim.planners import (
    Curve,
    Curves,
    Plain,
    Tomorrow,
    by_method,
    by_replay,
)
from cotenant.workers import Where, mapped, open_workers, send

TOMORROW = "tomorrow"


def work_out(
    methods: Sequence[str],
    history: History,
    setting: Setting,
    workers: Where,
    advance: Callable[[str, int, int], None],
) -> dict[str, dict[int, Any]]:
    """Return, by base and day, what needs nothing that was learnt on other days.

    Parameters
    ----------
    methods
        Names as in `run_backtest`.
    workers
        Who works it out, see `open_workers`.

    Returns
    -------
    The curve of a day for ``tomorrow``, else the placements of a day; days on which no
    task is there are left out.
    """
    names = dict.fromkeys(_base(method) for method in methods)
    pieces = [(name, day) for name in names for day in range(1, history.days)]
    with open_workers(workers, len(pieces)) as opened:
        found = mapped(
            opened,
            _day,
            pieces,
            send(opened, history),
            setting,
            advance=lambda done, total: advance("days", done, total),
        )
    known: dict[str, dict[int, Any]] = {name: {} for name in names}
    for (name, day), value in zip(pieces, found, strict=True):
        if value is not None:
            known[name][day] = value
    return known


def _base(method: str) -> str:
    name, _, variant = method.partition(":")
    if name != TOMORROW:
        parse_method(method)
        return method
    if variant not in ("", "conservative"):
        raise InvalidInput(
            f"method is {method!r}; expected tomorrow or tomorrow:conservative"
        )
    return TOMORROW


def _day(
    piece: tuple[str, int], history: History, setting: Setting
) -> Curve | list[IntArray] | None:
    name, day = piece
    if not len(setting.tasks(history, day)):
        return None
    if name == TOMORROW:
        return _curves().of(history, setting, day)
    return by_method(name)(history, setting, day)(1.0)


def _curves(made: dict[int, Curve] | None = None) -> Curves:
    rule = MarginRule()
    return Curves(by_replay(rule.window), rule.grid, made or {})


def planner_of(method: str, known: Mapping[str, dict[int, Any]]) -> Planner:
    """Return who plans by a method, given what was worked out of each day."""
    base = _base(method)
    if base != TOMORROW:
        return Plain(lambda history, setting, day: lambda margin: known[base][day])
    rule = MarginRule.cautious() if method != TOMORROW else MarginRule()
    return Tomorrow(rule, _curves(known[TOMORROW]))
