"""The OpenAPI document as a page: no scripts, nothing from other hosts."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title} {version}: interface</title></head>
<body><main><h1>{title} {version}</h1>
<p>{summary}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a></p>
{body}</main></body></html>
"""


def handbook(schema: Mapping[str, Any]) -> str:
    """Return a page that lists every route with its parameters, body and statuses."""
    info = schema["info"]
    return PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        summary=escape(info.get("summary", "")),
        body="\n".join(_routes(schema)),
    )


def _routes(schema: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in schema["paths"].items():
        for method, route in methods.items():
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
            yield f"<p>{escape(route.get('description', route['summary']))}</p>"
            yield "<dl>"
            for parameter in route.get("parameters", ()):
                where = f"{parameter['name']} ({parameter['in']})"
                yield _line(where, _words(parameter["schema"]))
            if "requestBody" in route:
                content = route["requestBody"]["content"]["application/json"]
                yield _line("body", _words(content["schema"]))
            for status, response in route["responses"].items():
                yield _line(status, response.get("description", ""))
            yield "</dl>"
    yield "<h1>Values</h1>"
    for name, value in schema["components"]["schemas"].items():
        yield f"<h2 id='{escape(name)}'>{escape(name)}</h2>"
        yield f"<p>{escape(value.get('description', ''))}</p><dl>"
        needed = set(value.get("required", ()))
        for key, kind in value.get("properties", {}).items():
            mark = "" if key in needed else " (optional)"
            yield _line(key + mark, _words(kind))
        yield "</dl>"


def _line(term: str, words: str) -> str:
    return f"<dt><code>{escape(term)}</code></dt><dd>{escape(words)}</dd>"


def _words(schema: Mapping[str, Any]) -> str:
    """Say in a few words what a schema allows."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(_words(option) for option in schema[choice])
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"list of {_words(schema.get('items', {}))}"
    limits = [
        f"{word} {schema[key]}"
        for key, word in (
            ("minimum", "from"),
            ("maximum", "to"),
            ("minLength", "at least"),
            ("maxLength", "at most"),
        )
        if key in schema
    ]
    return ", ".join([kind, *limits])
