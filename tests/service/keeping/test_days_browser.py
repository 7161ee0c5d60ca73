"""The page of days as a person meets it, in a real browser without a screen."""

import pytest

from cotenant.service.keeping.history import MOMENTS
from cotenant.service.keeping.reading import exclude
from tests.service.browsing import CHROMIUM, chromium, page, site
from tests.service.keeping.days import FIRST, Fed, generated

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]

READY = "body:not(.loading)"
REASON = "<b>outage</b> of the north hall"


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def lived():
    """Nine days: one nobody measured, one excluded, and some above the promise."""
    with site(promise="tomorrow") as running:
        fed = Fed.over(running.placement)
        fed.machines(8)
        for i in range(20):
            fed.place(f"t{i}", 0.08)
        usage = generated(20, 10, seed=2)
        usage[:, 5 * MOMENTS : 6 * MOMENTS : 8] *= 3.0
        day = FIRST + 5
        running.placement.decide(lambda desk: exclude(desk, day, REASON)).result()
        for hour in range(9 * 24 + 1):
            if 3 * 24 <= hour < 4 * 24 and hour % 2:
                continue
            part = slice(hour * 12, hour * 12 + 12)
            fed.feed(part.start, {f"t{i}": row[part] for i, row in enumerate(usage)})
            if hour % 6 == 0:
                fed.settle()
        yield running, fed.told


def test_the_page_says_what_was_promised_and_delivered(browser, lived):
    running, told = lived
    with page(browser, running.url + "#/days") as opened:
        opened.wait_for_selector(READY)
        delivered = f"{100 * told.daybook.delivered():.3g}"
        words = opened.inner_text("#days-verdict").replace("\u00a0", " ")
        assert words == f"Promised 1 %, delivered {delivered} %"
        rows = opened.locator("#days-rows tr")
        assert rows.count() == len(told.daybook.days)
        assert opened.locator(".slot").count() == len(told.daybook.days)
        excluded = opened.locator("#days-rows tr", has_text="excluded")
        assert excluded.count() == 1
        assert opened.locator("#days-rows tr", has_text="not measured").count() == 1
        assert REASON in opened.inner_text("#days-note")


def test_the_fleet_page_leads_to_the_days(browser, lived):
    running, _ = lived
    with page(browser, running.url) as opened:
        opened.wait_for_selector(READY)
        assert "Days so far: over capacity" in opened.inner_text("#lead")
        opened.click("#lead a")
        assert opened.inner_text("#days-verdict").startswith("Promised")
        assert opened.get_attribute("#to-days", "aria-current") == "page"


def test_alarms_are_said_on_both_pages(browser, lived):
    running, told = lived
    alarms = told.daybook.alarms(told.rule)
    with page(browser, running.url + "#/days") as opened:
        opened.wait_for_selector(READY)
        assert opened.locator("#days-alarms li").count() == len(alarms)


def test_nothing_is_wider_than_a_phone(browser, lived):
    running, _ = lived
    phone = {"width": 360, "height": 740}
    with page(browser, running.url + "#/days", viewport=phone) as opened:
        opened.wait_for_selector(READY)
        assert opened.evaluate("document.documentElement.scrollWidth") <= 360


def test_where_days_are_not_kept_the_page_says_how_to(browser):
    with site() as running, page(browser, running.url + "#/days") as opened:
        opened.wait_for_selector(READY)
        assert opened.inner_text("#days-verdict") == "Days are not kept"
        assert opened.is_hidden("#to-days")
        assert opened.is_hidden("table.days")
