"""Kernels are compiled once, and who waits for it is told."""

import subprocess
import sys
from pathlib import Path

import pytest

_KERNELS = """
import numpy as np
from cotenant.kernels._jit import jit

@jit
def most(values):
    return np.max(values)

@jit
def least(values):
    return np.min(values)
"""
_CALLS = """
import sys
import numpy as np
from cotenant.cli.progress import Watch
from kernels import least, most

with Watch(quiet={quiet}):
    print(most(np.arange(3.0)), least(np.arange(3.0)))
print("scipy.linalg" in sys.modules)
"""


def _run(folder: Path, quiet: bool = False) -> tuple[str, list[str]]:
    """Return what is said on stderr, and what is printed."""
    (folder / "kernels.py").write_text(_KERNELS)
    program = folder / "calls.py"
    program.write_text(_CALLS.format(quiet=quiet))
    call = [sys.executable, str(program)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return done.stderr, done.stdout.splitlines()


@pytest.mark.slow
def test_who_waits_for_the_compiler_is_told_once_and_not_the_next_time(
    tmp_path: Path,
) -> None:
    said, printed = _run(tmp_path)
    assert said.count("compiling kernels") == 1
    assert printed[0] == "2.0 0.0"
    said, printed = _run(tmp_path)
    assert said == ""
    # Loading what is compiled needs no part of SciPy.
    assert printed == ["2.0 0.0", "False"]


@pytest.mark.slow
def test_nothing_is_said_when_only_the_result_is_wanted(tmp_path: Path) -> None:
    said, printed = _run(tmp_path, quiet=True)
    assert said == ""
    assert printed[0] == "2.0 0.0"
