"""Whole pages: a plan, a comparison, a replay; each one file that opens offline."""

from cotenant.planning.results import Comparison, Plan, Replay
from cotenant.report import told
from cotenant.report.figures import machine_figures, methods_figure, replay_figures
from cotenant.report.shell import page
from cotenant.report.tables import assignment, comparison_rows, replayed
from cotenant.report.verdict import reference_of, with_own_row


def plan_page(plan: Plan) -> str:
    """Return the report of a plan: the answer first, every task at the end."""
    rows, rho = with_own_row(plan), float(plan.settings["rho"])
    answer, sentence = told.plan_answer(plan)
    return page(
        "plan.html",
        title=f"Plan: {answer}",
        charts=[methods_figure(rows, rows[0], rho, rows[0]), *machine_figures(plan)],
        table=assignment(plan),
        answer=answer,
        sentence=sentence,
        kept=not plan.overload.machines_above_rho,
        rows=comparison_rows(rows, rows[0], rho, rows[0]),
        result=plan,
        set_aside=told.set_aside(plan.cleaning),
    )


def comparison_page(comparison: Comparison) -> str:
    """Return the report of methods and rules side by side."""
    rows, rho = comparison.rows, float(comparison.settings["rho"])
    best = reference_of(comparison)
    answer, sentence = told.comparison_answer(comparison)
    return page(
        "comparison.html",
        title=f"Comparison: {answer}",
        charts=[methods_figure(rows, best, rho)],
        table=None,
        answer=answer,
        sentence=sentence,
        kept=best is not None,
        rows=comparison_rows(rows, best, rho),
        result=comparison,
        set_aside=told.set_aside(comparison.cleaning),
    )


def replay_page(replay: Replay) -> str:
    """Return the report of a plan judged on samples that it had not seen."""
    answer, sentence = told.replay_answer(replay)
    return page(
        "replay.html",
        title=f"Replay: {answer}",
        charts=replay_figures(replay),
        table=replayed(replay),
        answer=answer,
        sentence=sentence,
        kept=not replay.overload.machines_above_rho,
        result=replay,
        changed=[*told.calibrated(replay), *told.changed_tasks(replay)],
        set_aside=told.set_aside(replay.cleaning),
    )
