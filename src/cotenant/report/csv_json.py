"""Results as JSON text that every parser reads."""

import json
import math
from collections.abc import Mapping
from typing import Any, Protocol

# What ends a script element or a line of JavaScript, though JSON allows it.
_UNSAFE_IN_SCRIPT = {ord(c): f"\\u{ord(c):04x}" for c in "<>&"}


class Result(Protocol):
    """A frozen result value of the planning room."""

    def to_dict(self) -> dict[str, Any]:
        """Return the keys and values of the JSON form."""
        ...


def to_json(result: Result) -> str:
    """Write a result as indented JSON; NaN and infinity become null."""
    plain = _finite(result.to_dict())
    return json.dumps(plain, allow_nan=False, ensure_ascii=False, indent=2)


def script_json(value: Any) -> str:
    """Write a value as JSON that is safe inside an HTML script element."""
    # ASCII only: line separators, direction marks and lone surrogates get escaped too.
    text = json.dumps(_finite(value), allow_nan=False, separators=(",", ":"))
    return text.translate(_UNSAFE_IN_SCRIPT)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
