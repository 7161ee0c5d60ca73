"""An import that is killed goes on from its finished pieces, to the same file."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# Cuts small, so that a small file has many pieces; kills itself once some are kept.
IMPORT = """
import os, signal, sys
from cotenant.cli import main
from cotenant.traces import gather, kept, pieces

pieces.PIECE, gather.AT_ONCE = 20_000, 1
save, dies_after = kept.Kept.save, int(sys.argv.pop(1))

def save_and_die(self, number, found):
    save(self, number, found)
    if self.finished() == dies_after:
        os.kill(os.getpid(), signal.SIGKILL)

kept.Kept.save = save_and_die
main()
"""
NEVER = 10**6


def run_import(
    source: Path, target: Path, dies_after: int = NEVER
) -> subprocess.CompletedProcess[str]:
    words = ["import", str(source), "--to", str(target), "-o", "json"]
    return subprocess.run(
        [sys.executable, "-c", IMPORT, str(dies_after), *words],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    random = np.random.default_rng(2)
    folder = tmp_path / "source"
    folder.mkdir()
    for name, rows in (("a.csv", 8_000), ("b.csv", 300), ("c.csv", 500)):
        tasks, steps = random.integers(0, 50, rows), random.integers(0, 400, rows)
        cpu = random.gamma(2.0, 0.02, rows).round(4)
        text = "".join(
            f"t{task},{1_700_000_000 + 60 * step},{value if value > 0.002 else 'nan'}\n"
            for task, step, value in zip(tasks, steps, cpu, strict=True)
        )
        (folder / name).write_text(f"task,time,cpu\n{text}t1,0\n")
    return folder


@pytest.mark.slow
def test_a_killed_import_goes_on_and_gives_the_same_file(
    source: Path, tmp_path: Path
) -> None:
    whole, target = tmp_path / "whole.parquet", tmp_path / "usage.parquet"
    expected = run_import(source, whole)
    assert expected.returncode == 0

    for dies_after in (2, 7):
        killed = run_import(source, target, dies_after)
        assert killed.returncode == -signal.SIGKILL
        assert not target.exists()
    resumed = run_import(source, target)
    assert "went on from 7 pieces of an interrupted import" in resumed.stderr
    assert target.read_bytes() == whole.read_bytes()
    assert resumed.stdout == expected.stdout.replace(whole.name, target.name)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["source", "usage.parquet", "whole.parquet"]


@pytest.mark.slow
def test_pieces_of_a_source_that_has_changed_are_not_used(
    source: Path, tmp_path: Path
) -> None:
    target = tmp_path / "usage.parquet"
    assert run_import(source, target, dies_after=3).returncode == -signal.SIGKILL
    with (source / "a.csv").open("a") as stream:
        stream.write("new,1700000000,0.5\n")
    again = run_import(source, target)
    assert again.returncode == 0
    assert "interrupted" not in again.stderr
    assert '"tasks": 51' in again.stdout
