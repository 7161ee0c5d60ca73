"""Numbers and names for people: few digits, safe characters, room kept."""

import math
import unicodedata

from rich.cells import cell_len

from cotenant.planning.results import Overload

# Letters and symbols that draw nothing, though their category does not say so.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_SPACES = frozenset(" \u00a0\u202f")
_JOINERS = frozenset("\u200c\u200d")
_SMALLEST = 1e-6
_GIBIBYTE = 2**30


def figure(value: float | None, digits: int = 3) -> str:
    """Write a number with so many significant digits, never with an exponent.

    >>> figure(32.4123), figure(0.04711), figure(1204.0), figure(None)
    ('32.4', '0.0471', '1,204', '-')
    """
    if value is None or not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(fraction: float | None, digits: int = 3) -> str:
    """Write a fraction of time as a percentage.

    >>> percent(0.00097), percent(0.12345, 2), percent(0.0), percent(1e-9)
    ('0.097 %', '12 %', '0 %', '< 0.0001 %')
    """
    if fraction is None or not math.isfinite(fraction):
        return "-"
    if 0 < fraction < _SMALLEST:
        return f"< {_SMALLEST * 100:.4f} %"
    return f"{figure(fraction * 100, digits)} %"


def interval(overload: Overload) -> str:
    """Write the mean overload, with its interval where it is an estimate."""
    mean = percent(overload.mean, digits_of(overload))
    if overload.low is None or overload.high is None:
        return mean
    low, high = percent(overload.low, 2), percent(overload.high, 2)
    return f"{mean} (95 % interval {low} to {high})"


def digits_of(overload: Overload) -> int:
    """Return how many significant digits the evidence supports."""
    return 3 if overload.judged_by == "exact" else 2


def setting(name: str, value: object) -> str:
    """Write the value of a setting in the unit that people use for it.

    >>> setting("rho", 0.001), setting("memory", 17179869184), setting("seed", 0)
    ('0.1 %', '16 GiB', '0')
    >>> setting("loads", [0.6, 0.7]), setting("loads", [])
    ('0.6, 0.7', '-')
    """
    if isinstance(value, list | tuple):
        return ", ".join(setting(name, part) for part in value) or "-"
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    if not isinstance(value, int | float):
        return visible(str(value))
    if name == "rho":
        return percent(value)
    if name == "memory" and value >= _GIBIBYTE:
        return f"{figure(value / _GIBIBYTE)} GiB"
    return figure(value, 6)


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Write a count with its noun.

    >>> counted(1, "task"), counted(1052, "task")
    ('1 task', '1,052 tasks')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def visible(name: str) -> str:
    r"""Show what a name hides: controls, direction overrides, blanks at its ends.

    >>> visible("web\x1b[31m"), visible(" "), visible("")
    ('web⟨U+001B⟩[31m', '␣', '(empty)')
    """
    if not name:
        return "(empty)"
    body = name.strip(" ")
    left = len(name) - len(name.lstrip(" "))
    right = len(name) - left - len(body)
    shown = "".join(_shown(body, at) for at in range(len(body)))
    return "␣" * left + shown + "␣" * right


def _shown(name: str, at: int) -> str:
    character = name[at]
    if character in _JOINERS and _between_letters(name, at):
        return character
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
    odd_space = character.isspace() and (character not in _SPACES or name.isspace())
    if hidden or odd_space or character in _BLANK:
        return f"⟨U+{ord(character):04X}⟩"
    return character


def _between_letters(name: str, at: int) -> bool:
    # Emoji and several scripts need joiners; between Latin letters they only deceive.
    return 0 < at < len(name) - 1 and min(name[at - 1], name[at + 1]) > "\u02ff"


def shorten(name: str, width: int) -> str:
    """Cut a visible name in the middle to so many terminal cells.

    >>> shorten("frontend-web-7f9c", 9)
    'fron…7f9c'
    """
    if cell_len(name) <= width:
        return name
    head, tail = name[: len(name) // 2], name[len(name) // 2 :]
    while head and cell_len(head) > width // 2:
        head = head[:-1]
    while tail and cell_len(head) + 1 + cell_len(tail) > width:
        tail = tail[1:]
    return f"{head}…{tail}"
