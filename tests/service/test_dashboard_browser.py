"""The dashboard as a person meets it, in a real browser without a screen."""

import hashlib
import re
from dataclasses import replace

import pytest

from cotenant.demand.sla import Sla
from cotenant.service.answers import Move
from cotenant.service.asked import MachineSpec, TaskSpec
from cotenant.service.security import Door, Tokens
from tests.service.browsing import CHROMIUM, chromium, done, page, plan_of, site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here"),
]

READY = "body:not(.loading)"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\" onmouseover='alert(3)' x=\"",
    "שלום-מכונה-אחת",
    "x" * 253,
    "👩🏽" * 60,
    "a/b?c=d#e&f%2e%2e",
    "..",
    "  two spaces  ",
    "Z" + "\u0300" * 200,
    "javascript:alert(4)",
)


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def fleet():
    """One machine in each state."""
    with site() as running:
        running.clock.ahead = -400.0
        running.machines("broken")
        running.place("greedy", 0.5)
        running.placement.update_usage("greedy", {"cpu": [3.0] * 9}).result()
        running.machines("stale")
        running.place("silent", 0.6)
        running.placement.update_usage("silent", {"cpu": [0.6]}).result()
        running.clock.ahead = 0.0
        running.placement.update_usage("greedy", {"cpu": [0.5]}).result()
        running.machines("leaving")
        running.place("last", 0.6)
        running.placement.drain("leaving").result()
        running.machines("busy")
        running.place("web-7", 0.3, 0.01)
        running.machines("idle")
        yield running


def _cells(opened):
    script = "cells => cells.map(c => [c.ariaLabel, c.textContent])"
    return opened.eval_on_selector_all("#grid .cell", script)


def test_the_riskiest_come_first_and_every_state_has_a_sign(browser, fleet):
    with page(browser, fleet.url) as opened:
        opened.wait_for_selector(READY)
        assert opened.inner_text("#verdict") == "1 of 5 machines breaks its promise"
        cells = _cells(opened)
        assert [label.partition(":")[0] for label, _ in cells] == [
            *("broken", "stale", "leaving", "busy", "idle")
        ]
        states = ("promise broken", "data stale", "draining", "promise kept", "empty")
        for (label, text), state, sign in zip(cells, states, "!?–bi", strict=True):
            assert f": {state}, risk" in label
            assert text.startswith(sign)


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (
            "broken",
            r"broken breaks its promise: its tasks want more CPU than it has "
            r"[\d.]+ % of the time, [\d.]+ times the 1 % allowed\.",
        ),
        (
            "stale",
            r"stale rests on old data: its only task could not be measured "
            r"lately, the oldest measured \d+ min ago, and the last values stand;",
        ),
        (
            "leaving",
            r"leaving is draining: it takes no more tasks and leaves when its "
            r"last task has gone\.",
        ),
        (
            "busy",
            r"busy keeps its promise: it is over its CPU [\d.a-z ]+ % of the time, "
            r"of 1 % allowed, with 1 task at 30 % mean load\.",
        ),
        ("idle", r"idle is empty\."),
    ],
)
def test_a_click_tells_why_in_one_sentence(browser, fleet, machine, words):
    with page(browser, fleet.url) as opened:
        opened.wait_for_selector(READY)
        opened.click(f'#grid .cell[aria-label^="{machine}:"]')
        told = opened.inner_text("#why").replace("\u00a0", " ")
        assert re.match(words, told), told
        assert told.count(".") - len(re.findall(r"\d\.\d", told)) == 1
        opened.click("#why a")
        opened.wait_for_selector("#machine h1")
        assert opened.inner_text("#machine h1") == machine


def test_a_chip_shows_the_machines_of_a_state_only(browser, fleet):
    with page(browser, fleet.url) as opened:
        opened.wait_for_selector(READY)
        opened.click("text=1 data stale")
        assert [label.partition(":")[0] for label, _ in _cells(opened)] == ["stale"]
        assert opened.inner_text("#rows th") == "stale"
        opened.click("text=1 data stale")
        assert len(_cells(opened)) == 5


