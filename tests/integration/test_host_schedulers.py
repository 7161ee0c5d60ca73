"""Exported settings given to the real tools, where this machine has them."""

import json
import re
import shlex
import shutil
import subprocess
import textwrap
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cotenant.demand.enforce import host_settings
from cotenant.demand.sla import Sla

SLAS = [Sla(1, 30), Sla(7, 50), Sla(40, 40)]


def mounted(kind: str, option: str = "") -> Path | None:
    """Return where a cgroup tree is mounted, None where it is not."""
    mounts = Path("/proc/mounts")
    for line in mounts.read_text().splitlines() if mounts.exists() else []:
        _, where, found, options, *_ = line.split()
        if found == kind and (not option or option in options.split(",")):
            return Path(where)
    return None


@contextmanager
def group_below(tree: Path) -> Iterator[Path]:
    """Make a group, and take it away again; skip where that is not allowed."""
    path = tree / f"cotenant-test-{uuid.uuid4().hex}"
    try:
        path.mkdir()
    except OSError as error:
        pytest.skip(f"no group can be made below {tree}: {error.strerror}")
    try:
        yield path
    finally:
        path.rmdir()


@pytest.fixture
def group_v2() -> Iterator[Path]:
    tree = mounted("cgroup2")
    if tree is None:
        pytest.skip("no cgroup v2 is mounted")
    if "cpu" not in (tree / "cgroup.controllers").read_text().split():
        pytest.skip(f"the cpu controller is not on the cgroup v2 tree {tree}")
    with suppress(OSError):
        (tree / "cgroup.subtree_control").write_text("+cpu")
    with group_below(tree) as path:
        if not (path / "cpu.max").exists():
            pytest.skip(f"{tree} does not let its groups limit the cpu")
        yield path


@pytest.fixture
def group_v1() -> Iterator[Path]:
    tree = mounted("cgroup", "cpu")
    if tree is None:
        pytest.skip("no cgroup v1 with the cpu controller is mounted")
    with group_below(tree) as path:
        yield path


@pytest.mark.parametrize("sla", SLAS, ids=str)
def test_cpu_max_takes_the_line_and_reads_it_back(group_v2: Path, sla: Sla) -> None:
    line = str(host_settings(sla, "cgroup").values["cpu.max"])
    (group_v2 / "cpu.max").write_text(line)
    assert (group_v2 / "cpu.max").read_text().split() == line.split()


@pytest.mark.parametrize("sla", SLAS, ids=str)
def test_cgroup_v1_takes_the_same_numbers(group_v1: Path, sla: Sla) -> None:
    # The same bandwidth control in the kernel, behind two files instead of one.
    values = host_settings(sla, "cgroup").values
    _limit(group_v1, int(values["quota_us"]), int(values["period_us"]))
    for name in ("period", "quota"):
        read = (group_v1 / f"cpu.cfs_{name}_us").read_text()
        assert int(read) == values[f"{name}_us"]


@pytest.mark.parametrize(("quota", "period"), [(999, 30_000), (1_000, 1_000_001)])
def test_the_kernel_refuses_what_is_refused_here(
    group_v1: Path, quota: int, period: int
) -> None:
    with pytest.raises(OSError, match="Invalid argument"):
        _limit(group_v1, quota, period)


def _limit(group: Path, quota: int, period: int) -> None:
    (group / "cpu.cfs_period_us").write_text(str(period))
    (group / "cpu.cfs_quota_us").write_text(str(quota))


@pytest.fixture
def chrt() -> None:
    if shutil.which("chrt") is None:
        pytest.skip("chrt is not on PATH")
    text = host_settings(Sla(1, 30), "chrt").text.replace("COMMAND", "true")
    tried = subprocess.run(shlex.split(text), capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"the kernel refuses deadline scheduling: {tried.stderr.strip()}")


@pytest.mark.usefixtures("chrt")
@pytest.mark.parametrize("sla", SLAS[:2], ids=str)
def test_a_process_runs_under_the_deadlines_of_the_command(sla: Sla) -> None:
    settings = host_settings(sla, "chrt")
    command = settings.text.replace("COMMAND", "sleep 20")
    with subprocess.Popen(shlex.split(command)) as process:
        try:
            shown = _attributes(process.pid)
        finally:
            process.kill()
    assert "SCHED_DEADLINE" in shown
    wanted = "/".join(str(settings.values[f"{name}_ns"]) for name in TIMES)
    assert wanted in shown


TIMES = ("runtime", "deadline", "period")


def _attributes(pid: int) -> str:
    """Ask until the command has become what it starts."""
    for _ in range(100):
        asked = subprocess.run(["chrt", "-p", str(pid)], capture_output=True, text=True)
        if "SCHED_DEADLINE" in asked.stdout:
            break
    return asked.stdout


def test_kubectl_reads_the_resources_of_a_container() -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on PATH")
    kubelet, container = host_settings(Sla(1, 30), "kubernetes").text.split("---\n")
    assert re.search(r"^cpuCFSQuotaPeriod: 30ms$", kubelet, re.MULTILINE)
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: task}\nspec:\n  containers:\n"
    pod += "  - name: task\n    image: task\n" + textwrap.indent(container, "    ")
    words = "kubectl label --local -f - -o json checked=yes"
    read = subprocess.run(
        words.split(), input=pod, capture_output=True, text=True, timeout=60
    )
    assert read.returncode == 0, read.stderr
    given = json.loads(read.stdout)["spec"]["containers"][0]["resources"]
    assert given == {"limits": {"cpu": "34m"}, "requests": {"cpu": "34m"}}
