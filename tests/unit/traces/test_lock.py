"""One process at a time writes a file; folders of killed processes go away."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cotenant.errors import InvalidInput
from cotenant.traces.lock import held
from cotenant.traces.store import Scratch

HOLD = """
import sys
from pathlib import Path
{do}
print("ready", flush=True)
sys.stdin.read()
"""
HELD = "from cotenant.traces.lock import held; lock = held(Path(sys.argv[1]))"
HELD += "; lock.__enter__()"
SCRATCH = "from cotenant.traces.store import Scratch; kept = Scratch(Path(sys.argv[1]))"


def start(do: str, path: Path) -> subprocess.Popen[str]:
    """Start a process that does something and then waits."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(do=do), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def end(child: subprocess.Popen[str], by: signal.Signals = signal.SIGKILL) -> None:
    with child:
        child.send_signal(by)


def test_a_file_that_another_process_writes_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "usage.parquet"
    child = start(HELD, target)
    with pytest.raises(InvalidInput, match=r"another import is writing .*usage"):
        held(target).__enter__()
    end(child)
    with held(target):
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())


def test_a_file_in_a_folder_that_is_not_there_cannot_be_held(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"cannot write .*No such file"):
        held(tmp_path / "no" / "usage.parquet").__enter__()


def test_the_folder_of_a_killed_process_goes_and_that_of_a_running_one_stays(
    tmp_path: Path,
) -> None:
    killed, running = start(SCRATCH, tmp_path), start(SCRATCH, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    end(killed)
    own = Scratch(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert own.path.exists()
    end(running)
    folder = own.path
    del own
    assert not folder.exists()


def test_folders_that_nobody_marked_are_left_alone(tmp_path: Path) -> None:
    other = Path(tempfile.mkdtemp(prefix="cotenant-", dir=tmp_path))
    (other / "data").write_text("x")
    Scratch(tmp_path)
    assert os.listdir(other) == ["data"]
