"""The study of tomorrow: its sets, its scenarios, the methods it compares."""

import json
from pathlib import Path

import numpy as np
import pytest

from cotenant import __version__
from cotenant.colocate.exact import ExactAdmission
from cotenant.colocate.margin import MarginRule
from cotenant.demand.usage import Usage
from cotenant.errors import InvalidInput, SourceNotFound
from cotenant.report.profile_page import profile_page
from cotenant.sim.backtest import Setting
from cotenant.sim.history import History
from cotenant.sim.planners import Curve, Curves, by_method, by_replay
from cotenant.study.tomorrow import cells, rules, scenarios, sets
from cotenant.study.tomorrow.methods import Adaptive, drift, scaled
from cotenant.study.tomorrow.study import study_tomorrow
from cotenant.study.tomorrow.told import tell


def history_of(days: list[list[float | None]]) -> History:
    """Two moments a day, both as given; None where the task is not there."""
    usage = np.array(days, dtype=float)[:, :, None].repeat(2, axis=2)
    present = np.isfinite(usage[:, :, 0])
    return History([f"t{i}" for i in range(len(days))], usage, present)


def test_copies_are_set_off_by_whole_days_and_do_not_wrap() -> None:
    made = sets.copied(history_of([[0.0, 1.0, 2.0, 3.0, 4.0]]), (0, 1, 3))
    assert made.usage[:, :, 0].tolist() == [[0.0, 1.0], [1.0, 2.0], [3.0, 4.0]]
    assert len(set(made.names)) == 3


def test_parts_are_laid_over_each_other_by_their_last_days() -> None:
    parts = [history_of([[0.0, 1.0, 2.0]]), history_of([[8.0, 9.0]])]
    assert sets.overlaid(parts).usage[:, :, 0].tolist() == [[1.0, 2.0], [8.0, 9.0]]


def test_a_first_day_that_is_covered_in_part_is_left_out() -> None:
    assert sets.whole_days(history_of([[None, 1.0], [None, 2.0]])).days == 1
    assert sets.whole_days(history_of([[0.5, 1.0], [None, 2.0]])).days == 2


def test_a_missing_source_is_named() -> None:
    with pytest.raises(SourceNotFound, match="azure2017"):
        sets.history_of("nowhere", "azure maxima")


def test_a_shift_raises_some_tasks_from_its_day_on() -> None:
    before = history_of([[1.0] * 4] * 10)
    after = scenarios.level_shift(before, 2, seed=3)
    raised = (after.usage > before.usage).all(axis=2)
    assert not raised[:, :2].any()
    assert raised[:, 2].sum() == 3
    assert (raised[:, 2] == raised[:, 3]).all()
    assert after.usage.max() == 1.5


def test_growth_compounds() -> None:
    grown = scenarios.growth(history_of([[1.0] * 3]))
    assert grown.usage[0, :, 0] == pytest.approx([1.0, 1.02, 1.0404])


def test_renewed_tasks_share_out_what_the_old_ones_used() -> None:
    before = history_of([[float(10 * t + d) for d in range(12)] for t in range(20)])
    after = scenarios.renewal(before, seed=1)
    assert len(after.names) > 20
    assert after.present.sum(axis=0).tolist() == [20] * 12
    total = np.nansum(after.usage, axis=0)
    assert total == pytest.approx(np.nansum(before.usage, axis=0))
    first = after.present.argmax(axis=1)
    assert all(after.present[i, first[i] :].any() for i in range(len(first)))
    assert 0 < (first > 0).mean() < 1


def test_drift_is_measured_against_the_days_before() -> None:
    steady = history_of([[1.0, 2.0, 3.0, 4.0]])
    # 2 after 1, 3 after a mean of 1.5, 4 after a mean of 2; the day itself is unknown.
    ratios = [2.0, 2.0, 1.0]
    quantiles = np.quantile(ratios, (np.arange(7) + 0.5) / 7)
    assert drift(steady, 3) == pytest.approx(quantiles)


def test_a_scale_mixture_is_the_mean_of_exact_tests_of_scaled_usage() -> None:
    random = np.random.default_rng(4)
    held = [Usage.from_samples(random.random(40) * 0.6) for _ in range(3)]
    scales = np.array([0.8, 1.0, 1.7])
    mixture = ExactAdmission(0.5, slots=3)
    mixture.grow(1.0)
    for usage in held:
        mixture.add(0, scaled(usage, scales))
    parts = []
    for scale in scales:
        alone = ExactAdmission(0.5)
        alone.grow(1.0)
        for usage in held:
            alone.add(0, Usage.from_samples(usage.values * scale))
        parts.append(alone.overload(0))
    assert mixture.overload(0) == pytest.approx(np.mean(parts), rel=1e-3)


