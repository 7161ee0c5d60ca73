"""Sources cut into pieces: together they say what the whole says."""

import pickle
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cotenant.errors import TraceError
from cotenant.traces import pieces
from cotenant.traces.collect import read_usage
from cotenant.traces.pieces import Piece
from cotenant.traces.reduction import reduce
from cotenant.traces.schema import ReadOptions
from cotenant.traces.source import open_source
from cotenant.traces.trace import Trace


def messy(folder: Path, rows: int = 3_000) -> Path:
    random = np.random.default_rng(1)
    cpu = random.gamma(2.0, 0.02, rows).round(4).astype(str).astype(object)
    spoiled = random.choice(rows, 60, replace=False)
    cpu[spoiled[:20]], cpu[spoiled[20:40]], cpu[spoiled[40:]] = "nan", "-1", "50m"
    tasks, steps = random.integers(0, 40, rows), random.integers(0, 200, rows)
    text = "".join(
        f"t{task},{1_700_000_000 + 60 * step},{value}\n"
        for task, step, value in zip(tasks, steps, cpu, strict=True)
    )
    path = folder / "usage.csv"
    path.write_text(f"# made up\n\ntask,time,cpu\n{text}")
    return path


def everything(trace: Trace) -> dict[str, object]:
    samples = {}
    for series in trace.series("cpu"):
        for i, code in enumerate(series.codes):
            own = slice(series.offsets[i], series.offsets[i + 1])
            name = trace.store.names[code]
            samples[name] = series.time[own].tolist(), series.values[own].tolist()
    return {"samples": samples, "names": trace.names} | trace.cleaning.to_dict()


@pytest.mark.parametrize("size", [5_000, 20_000])
def test_a_table_read_in_parts_is_the_table_read_whole(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = messy(tmp_path)
    whole = read_usage([str(path)])
    monkeypatch.setattr(pieces, "PIECE", size)
    parts = read_usage([str(path)])
    assert len(parts.store) > 1
    assert everything(parts) == everything(whole)
    assert_frame_equal(parts.facts, whole.facts, rel_tol=1e-12)


def test_parts_hold_whole_lines_and_every_line_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = messy(tmp_path)
    for size in (100, 1_000):
        monkeypatch.setattr(pieces, "PIECE", size)
        with open_source([str(path)]) as members:
            parts = [part for group in pieces.by_rows(members) for part in group]
            texts = [part.open().read() for part in parts]
        header = b"task,time,cpu\n"
        assert all(text.startswith(header) for text in texts[1:])
        joined = texts[0] + b"".join(t.removeprefix(header) for t in texts[1:])
        assert joined == path.read_bytes()
        assert all(text.endswith(b"\n") for text in texts)
        assert sum(part.size for part in parts) == path.stat().st_size


def test_small_files_are_read_together_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        (tmp_path / f"{number}.csv").write_text("time,cpu\n0,0.5\n")
    monkeypatch.setattr(pieces, "PIECE", 40)
    with open_source([str(tmp_path)]) as members:
        groups = [[m.stem for m in group] for group in pieces.by_file(members)]
    assert groups == [["0", "1"], ["2", "3"], ["4", "5"], ["6", "7"], ["8", "9"]]


def test_an_error_in_a_later_part_names_the_line_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = messy(tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    lines[2_000] = "t1,0,lots\n"
    path.write_text("".join(lines))
    monkeypatch.setattr(pieces, "PIECE", 5_000)
    with pytest.raises(TraceError, match='cpu is "lots"') as caught:
        read_usage([str(path)])
    assert caught.value.line == 2_001


def test_a_remark_on_a_later_part_names_the_line_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = messy(tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    lines[2_000], lines[2_500] = "t1,0\n", "t2,1700000000000,0.5\n"
    path.write_text("".join(lines))
    monkeypatch.setattr(pieces, "PIECE", 5_000)
    cleaning = read_usage([str(path)]).cleaning
    assert cleaning.dropped["truncated"] == cleaning.dropped["other_time_unit"] == 1
    assert any("line 2001 has fewer than 3 cells" in r for r in cleaning.remarks)
    assert any("line 2501 has time 1700000000000" in r for r in cleaning.remarks)


def test_a_file_in_another_unit_is_refused_in_pieces_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 1)
    (tmp_path / "a.csv").write_text("task,cpu\na,1\n")
    (tmp_path / "b.csv").write_text("task,cpu_percent\na,1\n")
    with pytest.raises(TraceError, match=r"b\.csv: holds fraction"):
        read_usage([str(tmp_path)])


def test_wide_tables_are_read_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame({"time": range(0, 60_000, 60)}).with_columns(
        (pl.col("time") / 7 % 3).round(3).alias(f"task {i}") for i in range(3)
    )
    frame.write_csv(tmp_path / "usage.csv")
    whole = read_usage([str(tmp_path)])
    monkeypatch.setattr(pieces, "PIECE", 2_000)
    assert everything(read_usage([str(tmp_path)])) == everything(whole)


def test_a_piece_sent_to_another_process_gives_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = messy(tmp_path)
    monkeypatch.setattr(pieces, "PIECE", 20_000)
    with open_source([str(path)]) as members:
        groups = enumerate(pieces.by_rows(members))
        parts = [Piece(n, "table", group, ReadOptions()) for n, group in groups]
    for part in parts:
        here = reduce(part, tmp_path, eager=False)
        sent = pickle.loads(pickle.dumps(part))
        there = pickle.loads(pickle.dumps(reduce(sent, tmp_path, eager=False)))
        assert there.rows.names.to_list() == here.rows.names.to_list()
        assert_frame_equal(there.rows.frames[0], here.rows.frames[0])
        assert (there.cleaning, there.lines) == (here.cleaning, here.lines)
