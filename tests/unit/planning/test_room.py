"""A plan that does not fit in memory is refused before it is begun."""

from pathlib import Path

import pytest

from cotenant.errors import InvalidInput
from cotenant.planning import room
from cotenant.planning.problem import Selection, make_problem
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import daily


def limited(to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text(f"{to}\n")
    monkeypatch.setattr(room, "_LIMIT", limit)


def test_tasks_that_do_not_fit_are_refused_with_what_they_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited("100000", tmp_path, monkeypatch)
    trace = from_frame(daily(60, 1))
    with pytest.raises(InvalidInput, match=r"60 tasks takes about .* fewer tasks"):
        make_problem(trace, Selection())


def test_a_container_without_a_limit_refuses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited("max", tmp_path, monkeypatch)
    assert make_problem(from_frame(daily(60, 1)), Selection()).tasks
