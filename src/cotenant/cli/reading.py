"""From the words of a command line to traces, fleets and settings."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cotenant.cli.options import Machines, Reading
from cotenant.cli.progress import Watch
from cotenant.errors import InvalidInput
from cotenant.quantities import parse_quantity

if TYPE_CHECKING:
    from cotenant.fleet import Fleet
    from cotenant.traces.kept import Kept
    from cotenant.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Source:
    """What was said about a usage source."""

    usage: Sequence[str]
    format: str
    unit: str | None
    scale: float
    cores_column: str | None
    spread: str | None = None

    @classmethod
    def of(
        cls, usage: Sequence[str], reading: Reading, spread: str | None = None
    ) -> "Source":
        """Return what the options of a command say."""
        return cls(usage, **asdict(reading), spread=spread)


def keep_apart(usage: Sequence[str], *written: str | None) -> None:
    """Refuse to write over what is read.

    Raises
    ------
    InvalidInput
        If a file to be written is one of the sources.
    """
    sources = {Path(name).resolve() for name in usage}
    for name in written:
        if name is not None and Path(name).resolve() in sources:
            raise InvalidInput(f"{name} is a source; write to another file")


def read_trace(
    source: Source, watch: Watch, keep: "Kept | None" = None, workers: str = "1"
) -> "Trace":
    """Read the usage and say on stderr what was read, by `read_usage`."""
    from cotenant.traces.collect import read_usage
    from cotenant.traces.schema import ReadOptions

    options = ReadOptions(
        unit=source.unit,  # type: ignore[arg-type]
        scale=source.scale,
        cores_column=source.cores_column,
        keep=source.spread,
    )
    trace = read_usage(
        source.usage, source.format, options, watch.reading, keep, watch.step, workers
    )
    watch.remark(_remark(trace))
    return trace


def _remark(trace: "Trace") -> str:
    samples = int(trace.facts["samples"].sum())
    counts = (trace.facts.height, "task"), (samples, "sample")
    parts = [f"{n:,} {word}{'s' * (n != 1)}" for n, word in counts]
    parts[0] = f"read {parts[0]}"
    start, end = trace.facts["start"].min(), trace.facts["end"].max()
    if trace.step_s is not None and isinstance(start, float) and isinstance(end, float):
        parts.append(f"{_span(end - start + trace.step_s)} every {_span(trace.step_s)}")
    unit = "cores" if trace.unit == "cores" else "machine fractions"
    notes = "; ".join([*trace.cleaning.remarks, unit])
    return f"{', '.join(parts)} ({notes})"


def _span(seconds: float) -> str:
    for size, word in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= (2 if word == "days" else 1) * size:
            return f"{seconds / size:.3g} {word}"
    return f"{seconds:.3g} s"


def read_rho(slo: str | None, rho: float | None) -> float:
    """Return rho from `--slo` or `--rho`; 0.01 when neither is given.

    >>> round(read_rho("99.9%", None), 6), read_rho(None, 0.05), read_rho(None, None)
    (0.001, 0.05, 0.01)
    """
    if slo is not None and rho is not None:
        raise InvalidInput("give --slo or --rho, not both")
    if rho is None:
        rho = 0.01 if slo is None else _complement(slo)
    if not 0 < rho < 1:
        raise InvalidInput(f"rho is {rho:g}; expected a number between 0 and 1")
    return rho


def _complement(slo: str) -> float:
    text = slo.strip()
    scale = 100.0 if text.endswith("%") else 1.0
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 < value < scale:
        raise InvalidInput(
            f"slo is {slo!r}; expected a share of time such as 99.9% or 0.999"
        )
    # Rounded: 1 - 0.999 would print as 0.0010000000000000009.
    return round((scale - value) / scale, 12)


def read_machines(asked: Machines, unit: str) -> "Fleet":
    """Return the fleet that was asked for.

    Raises
    ------
    InvalidInput
        If more than one way is used, or none where usage is in cores.
    """
    from cotenant.fleet import Fleet
    from cotenant.traces.fleet_file import parse_machine, read_fleet

    if sum(x is not None for x in (asked.capacity, asked.machine, asked.fleet)) > 1:
        raise InvalidInput("give one of --capacity, --machine and --fleet")
    if asked.fleet is not None:
        return read_fleet(asked.fleet, asked.spare)
    if asked.machine is not None:
        return Fleet.of_equal(parse_machine(asked.machine), asked.spare)
    if asked.capacity is not None:
        return Fleet.of_equal({"cpu": parse_quantity(asked.capacity)}, asked.spare)
    if unit == "cores":
        raise InvalidInput(
            "usage is in cores, so the machines must be told: "
            "--machine cpu=64,memory=256Gi, --capacity 64 or --fleet FILE.csv"
        )
    return Fleet.of_equal({"cpu": 1.0}, asked.spare)
