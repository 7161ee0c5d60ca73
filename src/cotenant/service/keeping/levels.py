"""What Prometheus sees of days."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric

from cotenant.service.keeping.daybook import SHOWN
from cotenant.service.keeping.kept import Told


def levels_of_days(told: Told) -> Iterator[Metric]:
    """Return the families of one scrape."""
    book = told.daybook
    recent = [one for one in book.days[-SHOWN:] if one.day not in book.excluded]
    last = book.days[-1] if book.days else None
    levels: list[tuple[str, str, float | None]] = [
        (
            "delivered_overload_ratio",
            "Share of machine time above capacity, mean of the last 28 days.",
            book.delivered(),
        ),
        (
            "delivered_overload_ratio_last_day",
            "The same of the last day.",
            None if last is None else last.overload,
        ),
        (
            "machine_days",
            "Machine-days of the last 28 days that were measured.",
            sum(one.machine_days for one in recent),
        ),
        (
            "machine_days_above_promise",
            "Those of them that were above the promise.",
            sum(one.above for one in recent),
        ),
        ("margin", "Factor that usage may grow by; in force.", book.margin),
        (
            "margin_fitted",
            "What past days alone ask for.",
            None if last is None else last.fitted,
        ),
        ("margin_correction", "What feedback adds, a logarithm.", book.correction),
        ("days_replayed", "Days that placements rest on.", told.replayed),
        ("days_excluded", "Days an operator does not let count.", len(book.excluded)),
        (
            "days_alarms",
            "Signs that past days no longer tell the next.",
            len(book.alarms(told.rule)),
        ),
        ("moves_today", "Tasks the guard has moved today.", told.moved),
        (
            "moves_last_day",
            "Tasks moved on the last day and in the night after it.",
            None if last is None else last.moves,
        ),
    ]
    for name, what, value in levels:
        if value is not None:
            yield GaugeMetricFamily(f"cotenant_{name}", what, value=value)