def test_adaptive_planning_goes_both_ways_and_is_bounded() -> None:
    planner, setting = Adaptive(by_method("exact")), Setting(1.0, 0.01)
    history = history_of([[0.1] * 3])
    planner.learn(history, setting, 1, 0.03)
    assert planner.margin == pytest.approx(np.exp(0.1 * 2))
    planner.learn(history, setting, 2, 0.0)
    assert planner.margin == pytest.approx(np.exp(0.1))
    for _ in range(200):
        planner.learn(history, setting, 2, 0.0)
    assert planner.margin == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("rho", "machines"), [(0.03, 10.0), (0.02, 11.0), (0.01, 12.0), (0.005, 15.0)]
)
def test_hindsight_chooses_between_two_margins_at_random(
    rho: float, machines: float
) -> None:
    curves = Curves(by_replay(14), (1.0, 1.1, 1.2))
    over = np.array([[0.04, 0.01, 0.0], [0.02, 0.01, 0.0]])
    plans = np.array([[9.0, 11.0, 17.0], [11.0, 13.0, 19.0]])
    curves.made = {d: Curve(over[d], plans[d]) for d in (0, 1)}
    assert cells.hindsight(curves, [0, 1], rho) == pytest.approx(machines)


def made_up(folder: Path) -> Path:
    """Write the cells of the study with made-up days, as if they had been run."""
    lines = []
    for cell in cells.cells_of(cells.PARTS, str(folder), 3, 0):
        names = cells.METHODS if cell.part == "sets" else cells.FEW
        times = {name: 0.6 + 0.1 * at for at, name in enumerate(reversed(names))}
        daily = {
            name: [
                {"day": day, "overload": cell.rho * times[name] * (1 + day % 2 * 0.1)}
                | {"machines": 5.0, "margin": 1.2, "above": 0.25, "worst": 0.5}
                for day in range(8, 20)
            ]
            for name in names
        }
        value = {"daily": daily, "hindsight": 4.0}
        entry = {"cell": cell.text(), "version": __version__, "value": value}
        lines.append(json.dumps(entry))
    kept = folder / "kept.jsonl"
    kept.write_text("\n".join(lines))
    return kept


def test_the_study_is_put_together_from_its_cells(tmp_path: Path) -> None:
    for source in {s for one in sets.SETS.values() for s in one.sources}:
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / source).write_text("")
    result = study_tomorrow(str(tmp_path), keep=str(made_up(tmp_path)))
    assert len(result.rows) == 21 * 8 + 9 * 5
    best = next(s for s in result.summary if (s.method, s.rho) == ("default", 0.01))
    assert (best.sets, best.inside) == (7, 7)
    assert best.overload_over_rho == pytest.approx(0.63)
    assert best.cost == pytest.approx(0.25)
    told = tell(result)
    assert told.answer == "21 of 21 rows"
    assert {"A level that shifts", "Steady growth"} <= {s.title for s in told.sections}
    assert "promised" in profile_page(told)
    assert result.to_dict()["kind"] == "StudyTomorrow"
    assert result.to_frame().height == len(result.rows)


def test_unknown_parts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="part is"):
        study_tomorrow(str(tmp_path), ["weather"])


def test_a_rule_is_followed_along_curves_as_the_service_would_follow_it() -> None:
    rule, rho = MarginRule(), 0.05
    overload = np.linspace(0.4, 0.0, len(rule.grid))
    days = [Curve(overload * scale, np.arange(14.0)) for scale in (1.0, 0.4, 0.9, 0.5)]
    margin, correction, seen, found = rule.first, 0.0, [], []
    for day in days:
        place = np.interp(np.log(margin), np.log(rule.grid), np.arange(14.0))
        over = float(np.interp(place, np.arange(14.0), day.overload))
        found.append((over / rho, place))
        seen.append(day.overload)
        correction = rule.correct(correction, over, rho)
        margin = rule.margin(rule.fit(seen, rho), correction)
    followed = rules.follow(days, rho, rules.RULES["default"], burn_in=1)
    assert followed == pytest.approx(tuple(np.mean(found[1:], axis=0)))


def test_rules_read_days_as_they_say() -> None:
    grid = len(MarginRule().grid)
    bad, good = np.linspace(0.2, 0.0, grid), np.zeros(grid)
    assert rules.average([good, bad], 0.01) > 1.0
    assert rules.recent(1.0)([bad, good], 0.01) < rules.recent(1.0)([good, bad], 0.01)
    assert rules.larger([*[good] * 20, bad], 0.01) > rules.average(
        [*[good] * 20, bad], 0.01
    )
    assert rules.quantile(0.5)([good, good, bad], 0.01) == 1.0
    assert rules.quantile(1.0)([good, good, bad], 0.01) > 1.5
