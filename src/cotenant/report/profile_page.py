"""The page of a result that is told in sections."""

from cotenant.report import told
from cotenant.report.sections import Told
from cotenant.report.shell import page


def profile_page(result: Told) -> str:
    """Return one offline HTML page: findings first, then every section."""
    return page(
        "profile.html",
        title=f"{result.kind}: {result.answer}",
        charts=[chart for section in result.sections for chart in section.charts],
        table=None,
        answer=result.answer,
        sentence=result.sentence,
        kept=True,
        told=result,
        set_aside=told.set_aside(result.cleaning),
    )
