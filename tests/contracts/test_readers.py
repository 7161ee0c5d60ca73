"""Every usage reader keeps the promises of `traces/schema.py`."""

import importlib
from pathlib import Path

import polars as pl
import pytest

from cotenant.errors import TraceError
from cotenant.traces import lines
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.readers import READERS
from cotenant.traces.schema import ATTRIBUTES, SAMPLES, Reading
from cotenant.traces.source import open_source
from tests.contracts.readers.case import Files, ReaderCase

LARGE = 1_200_000


def case_of(name: str) -> ReaderCase:
    module = importlib.import_module(
        f"tests.contracts.readers.{name.replace('-', '_')}"
    )
    return module.CASE


def lay(files: Files, folder: Path) -> list[str]:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return [str(folder)]


def read_all(
    name: str, files: Files, folder: Path
) -> tuple[list[pl.DataFrame], Reading]:
    case = case_of(name)
    with open_source(lay(files, folder)) as members:
        reading = Reading(members, case.options, Cleaning())
        return list(READERS[name].read(reading)), reading


@pytest.fixture(params=sorted(READERS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def test_batches_have_canonical_columns_and_types(name: str, tmp_path: Path) -> None:
    batches, _ = read_all(name, case_of(name).files, tmp_path)
    assert batches
    allowed = SAMPLES | ATTRIBUTES
    for batch in batches:
        assert {"task"} < set(batch.columns)
        assert {"cpu", "cpu_mean"} & set(batch.columns)
        for column, dtype in batch.schema.items():
            assert column in allowed
            named = {pl.String(), pl.Categorical()} if column == "task" else set()
            assert dtype in {allowed[column], *named}
        assert batch["task"].null_count() == 0


def test_rows_and_units_are_those_of_the_source(name: str, tmp_path: Path) -> None:
    case = case_of(name)
    batches, reading = read_all(name, case.files, tmp_path)
    assert reading.cleaning.rows == case.rows
    assert reading.unit == case.unit
    rows = pl.concat(batches, how="diagonal").filter(task=case.first["task"])
    first = rows.row(0, named=True)
    assert {k: first[k] for k in case.first} == pytest.approx(dict(case.first))


def test_every_row_is_yielded_or_counted(name: str, tmp_path: Path) -> None:
    batches, reading = read_all(name, case_of(name).files, tmp_path)
    yielded = sum(batch.height for batch in batches)
    assert yielded + reading.cleaning.dropped.total() == reading.cleaning.rows


def test_a_damaged_row_is_an_error_that_names_file_and_line(
    name: str, tmp_path: Path
) -> None:
    case = case_of(name)
    with pytest.raises(TraceError) as caught:
        read_all(name, case.damaged, tmp_path)
    assert caught.value.line == case.damaged_line
    for word in case.damaged_words:
        assert word in str(caught.value)


def test_the_format_is_recognised_and_the_reason_is_said(
    name: str, tmp_path: Path
) -> None:
    with open_source(lay(case_of(name).files, tmp_path)) as members:
        reasons = {n: r.recognise(members) for n, r in READERS.items()}
    first = next(n for n, reason in reasons.items() if reason)
    assert first == name
    assert reasons[name]


@pytest.mark.slow
def test_batches_stay_bounded_on_a_large_source(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "CHUNK", 1 << 20)
    case = case_of(name)
    with open_source(lay(case.large(LARGE), tmp_path)) as members:
        reading = Reading(members, case.options, Cleaning())
        sizes = [batch.estimated_size() for batch in READERS[name].read(reading)]
    assert reading.cleaning.rows >= LARGE
    assert max(sizes) <= 0.75 * sum(sizes)


def test_progress_adds_up_to_the_bytes_of_the_source(name: str, tmp_path: Path) -> None:
    case = case_of(name)
    with open_source(lay(case.files, tmp_path)) as members:
        total = 0

        def advance(count: int) -> None:
            nonlocal total
            total += count

        reading = Reading(members, case.options, Cleaning(), advance=advance)
        assert list(READERS[name].read(reading))
    assert total > 0