def test_the_keyboard_is_enough(browser, fleet):
    with page(browser, fleet.url) as opened:
        opened.wait_for_selector(READY)
        opened.keyboard.press("Tab")
        assert opened.evaluate("document.activeElement.className") == "skip"
        opened.keyboard.press("Enter")
        assert opened.evaluate("document.activeElement.id") == "main"
        for _ in range(12):
            opened.keyboard.press("Tab")
            if opened.evaluate("document.activeElement.closest('#grid') !== null"):
                break
        focused = "document.activeElement.machine"
        assert opened.evaluate(focused) == "broken"
        opened.keyboard.press("ArrowRight")
        assert opened.evaluate(focused) == "stale"
        assert opened.inner_text("#why").startswith("stale rests")
        opened.keyboard.press("End")
        assert opened.evaluate(focused) == "idle"
        opened.keyboard.press("Home")
        opened.keyboard.press("Enter")
        opened.wait_for_selector("#machine tbody a")
        assert opened.evaluate("document.activeElement.innerText") == "broken"


def test_the_ledger_reads_like_a_log_and_leads_to_its_task(browser, fleet):
    with page(browser, f"{fleet.url}#/ledger", timezone_id="UTC") as opened:
        opened.wait_for_selector(READY)
        lines = opened.eval_on_selector_all(
            "#entries li", "all => all.map(l => l.innerText)"
        )
        wanted = r"\d\d:\d\d:\d\d\s+placed web-7 on busy, risk [\d.e-]+ % of 1 %"
        assert any(re.fullmatch(wanted, line) for line in lines), lines
        assert not any("measured greedy" in line for line in lines)
        opened.check("#everything")
        opened.fill("#about", "measured greedy")
        assert opened.locator("#entries li").count() == 2
        opened.click("#entries a >> nth=0")
        opened.wait_for_selector("#task dl div")
        assert opened.inner_text("#task h1") == "greedy"
        assert opened.inner_text("#task .lead").startswith(
            "It is on broken, which breaks"
        )


def test_what_is_placed_meanwhile_appears_by_itself(browser):
    with site() as running, page(browser, running.url) as opened:
        opened.wait_for_selector("text=The fleet has no machines yet")
        running.machines("m-1")
        running.place("web-1")
        opened.wait_for_selector("text=The only machine keeps its promise")
        opened.wait_for_selector("#recent >> text=web-1")
        running.placement.release("web-1").result()
        opened.wait_for_selector("#recent >> text=released")
        opened.click("text=Pause")
        running.machines("m-2")
        opened.wait_for_timeout(3000)
        assert len(_cells(opened)) == 1
        opened.click("text=Resume")
        opened.wait_for_selector('.cell[aria-label^="m-2:"]')


def test_a_service_that_does_not_answer_is_said_to_be_silent(browser):
    with site() as running, page(browser, running.url) as opened:
        opened.wait_for_selector(READY)
        opened.route("**/dashboard/fleet", lambda route: route.abort())
        opened.wait_for_selector("#live.off")
        assert "no answer" in opened.inner_text("#live")
        opened.unroute("**/dashboard/fleet")
        opened.wait_for_selector("#live.on")
        opened.watch.problems.clear()  # of the request that was cut on purpose


def test_a_ledger_that_cannot_be_written_is_an_alarm(browser, monkeypatch):
    with site() as running, page(browser, running.url) as opened:
        opened.wait_for_selector(READY)
        assert not opened.is_visible("#alarm")
        summary = running.placement.summary
        monkeypatch.setattr(
            running.placement, "summary", lambda: replace(summary(), durable=False)
        )
        opened.wait_for_selector("text=The ledger cannot be written")


def test_machines_for_slas_have_a_load_and_no_risk(browser):
    with site() as running:
        machine = MachineSpec("host", {"cpu": 2}, "sla")
        running.placement.add_machines([machine]).result()
        task = TaskSpec("cam", sla=Sla.parse("10/30"))
        running.placement.place([task]).result()
        with page(browser, running.url) as opened:
            opened.wait_for_selector(READY)
            assert _cells(opened)[0][0].startswith("host: promise kept, load 16.7")
            assert "never" in opened.inner_text("#rows")
            opened.goto(f"{running.url}#/task/cam")
            opened.wait_for_selector("#task dl >> text=SLA given")
            told = opened.inner_text("#task .lead").replace("\u00a0", " ")
            assert told == (
                "It is on host, which keeps its promise to its only task; "
                "it is 16.7 % utilised."
            )


