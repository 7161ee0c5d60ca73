import dataclasses
import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from cotenant.report.terminal import show_comparison, show_plan, show_replay
from tests.unit.report import samples


def printed(show, result, width=80, **options) -> str:
    out = io.StringIO()
    show(result, Console(file=out, width=width, **options))
    return out.getvalue()


SHOWN = [
    pytest.param(show_plan, samples.plan(unplaced=8), id="plan"),
    pytest.param(show_comparison, samples.comparison(), id="comparison"),
    pytest.param(show_replay, samples.replay(), id="replay"),
]


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize(("show", "result"), SHOWN)
def test_no_line_is_wider_than_the_console(show, result, width):
    lines = printed(show, result, width).splitlines()
    assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize(("show", "result"), SHOWN)
def test_a_console_without_colour_gets_plain_text(show, result):
    assert "\x1b" not in printed(show, result)


def test_hostile_names_print_as_they_are_with_controls_made_visible():
    text = printed(show_plan, samples.plan(unplaced=10), 300, force_terminal=True)
    assert "[red]markup[/red]" in text
    assert "invoice⟨U+202E⟩gnp.exe" in text
    text = printed(show_plan, samples.plan(unplaced=1, names=("a\x1b[2Jb",)), 200)
    assert "a⟨U+001B⟩[2Jb" in text


def test_the_answer_names_machines_load_and_promise():
    text = printed(show_plan, samples.plan(), 200)
    assert "52 machines   for 32.4 machines' worth of mean load, at most 0.1 %" in text


def test_a_plan_above_its_promise_does_not_claim_to_keep_it():
    text = printed(show_plan, samples.plan(above=3), 200)
    assert "at most" not in text
    assert "above the 0.1 % asked" in text


def test_first_unplaced_tasks_are_listed_and_the_rest_counted():
    text = printed(show_plan, samples.plan(unplaced=8))
    assert "8 tasks could not be placed" in text
    assert "and 3 more" in text
    assert "unplaced" not in printed(
        show_plan, dataclasses.replace(samples.plan(), comparison=())
    )


def test_phrases_stand_beside_the_row_where_there_is_room_and_beneath_where_not():
    said = "promises 0.1 %, breaks it 4.7 times over"
    wide = next(
        x for x in printed(show_plan, samples.plan(), 130).splitlines() if said in x
    )
    slim = next(
        x for x in printed(show_plan, samples.plan(), 80).splitlines() if said in x
    )
    assert wide.lstrip().startswith("gaussian")
    assert slim.strip() == said


def test_a_replay_says_whether_the_promise_was_kept():
    assert "promise broken   on 4 of 52 machines" in printed(
        show_replay, samples.replay(), 200
    )
    kept = printed(show_replay, samples.replay(above=0), 200)
    assert "promise not broken by what is here   on all 52 machines" in kept
