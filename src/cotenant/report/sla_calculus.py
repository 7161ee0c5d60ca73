"""Answers about single SLAs on a terminal: checked, rewritten, exported, audited."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cotenant.demand.counterexample import Counterexample
from cotenant.demand.schedule import missed_periods
from cotenant.demand.sla import Sla
from cotenant.planning.sla.host import SlaAudit, SlaExport
from cotenant.planning.sla.verdicts import SlaCheck, SlaRewrite
from cotenant.report.words import counted, figure, percent, visible

_FIRST_FEW = 5


def show_sla_check(check: SlaCheck, console: Console) -> None:
    """Print the verdict, the schedule that proves a no, and the paper's view."""
    answer = "safe" if check.safe else "not safe"
    verb = "may replace" if check.safe else "cannot replace"
    _headline(answer, f"{check.offered} {verb} {check.required}", console)
    rows = [("windows", f"{check.window}, phase {check.phase}; decided exactly")]
    if check.counterexample is not None:
        rows += _proof(check, check.counterexample)
    rows.append(("paper", _paper(check)))
    rows += [("note", note) for note in check.notes]
    if not check.safe:
        rows.append(("next", _rewriting(check)))
    _listed(rows, console)


def show_sla_rewrite(rewrite: SlaRewrite, console: Console) -> None:
    """Print the least safe budget, its price, and what the paper would ask."""
    new, required = rewrite.rewritten, rewrite.required
    if new is None:
        told = f"no budget at period {rewrite.period:,} keeps {required}"
        _headline("none", told, console)
    else:
        share = f"{percent(new.utilization)} of a machine"
        _headline(str(new), f"keeps {required}: {share}{_price(rewrite)}", console)
    least = f"{rewrite.window}, phase {rewrite.phase}; no smaller budget is safe"
    rows = [("windows", least), ("paper", _paper_price(rewrite))]
    rows += [("note", note) for note in rewrite.notes]
    if new is not None and new.misses == 0:
        rows.append(("next", f"cotenant sla export {new} --to cgroup"))
    _listed(rows, console)


def show_sla_export(export: SlaExport, console: Console) -> None:
    """Print the settings alone, so that they can be piped."""
    console.print(Text(export.settings.text), soft_wrap=True)


def show_sla_audit(audit: SlaAudit, console: Console) -> None:
    """Print whether the SLA was kept, and the windows that were worst."""
    answer = {True: "kept", False: "broken", None: "cannot tell"}[audit.kept]
    sla, many = audit.sla, counted(audit.periods, "period")
    missed = f"{audit.missed:,} of {many} missed"
    _headline(answer, f"{sla}: {missed}, {_allowed(sla)}", console)
    if audit.missed:
        console.print(_worst(audit))
        console.print()
    tick = f"{figure(audit.tick_ms)} ms a tick, {audit.window} windows"
    rows = [("assumed", f"{tick}; the task wanted to run all the time")]
    if audit.unclear:
        few = f"{counted(audit.unclear, 'period')} fall between readings"
        rows.append(("unclear", f"{few} that are too far apart to tell"))
    _listed(rows, console)


def _proof(check: SlaCheck, against: Counterexample) -> Iterable[tuple[str, str]]:
    required = check.required.at(check.required.period)
    missed = missed_periods(against.schedule, required, against.origin).tolist()
    starts, ends = (slots.tolist() for slots in against.schedule.idle())
    runs = zip(starts, ends, strict=True)
    idle = [f"{a}" if b == a + 1 else f"{a}-{b - 1}" for a, b in runs]
    slots = counted(against.schedule.length, "slot")
    yield "proof", f"a schedule of {slots} that keeps {check.offered} but"
    clock = f", counted from slot {against.origin}" if against.origin else ""
    yield "", f"misses {_few([str(i) for i in missed], 'period')} of {required}{clock}"
    yield "", f"idle in {_few(idle, 'slots')}"


def _rewriting(check: SlaCheck) -> str:
    command = f"cotenant sla rewrite {check.required} --period {check.offered.period}"
    if check.window != "aligned":
        command += f" --window {check.window}"
    return command if check.phase == "aligned" else f"{command} --phase {check.phase}"


def _few(items: Sequence[str], noun: str) -> str:
    shown = ", ".join(items[:_FIRST_FEW])
    plural = "s" if len(items) > 1 and not noun.endswith("s") else ""
    more = len(items) - _FIRST_FEW
    return f"{noun}{plural} {shown}" + (f" and {more:,} more" if more > 0 else "")


def _paper(check: SlaCheck) -> str:
    if check.paper is None:
        return "no condition of MorphoSys accepts it"
    told = f"MorphoSys accepts it by {check.paper}"
    if check.safe:
        return told
    if (check.window, check.phase) == ("aligned", "aligned"):
        return f"{told}, wrongly: see the docs on its theorems"
    return f"{told}, for aligned windows and phases"


def _price(rewrite: SlaRewrite) -> str:
    if rewrite.overhead is None:
        return ""
    more = rewrite.overhead > 0
    change = f"{percent(abs(rewrite.overhead))} {'more' if more else 'less'} than"
    change = change if rewrite.overhead else "as much as"
    return f", {change} the {percent(rewrite.required.utilization)} asked"


def _paper_price(rewrite: SlaRewrite) -> str:
    if rewrite.paper_budget is None and rewrite.tolerance[0]:
        return "MorphoSys is compared where the supply has no misses only"
    if rewrite.paper_budget is None:
        return "MorphoSys asks more than the whole machine"
    share = percent(rewrite.paper_budget / rewrite.period)
    return f"MorphoSys asks {rewrite.paper_budget}/{rewrite.period}, {share}"


def _allowed(sla: Sla) -> str:
    if sla.misses == 0:
        return "none allowed"
    return f"{sla.misses:,} in {sla.window:,} allowed"


def _worst(audit: SlaAudit) -> Table:
    table = Table(box=None, pad_edge=True, padding=(0, 2), header_style="dim")
    table.add_column("worst windows")
    for title in ("from period", "missed", "unclear"):
        table.add_column(title, justify="right")
    for window in audit.worst(_FIRST_FEW):
        table.add_row(
            f"{window['start_s']:.3f} s",
            f"{window['period']:,}",
            f"{window['misses']:,}",
            f"{window['unclear']:,}",
        )
    return table


def _headline(answer: str, sentence: str, console: Console) -> None:
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(Text(f"  {answer}", style="bold"), Text(visible(sentence)))
    console.print(grid)
    console.print()


def _listed(rows: Iterable[tuple[str, str]], console: Console) -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, min_width=9)
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(Text(label, style="dim"), Text(text))
    console.print(grid)