@pytest.mark.parametrize("width", [1280, 400])
def test_hostile_names_are_text_and_nothing_else(browser, width):
    with site() as running:
        for number, name in enumerate(HOSTILE):
            running.machines(name, cpu=1.0 + number)
            running.place(name, 0.9 * (1.0 + number))
        view = {"viewport": {"width": width, "height": 800}}
        with page(browser, running.url, **view) as opened:
            for path in ("#/", "#/ledger"):
                opened.goto(running.url + path)
                opened.wait_for_selector(READY)
                _is_sane(opened, width)
            for name in HOSTILE:
                for kind in ("machine", "task"):
                    opened.evaluate(
                        "([k, n]) => { location.hash = "
                        "`#/${k}/${encodeURIComponent(n)}` }",
                        [kind, name],
                    )
                    opened.wait_for_selector(f"#{kind} dl div >> nth=0")
                    shown = opened.text_content(f"#{kind} h1")
                    if "\u0300" not in name and "  " not in name:
                        assert shown == name
                    _is_sane(opened, width)


def _is_sane(opened, width):
    assert opened.locator("img, iframe, script:not([src])").count() == 0
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    attributes = (
        "all => all.flatMap(e => e.getAttributeNames()).filter(n => /^on/.test(n))"
    )
    assert opened.eval_on_selector_all("body *", attributes) == []
    links = opened.eval_on_selector_all("a", "all => all.map(a => a.protocol)")
    assert set(links) == {"http:"}


MOVES = tuple(
    Move(
        f"web-{n}",
        "m-3",
        f"m-{n}",
        0.25,
        0.02,
        "overload",
        f"m-3 is over, m-{n} is not",
    )
    for n in (1, 2)
)


def _repacking(running, monkeypatch, plan, outcome):
    asked = []
    monkeypatch.setattr(running.placement, "repack", lambda: done(plan))
    monkeypatch.setattr(
        running.placement, "apply", lambda name: asked.append(name) or done(outcome)
    )
    return asked


def _plan(opened):
    opened.wait_for_selector(READY)
    opened.click("text=Work out a plan")
    opened.wait_for_selector("#moves li")


def test_repacking_is_shown_move_by_move_and_applied_as_shown(browser, monkeypatch):
    plan = plan_of(*MOVES)
    with site() as running, page(browser, f"{running.url}#/repack") as opened:
        asked = _repacking(running, monkeypatch, plan, plan)
        _plan(opened)
        moves = opened.eval_on_selector_all(
            "#moves li", "all => all.map(l => l.innerText)"
        )
        assert [" ".join(move.replace("\u00a0", " ").split()) for move in moves] == [
            f"web-{n} from m-3 to m-{n} m-3 is over, m-{n} is not Gain: 2 % less time "
            "over capacity. Cost: 0.25 of mean CPU moves."
            for n in (1, 2)
        ]
        table = opened.inner_text(".change tbody").replace("\u00a0", " ").split("\n")
        assert [line.split("\t") for line in table] == [
            ["Machines in use", "3", "2"],
            ["Machines that break their promise", "1", "0"],
            ["Worst time over capacity", "3.1 %", "0.87 %"],
        ]
        opened.click("text=Apply exactly these 2 moves")
        assert asked == []
        opened.click("text=Yes, do it")
        opened.wait_for_selector("text=Done: 2 moves made, as previewed.")
        assert asked == ["plan-1"]
        assert not opened.is_visible("#plan-shown")


@pytest.fixture
def strained():
    """Two tasks on a machine that turned out too small for both, and an empty one."""
    with site() as running:
        running.machines("m-1", "m-2")
        assert {running.place("web-1", 0.4), running.place("web-2", 0.4)} == {"m-1"}
        running.placement.update_usage("web-1", {"cpu": [0.8] * 100}).result()
        yield running


def test_a_repacking_mends_the_fleet_and_a_second_finds_nothing(browser, strained):
    with page(browser, strained.url) as opened:
        opened.wait_for_selector("text=1 of 2 machines breaks its promise")
        opened.click("nav >> text=Repack")
        _plan(opened)
        move = opened.inner_text("#moves li")
        task, source, target = re.match(r"(\S+) from (\S+) to (\S+)", move).groups()
        assert (source, target) == ("m-1", "m-2")
        assert opened.locator("#moves li").count() == 1
        opened.click("text=Apply exactly this move")
        opened.click("text=Yes, do it")
        opened.wait_for_selector("text=Done: 1 move made, as previewed.")
        assert strained.placement.task(task).machine == target
        opened.click("text=Work out a plan")
        opened.wait_for_selector("text=There is nothing worth moving.")
        assert not opened.is_visible("#plan-shown")
        opened.click("nav >> text=Ledger")
        opened.wait_for_selector(f"#entries >> text=moved {task} from m-1 to m-2")
        opened.click("nav >> text=Fleet")
        opened.wait_for_selector("text=All 2 machines keep their promise")


