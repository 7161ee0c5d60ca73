"""The options that several commands share, declared once."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer


class Output(StrEnum):
    """Forms of a result."""

    table = "table"
    json = "json"
    csv = "csv"
    html = "html"


Usage = Annotated[
    list[str],
    typer.Argument(
        metavar="USAGE...",
        help="Files, folders, globs, .gz, .tar.gz, .zip, or a live "
        "prometheus+http(s)://HOST?query=...&start=...&end=...&step=...",
    ),
]
Format = Annotated[
    str, typer.Option("--format", help="Reader of the source; auto recognises it.")
]
Unit = Annotated[
    str | None,
    typer.Option(help="Unit of CPU: percent, fraction, cores, millicores."),
]
Scale = Annotated[float, typer.Option(help="Factor on every CPU value.")]
CoresColumn = Annotated[
    str | None,
    typer.Option(help="Column with the cores of a task; CPU is then a share of them."),
]
Slo = Annotated[
    str | None,
    typer.Option(help="Share of time within capacity, such as 99.9% or 0.999 [99%]."),
]
Rho = Annotated[
    float | None, typer.Option(help="The complement of the SLO, such as 0.001.")
]
Rules = Annotated[list[str] | None, typer.Option("--rule", help="best-fit, first-fit.")]
Capacity = Annotated[
    str | None, typer.Option(help="CPU capacity of equal machines [1, not for cores].")
]
MachineText = Annotated[
    str | None,
    typer.Option("--machine", help="Equal machines, such as cpu=64,memory=256Gi."),
]
FleetFile = Annotated[
    str | None,
    typer.Option("--fleet", help="CSV file: name,type,count,cpu,memory,cost."),
]
Order = Annotated[
    str,
    typer.Option(help="arrival, random, largest-mean, largest-variance, steadiest."),
]
Rebalance = Annotated[
    bool, typer.Option("--rebalance", help="Fill the last machine from the others.")
]
Observe = Annotated[
    float | None,
    typer.Option(
        help="Decide on the first N samples (or this fraction of them) of "
        "each task, judge on the rest."
    ),
]
JudgeBy = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="exact, samples (drawn) or aligned (replayed) "
        "[exact; aligned with slots].",
    ),
]
Promised = Annotated[
    str | None,
    typer.Option(
        "--promise",
        help="history, or tomorrow: replay with a margin fitted on past days "
        "[tomorrow where the trace covers eight days and no method is named].",
    ),
]
Slots = Annotated[
    int | None,
    typer.Option(
        help="Time-of-day slots within which tasks are independent; 1 for none "
        "[plan: 24 where the trace carries a day, compare: 1]."
    ),
]
Group = Annotated[
    int,
    typer.Option(help="Part tasks into this many groups, each with its own machines."),
]
Spare = Annotated[
    int, typer.Option(help="Keep this many of the largest machines empty.")
]
MinSamples = Annotated[
    int, typer.Option(help="Tasks with fewer samples are set aside.")
]
KeepShort = Annotated[
    bool, typer.Option("--keep-short", help="Plan tasks with few samples too.")
]
KeepFailing = Annotated[
    bool,
    typer.Option("--keep-failing", help="Plan evicted, failed and killed tasks too."),
]
VarianceFactor = Annotated[
    float,
    typer.Option(help="Multiply the variance of tasks known by averages only."),
]
MaxTasks = Annotated[int | None, typer.Option(help="Most tasks on a machine.")]
Spread = Annotated[
    str | None,
    typer.Option(help="Column of the source; equal values go to different machines."),
]
FailOnOverload = Annotated[
    bool,
    typer.Option("--fail-on-overload", help="Exit 4 when a machine is above the SLO."),
]
Workers = Annotated[
    str,
    typer.Option(
        help="How many processes; or local:N, or tcp://HOST:PORT of a Dask scheduler."
    ),
]
Seed = Annotated[int, typer.Option(help="Fixes everything random.")]
Form = Annotated[
    Output, typer.Option("--output", "-o", help="table, json, csv or html.")
]
Out = Annotated[str | None, typer.Option(help="Write the result to this file.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the result.")]
Keep = Annotated[
    str | None, typer.Option(help="File that keeps finished cells, to resume from.")
]
Report = Annotated[
    str | None, typer.Option(help="Write an offline HTML report to this file.")
]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a usage trace is read."""

    format: Format = "auto"
    unit: Unit = None
    scale: Scale = 1.0
    cores_column: CoresColumn = None


@dataclass(frozen=True, slots=True)
class Machines:
    """Which machines there are."""

    capacity: Capacity = None
    machine: MachineText = None
    fleet: FleetFile = None
    spare: Spare = 0


@dataclass(frozen=True, slots=True)
class Packing:
    """How tasks are packed, which of them, and how the result is judged."""

    slots: Slots = None
    group: Group = 1
    order: Order = "arrival"
    rebalance: Rebalance = False
    max_tasks: MaxTasks = None
    spread: Spread = None
    observe: Observe = None
    judge: JudgeBy = None
    min_samples: MinSamples = 1
    keep_short: KeepShort = False
    keep_failing: KeepFailing = False
    variance_factor: VarianceFactor = 1.0


@dataclass(frozen=True, slots=True)
class Running:
    """Who runs an experiment, what is kept of it, and its report."""

    workers: Workers = "2"
    keep: Keep = None
    report: Report = None


@dataclass(frozen=True, slots=True)
class Printing:
    """In which form the result is printed, and where."""

    output: Form = Output.table
    out: Out = None
