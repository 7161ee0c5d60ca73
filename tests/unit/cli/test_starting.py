"""Help is there at once, and a command does not wait for what others need."""

import subprocess
import sys

import pytest

from cotenant.cli import run

_COMPUTES = "numpy numba scipy polars sklearn"
_DRAWS_OR_SERVES = "altair jinja2 rich fastapi uvicorn sqlalchemy lightkube"
_HELP_OF_ALL = """
import sys
from cotenant.cli import app, run
groups = {"sla": "place", "study": "look-ahead"}
for command in app().registered_commands:
    assert run([command.name, "--help"]) == 0
for group, command in groups.items():
    assert run([group, "--help"]) == run([group, command, "--help"]) == 0
assert run(["--help"]) == 0
print("imported:", *sys.modules)
"""


def _imported(program: str) -> list[str]:
    call = [sys.executable, "-c", program]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return done.stdout.split("imported:")[1].split()


def test_help_imports_nothing_that_computes_draws_or_serves() -> None:
    imported = _imported(_HELP_OF_ALL)
    assert "cotenant.cli.plan" in imported
    heavy = (*_COMPUTES.split(), *_DRAWS_OR_SERVES.split())
    assert [name for name in heavy if name in imported] == []


def test_a_command_imports_no_other_command() -> None:
    imported = _imported(
        "import sys; from cotenant.cli import run; run(['queue', '--help']);"
        "print('imported:', *sys.modules)"
    )
    assert "cotenant.cli.queue" in imported
    assert "cotenant.cli.plan" not in imported


def test_a_mistyped_command_is_answered_with_the_likeliest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["quue"]) == 2
    assert "Did you mean 'queue'?" in capsys.readouterr().err


def test_a_command_that_computes_loads_nothing_it_has_no_use_for() -> None:
    imported = _imported(
        "import sys; import cotenant.kernels.queueing; import cotenant.cli.queue;"
        "print('imported:', *sys.modules)"
    )
    assert "numba" in imported
    unused = ("scipy.linalg", "coverage", "pydantic")
    assert [name for name in unused if name in imported] == []


def test_the_package_can_be_run_as_a_module() -> None:
    call = [sys.executable, "-m", "cotenant", "--version"]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("cotenant ")
