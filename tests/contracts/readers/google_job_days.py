from tests.contracts.readers.case import Files, ReaderCase


def large(rows: int) -> Files:
    return {"jobs/vm_5_1": b"12.000000000000001 7.25\n" * rows}


CASE = ReaderCase(
    files={
        "jobs/vm_41_2": b"9.5 120.25\n8.25 7.125\n",
        "jobs/vm_41_3": b"5.0 6.0\n7.0000000000000001 1e1\n",
    },
    rows=4,
    first={"task": "41", "time": 86_400.0, "cpu": 0.095, "memory": 1.2025},
    unit="fraction",
    damaged={"jobs/vm_41_2": b"9.5 120.25\n8.25 much\n"},
    damaged_line=2,
    damaged_words=("vm_41_2", '"much"', "a memory percentage"),
    large=large,
)
