"""One offline HTML file: markup, style, charts and data, and a policy that holds it.

The policy names each script by its hash, so that no other script can run, whatever
a name of a task manages to smuggle into the page.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from cotenant.report.charts import Chart
from cotenant.report.csv_json import script_json
from cotenant.report.words import counted, figure, percent, setting, visible


def page(
    template: str,
    title: str,
    charts: Sequence[Chart],
    table: Mapping[str, Any] | None,
    scripts: Sequence[str] = ("page.js",),
    data: Mapping[str, Any] | None = None,
    **view: Any,
) -> str:
    """Return a whole page.

    Parameters
    ----------
    template
        File in `templates`.
    table
        `columns`, each with title, kind and values, for the searchable table.
    scripts
        Files in `templates` that the page runs.
    data
        What those find beside charts and table.
    view
        What the template shows; escaped by the template engine.
    """
    own = "\n".join(map(_text, scripts))
    vega = _vega() if charts else ""
    known = {"charts": [{"key": c.key, "spec": c.spec} for c in charts], "table": table}
    return (
        _environment()
        .get_template(template)
        .render(
            title=title,
            charts={chart.key: chart for chart in charts},
            table=table,
            policy=_policy(own, vega),
            style=Markup(_text("page.css")),
            vega=Markup(vega),
            own=Markup(own),
            data=Markup(script_json({**known, **(data or {})})),
            **view,
        )
    )


def _policy(*scripts: str) -> str:
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


@cache
def _vega() -> str:
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # The end tag would close the script element; in JavaScript strings it may be split.
    return bundle.replace("</script", "<\\/script").replace("<!--", "\\x3c!--")


def _text(name: str) -> str:
    return (files("cotenant.report") / "templates" / name).read_text("utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("cotenant.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": lambda value: visible(str(value)),
        "percent": percent,
        "figure": figure,
        "counted": counted,
        "setting": setting,
    }
    return environment