def test_a_plan_is_dropped_when_the_fleet_has_changed(browser, strained):
    with page(browser, f"{strained.url}#/repack") as opened:
        _plan(opened)
        strained.place("web-3", 0.1)
        on = {
            name: strained.placement.task(name).machine for name in ("web-1", "web-2")
        }
        opened.click("text=Apply exactly this move")
        opened.click("text=Yes, do it")
        opened.wait_for_selector("text=Nothing was moved: what is on m-2 changed")
        assert not opened.is_visible("#plan-shown")
        for name, machine in on.items():
            assert strained.placement.task(name).machine == machine


def _line(name, role, secret):
    return f"{name} {role} {hashlib.sha256(secret.encode()).hexdigest()}"


@pytest.fixture
def guarded():
    tokens = _line("eye", "read", "read-me"), _line("hand", "write", "write-me")
    with site(Door(Tokens.parse("\n".join(tokens), "tokens"), True)) as running:
        running.machines("secret-machine")
        yield running


def test_the_token_is_asked_for_once_and_is_never_in_an_address(browser, guarded):
    with page(browser, guarded.url) as opened:
        opened.wait_for_selector("#door[open]")
        assert "secret-machine" not in opened.content()
        opened.fill("#token", "guess")
        opened.keyboard.press("Enter")
        opened.wait_for_selector("text=The service does not know this token.")
        opened.fill("#token", "read-me")
        opened.click("text=Continue")
        opened.wait_for_selector('.cell[aria-label^="secret-machine"]')
        opened.reload()
        opened.wait_for_selector('.cell[aria-label^="secret-machine"]')
        assert not opened.is_visible("#door")
        assert opened.evaluate("Object.values(sessionStorage)") == ["read-me"]
        assert opened.evaluate("[localStorage.length, document.cookie]") == [0, ""]
        assert not any(
            "read-me" in url or "guess" in url for url in opened.watch.addresses
        )
        opened.click("text=Forget the token")
        opened.wait_for_selector("#door[open]")
        assert "secret-machine" not in opened.content()


def test_a_token_that_may_only_read_does_not_repack(browser, guarded):
    with page(browser, f"{guarded.url}#/repack") as opened:
        opened.fill("#token", "read-me")
        opened.keyboard.press("Enter")
        opened.wait_for_selector(READY)
        opened.click("text=Work out a plan")
        opened.wait_for_selector("text=A token that may write is needed.")


def test_four_thousand_machines_fit_and_stand_still_when_nothing_changes(browser):
    with site() as running:
        running.machines(*(f"m-{number:04d}" for number in range(4000)))
        running.place("web-1")
        view = {"viewport": {"width": 400, "height": 800}, "color_scheme": "dark"}
        with page(browser, running.url, **view) as opened:
            opened.wait_for_selector(READY)
            few = len(_cells(opened))
            assert few < 1000
            opened.click("#all")
            assert len(_cells(opened)) == 4000
            assert opened.evaluate("document.documentElement.scrollWidth") == 400
            opened.evaluate(
                """() => { window.touched = 0;
                  new MutationObserver(found => { window.touched += found.length })
                    .observe(document.querySelector("main"), {subtree: true,
                      childList: true, attributes: true, characterData: true}); }"""
            )
            with opened.expect_response("**/dashboard/fleet") as answer:
                pass
            assert answer.value.status == 304
            opened.wait_for_timeout(500)
            assert opened.evaluate("window.touched") == 0


CONTRAST = """() => {
  const light = (css) => {
    const [r, g, b] = css.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = getComputedStyle(document.body).backgroundColor, found = {};
  const kinds = ["broken", "stale", "draining", "empty", 0, 1, 2, 3, 4, 5];
  for (const kind of kinds) {
    const cell = document.createElement("button");
    cell.className = `cell ${typeof kind === "number" ? `kept heat${kind}` : kind}`;
    document.querySelector("#grid").append(cell);
    const style = getComputedStyle(cell);
    const own = style.backgroundColor;
    const back = own === "rgba(0, 0, 0, 0)" ? paper : own;
    const [a, b] = [light(style.color), light(back)].sort((x, y) => y - x);
    found[kind] = (a + 0.05) / (b + 0.05);
    cell.remove();
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_stands_on_a_colour_can_be_read(browser, fleet, scheme):
    with page(browser, fleet.url, color_scheme=scheme) as opened:
        opened.wait_for_selector(READY)
        ratios = opened.evaluate(CONTRAST)
        assert len(ratios) == 10
        assert {kind: r for kind, r in ratios.items() if r < 4.5} == {}
