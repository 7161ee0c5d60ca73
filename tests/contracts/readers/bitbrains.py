from tests.contracts.readers.case import Files, ReaderCase

HEADER = ";\t".join(
    [
        "Timestamp [ms]",
        "CPU cores",
        "CPU capacity provisioned [MHZ]",
        "CPU usage [MHZ]",
        "CPU usage [%]",
        "Memory capacity provisioned [KB]",
        "Memory usage [KB]",
        "Disk read throughput [KB/s]",
        "Disk write throughput [KB/s]",
        "Network received throughput [KB/s]",
        "Network transmitted throughput [KB/s]",
    ]
)


def row(
    stamp: object,
    cores: object = 2,
    capacity: object = 5000.0,
    percent: object = 25.0,
    memory: object = 1024.0,
) -> str:
    """One line of a VM; the MHz follow from the percentage where it is a number."""
    mhz = percent * 50.0 if isinstance(percent, float) else 0.0
    cells = [stamp, cores, capacity, mhz, percent, 2097152.0, memory, 0.0, 1.5, 0, 0]
    return ";\t".join(map(str, cells)) + "\n"


def vm(*rows: str) -> bytes:
    return (HEADER + "\n" + "".join(rows)).encode()


def large(rows: int) -> Files:
    return {"rnd/1.csv": vm(row(1_372_629_804) * rows)}


CASE = ReaderCase(
    files={
        "rnd/17.csv": vm(
            row(1_372_629_804),
            row(1_372_630_105, percent="1.5E1"),
            row(1_372_630_405, cores=0, capacity=0.0, percent=0.0),
        ),
        "rnd/9.csv": vm(row(1_372_629_804, percent=103.5)),
    },
    rows=4,
    first={
        "task": "17",
        "time": 1_372_629_804.0,
        "cpu_mean": 0.5,
        "memory": 1024.0**2,
        "cpu_request": 2.0,
        "memory_request": 2.0 * 1024**3,
    },
    unit="cores",
    damaged={"rnd/17.csv": vm(row(1), row(2), row(3, percent="n/a"))},
    damaged_line=4,
    damaged_words=("17.csv", '"n/a"', "a CPU percentage"),
    large=large,
)
