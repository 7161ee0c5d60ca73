"""How every study ends: its report where one is asked for, then its result."""

from typing import TYPE_CHECKING, Any

from cotenant.cli.options import Printing
from cotenant.cli.output import emit, write
from cotenant.cli.progress import Watch

if TYPE_CHECKING:
    from rich.console import Console

    from cotenant.report.sections import Told

EVERY_ROW = 10_000


def save_report(told: "Told", report: str | None, watch: Watch) -> None:
    """Write the offline page to a file, where one is named."""
    from cotenant.report.profile_page import profile_page

    if report is not None:
        write(profile_page(told), report)
        watch.remark(f"report written to {report}")


def emit_told(
    result: Any, told: "Told", printing: Printing, rows: int = EVERY_ROW
) -> int:
    """Show a study in the form asked for, at most so many rows a table; return 0."""
    from cotenant.report.profile_page import profile_page
    from cotenant.report.profile_terminal import show_profile

    def show(made: Any, console: "Console") -> None:
        show_profile(told, console, rows)

    def page(made: Any) -> str:
        return profile_page(told)

    emit(result, printing, show, page)
    return 0
