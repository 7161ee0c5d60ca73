"""Would a task fit a machine if some of those on it left?"""

from collections.abc import Collection

from cotenant.colocate.methods import make_admission
from cotenant.service.answers import MachineView, TaskView
from cotenant.service.asked import TaskSpec
from cotenant.service.believed import believe, from_moments
from cotenant.service.core import Placement


def fits_without(
    placement: Placement, spec: TaskSpec, machine: str, leaving: Collection[str | None]
) -> bool:
    """Say whether a task fits once others have left.

    Those that stay are taken by mean and variance, which is close, not exact: it is
    worth an eviction only if it says yes, and the task is judged again, exactly, when
    room is made. An SLA fits if its machine would be empty.
    """
    view = placement.machine(machine)
    staying = [placement.task(name) for name in view.tasks if name not in leaving]
    if spec.sla is not None:
        return not staying
    return _cpu_fits(placement, spec, view, staying) and _memory_fits(
        spec, view, staying
    )


def _cpu_fits(
    placement: Placement, spec: TaskSpec, view: MachineView, staying: list[TaskView]
) -> bool:
    settings = placement.settings
    admission = make_admission(settings.method, settings.rho)
    admission.grow(view.capacity["cpu"])
    for task in staying:
        usage = task.usage["cpu"]
        admission.add(0, from_moments(usage["mean"], usage["variance"]))
    return bool(admission.fits(believe(spec).usage["cpu"])[0])


def _memory_fits(spec: TaskSpec, view: MachineView, staying: list[TaskView]) -> bool:
    limit, asked = view.capacity.get("memory"), spec.usage.get("memory")
    if limit is None or asked is None:
        return True
    largest = believe(spec).usage["memory"].maximum
    on_it = sum(t.usage["memory"]["maximum"] for t in staying if "memory" in t.usage)
    return on_it + largest <= limit
