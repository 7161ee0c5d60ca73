"""Runs AccaSim 1.1.3 on a log: ``python3.9 accasim_run.py LOG.swf PROCESSORS``.

To be run by an interpreter that has `accasim`, which needs Python 3.9 or older. FIFO,
first fit, machines of one core and more memory than asked; prints CPU seconds.
"""

import json
import os
import sys
import tempfile
import time

from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import FirstInFirstOut
from accasim.base.simulator_class import Simulator


def main() -> None:
    log, processors = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    os.chdir(tempfile.mkdtemp())
    with open("system.json", "w") as stream:
        groups = {"g": {"core": 1, "mem": 10**9}}
        json.dump({"groups": groups, "resources": {"g": processors}}, stream)
    simulator = Simulator(
        log,
        "system.json",
        FirstInFirstOut(FirstFit()),
        scheduling_output=False,
        statistics_output=False,
        show_statistics=False,
    )
    simulator.start_simulation()
    print(json.dumps({"cpu_s": time.process_time()}))


main()
