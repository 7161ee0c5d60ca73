"""Charts as SVG files, for papers and documents."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import vl_convert

from cotenant.errors import InvalidInput
from cotenant.report.charts import Chart

# What the page gives as variables, on white paper.
_COLOURS = {
    "bar": "#b3b9c4",
    "accent": "#1f5fbf",
    "bad": "#c2341d",
    "ink": "#1b1f24",
    "quiet": "#5b6470",
    "line": "#dde1e7",
    "paper": "#ffffff",
}
_WIDTH = 640


def svg(chart: Chart) -> str:
    """Return a chart as SVG, with its colours on white paper."""
    text = re.sub(r"var\(--(\w+)\)", lambda m: _COLOURS[m[1]], json.dumps(chart.spec))
    spec = json.loads(text)
    spec |= {"width": _WIDTH, "background": "#ffffff"}
    return str(vl_convert.vegalite_to_svg(spec))


def write_pictures(charts: Sequence[Chart], folder: str) -> None:
    """Write each chart to a file named after its key.

    Raises
    ------
    InvalidInput
        If the folder cannot be written.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for chart in charts:
            name = re.sub(r"[^a-z0-9]+", "-", chart.key.lower()).strip("-")
            (Path(folder) / f"{name}.svg").write_text(svg(chart), "utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {folder}: {error.strerror}") from error
