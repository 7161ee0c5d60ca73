from tests.contracts.readers.case import Files, ReaderCase


def large(rows: int) -> Files:
    return {"20110303/vm_large": b"7\n" * rows}


CASE = ReaderCase(
    files={
        "20110303/host_a slice": b"24\n34\n0\n99\n",
        "20110303/host_b": b"1\r\n2\r\n3\r\n4\r\n",
    },
    rows=8,
    first={"task": "host_a slice", "time": 1299110400.0, "cpu": 0.24},
    unit="fraction",
    damaged={"20110303/host_a": b"24\n34\nabc\n99\n"},
    damaged_line=3,
    damaged_words=("host_a", '"abc"', "a percentage"),
    large=large,
)
