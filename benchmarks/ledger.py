"""Durable placements a second of the service's core, and how long a restart takes.

4,000 machines with 50,000 tasks in place, 32 threads that each wait for their answer,
on SQLite with a full sync for every commit.
"""

import tempfile
import threading
import time

import numpy as np

from cotenant.errors import NothingFits
from cotenant.service.asked import MachineSpec, Moments, Settings, TaskSpec
from cotenant.service.core import Placement

MACHINES, TASKS, CALLERS, SECONDS = 4_000, 50_000, 32, 10.0


def tasks(count: int, name: str, seed: int) -> list[TaskSpec]:
    """Draw tasks that fill about 20 to a machine of 24 cores at 99.9 %."""
    random = np.random.default_rng(seed)
    means = np.minimum(random.gamma(2.0, 0.25, count) + 0.02, 1.5)
    deviations = means * random.uniform(0.3, 1.0, count)
    return [
        TaskSpec(f"{name}-{i}", {"cpu": Moments(round(m, 4), round(d * d, 6))})
        for i, (m, d) in enumerate(zip(means, deviations, strict=True))
    ]


def load(placement: Placement, fresh: list[TaskSpec]) -> list[float]:
    """Place tasks from as many threads as there are callers; seconds of each."""
    waits: list[float] = []
    stop = time.perf_counter() + SECONDS
    queue = iter(fresh)
    guard = threading.Lock()

    def caller() -> None:
        while time.perf_counter() < stop:
            with guard:
                task = next(queue, None)
            if task is None:
                return
            started = time.perf_counter()
            placement.place([task]).result()
            waits.append(time.perf_counter() - started)

    threads = [threading.Thread(target=caller) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return waits


def full_fleet() -> None:
    """Place identical small tasks where hardly a machine takes one more."""
    placement = Placement(Settings(rho=0.001))
    fleet = [MachineSpec(f"m-{i:04d}", {"cpu": 1.0}) for i in range(MACHINES)]
    placement.add_machines(fleet).result()
    small = {"cpu": Moments(0.05, 0.0005)}
    large = {"cpu": Moments(0.45, 0.01)}
    for i in range(0, MACHINES, 500):
        placement.place([TaskSpec(f"l-{j}", large) for j in range(i, i + 500)]).result()
    times = []
    for i in range(20 * MACHINES):
        started = time.process_time()
        try:
            placement.place([TaskSpec(f"s-{i}", small)]).result()
        except NothingFits:
            break
        times.append(time.process_time() - started)
    placement.close()
    late = 1e3 * sum(times[-200:]) / 200
    print(f"identical small tasks, the last 200 of {len(times):,}: {late:.2f} ms each")


def main() -> None:
    settings = Settings(rho=0.001)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/ledger.db"
        placement = Placement(settings, url)
        fleet = [MachineSpec(f"m-{i:04d}", {"cpu": 24.0}) for i in range(MACHINES)]
        placement.add_machines(fleet).result()
        started = time.perf_counter()
        standing = tasks(TASKS, "t", 1)
        for i in range(0, TASKS, 500):
            placement.place(standing[i : i + 500]).result()
        took = time.perf_counter() - started
        print(f"{TASKS:,} tasks in lists of 500: {TASKS / took:,.0f} a second")
        fresh = tasks(60_000, "n", 2)
        cpu = time.process_time()
        waits = sorted(load(placement, fresh))
        cpu = (time.process_time() - cpu) / len(waits)
        summary = placement.summary()
        print(
            f"{CALLERS} callers: {len(waits) / SECONDS:,.0f} durable placements a "
            f"second, wait {1e3 * waits[len(waits) // 2]:.1f} ms median, "
            f"{1e3 * waits[int(len(waits) * 0.99)]:.1f} ms at 99 %; "
            f"{1e6 * cpu:.0f} us of processor each; "
            f"{summary.machines_in_use:,} machines in use"
        )
        asked = tasks(200, "q", 3)
        names = [machine.name for machine in fleet[:144]]
        times = []
        for task in asked:
            started = time.perf_counter()
            placement.assess(task, names)
            times.append(time.perf_counter() - started)
        print(f"assess 144 machines: {1e3 * sorted(times)[197]:.2f} ms at 99 %")
        full_fleet()
        placement.close()
        started, cpu = time.perf_counter(), time.process_time()
        again = Placement(settings, url)
        took, cpu = time.perf_counter() - started, time.process_time() - cpu
        events = again.summary().events
        print(f"restart with {events:,} events: {took:.2f} s, processor {cpu:.2f} s")
        again.close()


if __name__ == "__main__":
    main()
