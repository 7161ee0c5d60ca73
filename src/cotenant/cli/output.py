"""Results to stdout or a file, whole or not at all."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cotenant.cli.options import Output, Printing
from cotenant.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console


def emit(result: Any, printing: Printing, show: Any, page: Any) -> None:
    """Write a result in the form asked for.

    Parameters
    ----------
    show
        Prints it on a console, for people.
    page
        Returns it as one HTML page; None where there is none.
    """
    shown = printing.output is Output.table and printing.out is None
    if shown and sys.stdout.isatty():
        show(result, console())
        return
    write(_text(result, printing.output, show, page), printing.out)


def _text(result: Any, form: Output, show: Any, page: Any) -> str:
    if form is Output.json:
        from cotenant.report.csv_json import to_json

        return to_json(result) + "\n"
    if form is Output.csv:
        return str(result.to_frame().write_csv())
    if form is Output.html:
        if page is None:
            raise InvalidInput("this command has no html form; use table or json")
        return str(page(result))
    screen = console(to_file=True)
    with screen.capture() as capture:
        show(result, screen)
    return capture.get()


def write(text: str, out: str | None) -> None:
    """Write text to a file, or to stdout; a file appears whole or not at all.

    Raises
    ------
    InvalidInput
        If the file cannot be written.
    """
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    path = Path(out)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent or ".", prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InvalidInput(f"cannot write {out}: {error.strerror}") from error


def console(to_file: bool = False) -> "Console":
    """Make the console results are shown on; 100 columns when piped."""
    from rich.console import Console

    if to_file or not sys.stdout.isatty():
        return Console(width=100, no_color=True, highlight=False)
    return Console(highlight=False)
