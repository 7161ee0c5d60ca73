from tests.contracts.readers.case import Files, ReaderCase


def large(rows: int) -> Files:
    lines = (f"vm{i % 40},{i // 40 * 300},0.{i % 97:02d}\n" for i in range(rows))
    return {"usage.csv": ("vm,timestamp,cpu_usage\n" + "".join(lines)).encode()}


GOOD = (
    b'\xef\xbb\xbf"Pod";"Timestamp";"CPU(cores)";"Memory(bytes)"\r\n'
    b"web-1;2026-01-31T13:45:00Z;500m;64Mi\r\n"
    b"\r\n"
    b"web-2;2026-01-31T13:45:00Z;1;128Mi\r\n"
    b"web-1;2026-01-31T13:50:00Z;0.25;NaN\r\n"
)

CASE = ReaderCase(
    files={"usage.csv": GOOD},
    rows=3,
    first={"task": "web-1", "time": 1769867100.0, "cpu": 0.5, "memory": 2.0**26},
    unit="cores",
    damaged={"usage.csv": GOOD.replace(b";0.25;", b";lots;")},
    damaged_line=5,
    damaged_words=("usage.csv", '"lots"', "a number of cores"),
    large=large,
)
