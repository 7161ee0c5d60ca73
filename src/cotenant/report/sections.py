"""A result told in sections: each a heading, a sentence, a table and a picture."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cotenant.report.charts import Chart


@dataclass(frozen=True, slots=True)
class Section:
    """One section: the answer first, then what it rests on.

    Parameters
    ----------
    sentence
        What the data show, without the final stop.
    method
        How it was computed, without the final stop.
    columns, rows
        The table, as text; the first column names the row.
    charts
        Pictures of the same.
    """

    title: str
    sentence: str
    method: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    charts: tuple[Chart, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A whole result in words.

    Parameters
    ----------
    kind
        The command.
    answer, sentence
        Heading and what it means, without the final stop.
    findings
        What follows from it, one sentence each.
    absent
        Title and reason of each section that the data cannot show.
    """

    kind: str
    answer: str
    sentence: str
    findings: tuple[str, ...]
    sections: tuple[Section, ...]
    absent: tuple[tuple[str, str], ...]
    settings: Mapping[str, Any]
    cleaning: Mapping[str, Any]
