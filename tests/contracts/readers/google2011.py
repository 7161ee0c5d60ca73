from tests.contracts.readers.case import Files, ReaderCase


def usage(
    start: object,
    task: tuple[int, int],
    average: object = 0.1,
    sampled: object = 0.12,
    memory: object = 0.05,
) -> str:
    """One row of the 20 columns of `task_usage`."""
    job, index = task
    end = "" if start == "" else int(start) + 300_000_000
    cells = [start, end, job, index, 77, average, memory, 0.06, 0.001, 0.002, 0.05]
    cells += ["1e-05", "2e-05", 0.3, 0.004, 2.4, 0.007, 0, 1, sampled]
    return ",".join(map(str, cells)) + "\n"


def event(
    task: tuple[int, int], kind: int, cpu: object = 0.25, memory: object = 0.125
) -> str:
    """One row of the 13 columns of `task_events`."""
    job, index = task
    cells = [0, "", job, index, 77, kind, "u+s/er=", 2, 9, cpu, memory, 0.001, 0]
    return ",".join(map(str, cells)) + "\n"


def large(rows: int) -> Files:
    return {"task_usage/part-00000-of-00001.csv": usage(FIRST, (31, 0)).encode() * rows}


FIRST = 600_000_000

CASE = ReaderCase(
    files={
        "task_events/part-00000-of-00002.csv": (
            event((31, 0), 0) + event((31, 0), 2, cpu=0.5) + event((99, 0), 4)
        ).encode(),
        "task_usage/part-00000-of-00002.csv": (
            usage(FIRST, (31, 0)) + usage(FIRST, (31, 1), sampled="")
        ).encode(),
        "task_usage/part-00001-of-00002.csv": (
            "# start,end,job,index\n"
            + usage(FIRST + 300_000_000, (31, 0), average=1.5, sampled=0.9)
            + usage(2**63 - 1, (31, 0))
        ).encode(),
    },
    rows=4,
    first={
        "task": "31-0",
        "time": 600.0,
        "cpu": 0.12,
        "cpu_mean": 0.1,
        "memory": 0.05,
        "cpu_request": 0.5,
        "memory_request": 0.125,
        "failing": True,
    },
    unit="fraction",
    damaged={
        "task_usage/part-0.csv": (
            usage(FIRST, (31, 0)) + usage(FIRST, (31, 1), sampled="lots")
        ).encode()
    },
    damaged_line=2,
    damaged_words=("part-0.csv", '"lots"', "a sampled CPU rate"),
    large=large,
)
