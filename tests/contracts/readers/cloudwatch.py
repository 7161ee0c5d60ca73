from tests.contracts.readers.case import Files, ReaderCase

GOOD = (
    b"timestamp,value\n"
    b"2014-02-14 14:30:00,12.5\n"
    b"2014-02-14 14:35:00,0.134\n"
    b"2014-02-14 14:50:00,100\n"
)


def large(rows: int) -> Files:
    line = "2014-02-{:02d} {:02d}:{:02d}:{:02d},1.5\n"
    lines = (
        line.format(1 + i // 86400, i // 3600 % 24, i // 60 % 60, i % 60)
        for i in range(rows)
    )
    return {"i-0abc.csv": ("timestamp,value\n" + "".join(lines)).encode()}


CASE = ReaderCase(
    files={"i-0abc.csv": GOOD},
    rows=3,
    first={"task": "i-0abc", "time": 1392388200.0, "cpu_mean": 0.125},
    unit="fraction",
    damaged={"i-0abc.csv": GOOD.replace(b"0.134", b"low")},
    damaged_line=3,
    damaged_words=("i-0abc.csv", '"low"', "a percentage"),
    large=large,
)
