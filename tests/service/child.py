"""Processes that place tasks and are killed, or share one ledger."""

import itertools
import os
import random
import sys
import threading

from cotenant.errors import DoesNotFit, ServiceUnavailable
from cotenant.service.core import Placement
from tests.service.asking import SETTINGS, machine, sampled

MACHINES = 12


def tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def churn(database: str, round_number: str, threads: str) -> None:
    """Place and release from some threads until killed; tell what was acknowledged.

    Names are never used twice, so that a name that is placed twice is an error.
    """
    core = Placement(SETTINGS, database)
    core.add_machines([machine(f"m{i}") for i in range(MACHINES)]).result()
    # The first one loads the kernels, for longer than some rounds last.
    first = f"r{round_number}-first"
    core.place([sampled(first, 0.1, 0.2)]).result()
    core.release(first).result()
    tell("ready")

    def work(thread: int) -> None:
        dice = random.Random(f"{round_number}/{thread}")
        mine: list[str] = []
        for number in itertools.count():
            name = f"r{round_number}-{thread}-{number}"
            if mine and dice.random() < 0.45:
                gone = mine.pop(dice.randrange(len(mine)))
                tell(f"releasing {gone}")
                core.release(gone).result()
                tell(f"released {gone}")
                continue
            samples = [dice.uniform(0.0, 0.3) for _ in range(6)]
            try:
                placed = core.place([sampled(name, *samples)]).result()[0]
            except DoesNotFit:
                if not mine:
                    continue
                mine.append(mine.pop())
                gone = mine.pop()
                tell(f"releasing {gone}")
                core.release(gone).result()
                tell(f"released {gone}")
            else:
                tell(f"placed {name} {placed.machine}")
                mine.append(name)

    for thread in range(int(threads)):
        threading.Thread(target=work, args=(thread,)).start()


def fill(database: str, who: str) -> None:
    """Place tasks of one's own and tasks of all until nothing fits, then stop."""
    core = Placement(SETTINGS, database)
    tell("ready")
    sys.stdin.readline()
    dice = random.Random(who)
    guard = threading.Lock()
    full = threading.Event()
    numbers = itertools.count()

    def work() -> None:
        while not full.is_set():
            with guard:
                number = next(numbers)
                own = [dice.uniform(0.0, 0.3) for _ in range(6)]
            shared = random.Random(number)
            common = [shared.uniform(0.0, 0.3) for _ in range(6)]
            for name, samples in ((f"{who}-{number}", own), (f"all-{number}", common)):
                try:
                    placed = core.place([sampled(name, *samples)]).result()[0]
                except DoesNotFit:
                    full.set()
                except ServiceUnavailable as error:
                    tell(f"unavailable {error}")
                else:
                    again = "again" if placed.repeated else "first"
                    tell(f"placed {name} {placed.machine} {again}")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    core.close()


if __name__ == "__main__":
    {"churn": churn, "fill": fill}[sys.argv[1]](*sys.argv[2:])
