import base64
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from cotenant.report.html import comparison_page, plan_page, replay_page
from tests.unit.report import samples

PAGES = [
    pytest.param(lambda: plan_page(samples.plan(unplaced=13)), id="plan"),
    pytest.param(lambda: plan_page(samples.plan(400, 3, above=5)), id="many machines"),
    pytest.param(lambda: comparison_page(samples.comparison()), id="comparison"),
    pytest.param(lambda: replay_page(samples.replay()), id="replay"),
]


class Seen(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        inside = self.tags[-1][0] if self.tags else ""
        if inside == "script" and self.cdata_elem:
            self.scripts.append(data)
        elif inside != "style":
            self.text += data


@pytest.mark.parametrize("make", PAGES)
def test_a_page_refers_to_nothing_outside_itself(make):
    tags = Seen(make()).tags
    assert not {"link", "img", "iframe", "object", "base", "form"} & {
        t for t, _ in tags
    }
    assert not [a for _, a in tags if {"src", "href", "srcset", "onerror"} & set(a)]


@pytest.mark.parametrize("make", PAGES)
def test_the_policy_allows_exactly_the_scripts_of_the_page(make):
    page = make()
    seen = Seen(page)
    policy = next(a["content"] for t, a in seen.tags if a.get("http-equiv"))
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    _, *scripts = seen.scripts
    digests = [hashlib.sha256(s.encode()).digest() for s in scripts]
    assert {base64.b64encode(digest).decode() for digest in digests} == allowed
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in policy


@pytest.mark.parametrize("make", PAGES)
def test_a_page_is_one_small_file_that_can_be_written(make):
    assert len(make().encode("utf-8")) < 3_000_000


@pytest.mark.parametrize("make", PAGES)
def test_every_chart_has_its_place_and_a_summary_in_words(make):
    seen = Seen(make())
    data = json.loads(seen.scripts[0])
    places = {
        a["data-chart"]: a["aria-label"] for _, a in seen.tags if "data-chart" in a
    }
    assert places.keys() == {chart["key"] for chart in data["charts"]}
    assert all(summary in seen.text for summary in places.values() if summary)


def test_hostile_names_stay_text():
    plan = samples.plan(unplaced=len(samples.HOSTILE))
    seen = Seen(plan_page(plan))
    assert samples.HOSTILE[0] in seen.text
    assert samples.HOSTILE[1] in seen.text
    assert "invoice⟨U+202E⟩gnp.exe" in seen.text
    assert "w" * 253 in seen.text
    assert "(empty)" in seen.text
    assert "{{ 7*7 }}" in seen.text


def test_hostile_machines_commands_and_sentences_stay_text():
    evil = samples.HOSTILE[0]
    plan = samples.plan(5)
    machines = tuple(dataclasses.replace(m, machine=evil) for m in plan.machines)
    settings = {**plan.settings, evil: evil, "method": evil}
    cleaning = {**plan.cleaning, "notes": [evil], "dropped": {evil: 3}}
    page = plan_page(
        dataclasses.replace(
            plan,
            machines=machines,
            settings=settings,
            cleaning=cleaning,
            assumptions=(evil,),
            warnings=(evil,),
            command=evil,
        )
    )
    assert "<script>window.pwned" not in page
    assert len(re.findall(r"<script", page)) == 3


def test_the_table_has_every_placed_task_with_its_reason():
    plan = samples.plan(5, 8)
    data = json.loads(Seen(plan_page(plan)).scripts[0])
    task, machine, mean, high, why = data["table"]["columns"]
    assert len(task["values"]) == len(machine["values"]) == 40
    assert task["values"][7] == "  ".replace(" ", "␣")
    assert mean["values"][0] == pytest.approx(plan.decisions[0].mean, rel=1e-3)
    assert high["title"] == "CPU 99.9th percentile"
    assert why["values"][0].endswith("machine opened for it")
    assert "m-0003 would reach 0.112 %" in why["values"][1]


def test_a_plan_without_decisions_comparison_or_machines_still_makes_a_page():
    plan = samples.plan(5)
    bare = dataclasses.replace(plan, decisions=(), comparison=(), command="")
    assert "52" not in Seen(plan_page(bare)).text.split("\n")[0]
    empty = dataclasses.replace(bare, machines=(), cleaning={})
    assert "Where each task went" in plan_page(empty)


def test_a_replay_without_moments_still_makes_a_page():
    replay = dataclasses.replace(samples.replay(), machines=(), timeline=())
    assert "Machine by machine" in replay_page(replay)


def test_times_that_are_no_dates_are_shown_as_hours():
    page = replay_page(samples.replay(epoch=0.0))
    assert '"title":"hours"' in page
    assert '"title":"time (UTC)"' in replay_page(samples.replay())


def test_the_same_plan_gives_the_same_bytes():
    assert plan_page(samples.plan(5)) == plan_page(samples.plan(5))
