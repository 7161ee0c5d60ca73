import math

import numpy as np

from cotenant.planning.results import (
    Comparison,
    Decision,
    MachineReplay,
    MachineUse,
    Overload,
    Plan,
    Refusal,
    Replay,
    Row,
    Unplaced,
)

RHO = 0.001
HOSTILE = (
    "</script><script>window.pwned=1;alert(1)</script>",
    '"><img src=x onerror="window.pwned=1">',
    "[red]markup[/red][link=http://x.example]",
    "invoice\u202egnp.exe",
    "w" * 253,
    "batch \U0001f469\u200d\U0001f680 nightly",
    "",
    "  ",
    "\u3164",
    "esc\x1b[2Jape\nline",
    "{{ 7*7 }}${alert(1)}<!--",
    "lone\ud800surrogate",
    "line\u2028separator & ampersand",
)
_GROUPS = ("web", "api", "batch", "cache", "search", "ledger")


def rows(machines: int = 52, unplaced: int = 0) -> tuple[Row, ...]:
    def row(method, factor, mean, worst, above, missing=unplaced):
        count = round(machines * factor)
        share = count / max(1, machines * 0.63)
        return Row(
            method, "best-fit", count, share, mean, worst, round(above), missing, 0.4
        )

    return (
        row("gaussian", 0.9, 0.0047, 0.0109, machines * 0.87),
        row("exact", 1.0, 0.00095, 0.000998, 0),
        row("percentile:95", 1.135, 4e-5, 0.0002, 0),
        row("mean:1.1", 0.7, 0.061, 0.14, machines * 0.7),
        row("requests", 2.52, math.nan, math.nan, 0, unplaced + 4),
        row("max", 2.0, 0.0, 0.0, 0),
    )


def plan(
    machines: int = 52,
    per_machine: int = 19,
    unplaced: int = 0,
    names: tuple[str, ...] = HOSTILE,
    above: int = 0,
) -> Plan:
    random = np.random.default_rng(7)
    tasks = _names(machines * per_machine, names)
    uses, decisions = [], []
    for number in range(machines):
        name = f"m-{number + 1:04}"
        mine = tuple(tasks[number * per_machine : (number + 1) * per_machine])
        load = 0.63 + random.normal(0, 0.04) if number < machines - 1 else 0.21
        risk = RHO * (1 - random.exponential(0.03)) if number < machines - 1 else 1e-7
        if number < above:
            risk = RHO * (1.2 + random.exponential(0.5))
        mean = {"cpu": 4 * load, "memory": 16e9 * min(0.97, load * 1.3)}
        size = {"cpu": 4.0, "memory": 16e9}
        uses.append(MachineUse(name, "standard", size, mine, mean, risk))
        decisions += [_decision(random, task, name, at) for at, task in enumerate(mine)]
    left = tuple(
        Unplaced(
            (*names, *tasks)[number],
            "cpu",
            "exceeds every machine by itself: Pr[use > 4.0] = 2.0 % > 0.1 %",
        )
        for number in range(unplaced)
    )
    worst = max(use.overload for use in uses)
    mean = float(np.mean([use.overload for use in uses]))
    return Plan(
        settings={
            "method": "exact",
            "rule": "best-fit",
            "rho": RHO,
            "capacity": {"cpu": 4.0, "memory": 16e9},
            "slots": 24,
            "promise": "history",
            "judge": "aligned",
            "seed": 0,
        },
        summary={
            "tasks": len(tasks) + unplaced,
            "placed": len(tasks),
            "machines": machines,
            "spare": 0,
            "normalized_machines": 1.58,
            "mean_load_machines": machines * 0.623,
        },
        overload=Overload(mean, worst, above, None, None, "exact"),
        machines=tuple(uses),
        unplaced=left,
        decisions=tuple(decisions),
        cleaning=cleaning(),
        assumptions=(
            "instantaneous samples",
            "time-aligned, so 24 time-of-day slots",
            "tasks independent within a slot",
        ),
        warnings=("every task had at least 1 sample only: --min-samples 24 is safer",),
        comparison=rows(machines, unplaced),
        command="cotenant plan usage.parquet --machine cpu=4,memory=16Gi --slo 99.9%",
    )


def _names(number: int, first: tuple[str, ...]) -> list[str]:
    plain = (f"{_GROUPS[n % len(_GROUPS)]}-{n}" for n in range(number))
    return [*first[:number], *list(plain)[len(first) :]]


def _decision(random, task: str, machine: str, at: int) -> Decision:
    mean = float(random.lognormal(-2.2, 0.6))
    value = RHO * float(random.uniform(0.3, 1))
    refused = Refusal("m-0003", "cpu", "m-0003 would reach 0.112 %")
    return Decision(
        task=task,
        machine=machine,
        reach=f"Pr[over] stays at {value:.3%} (limit 0.1 %)",
        value=value,
        limit=RHO,
        opened=at == 0,
        refused=(refused,) if at % 3 == 1 else (),
        mean=mean,
        high=mean * float(random.uniform(2, 6)),
        observations=288,
        moved=at == 5,
    )


def cleaning() -> dict:
    return {
        "rows": 302_976,
        "dropped": {"nan": 3, "negative": 0},
        "repaired": {"out_of_order": 41},
        "tasks_dropped": {"all_zero": 12, "too_short": 5},
        "share_of_load": {"all_zero": 0.0, "too_short": 0.0021},
        "notes": ["cotenant Parquet, usage in cores"],
    }


def comparison() -> Comparison:
    return Comparison(
        settings={"rho": RHO, "capacity": {"cpu": 4.0}, "seed": 0},
        rows=rows(),
        cleaning=cleaning(),
        assumptions=("instantaneous samples", "tasks independent"),
        warnings=(),
    )


def replay(machines: int = 52, above: int = 4, epoch: float = 1.7e9) -> Replay:
    random = np.random.default_rng(3)
    judged = []
    for number in range(machines):
        over = int(random.integers(4, 9)) if number < above else int(number % 7 == 0)
        peak = 4.2 if over else 3.7
        promised = RHO * float(random.uniform(0.8, 1))
        share = over / 2016
        judged.append(
            MachineReplay(f"m-{number + 1:04}", promised, share, 2016, over, peak, 4.0)
        )
    rates = random.binomial(machines, 0.0008, size=2000) / machines
    worst = max(m.overload for m in judged)
    mean = float(np.mean([m.overload for m in judged]))
    breaking = sum(m.overload > RHO for m in judged)
    return Replay(
        promised=RHO,
        overload=Overload(mean, worst, breaking, mean * 0.6, mean * 1.5, "aligned"),
        machines=tuple(judged),
        missing_tasks=("web-9", *HOSTILE[:3]),
        new_tasks=HOSTILE[3:],
        timeline=tuple((epoch + 302.4 * n, float(r)) for n, r in enumerate(rates)),
        cleaning=cleaning(),
    )
