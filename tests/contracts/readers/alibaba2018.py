from tests.contracts.readers.case import Files, ReaderCase


def large(rows: int) -> Files:
    return {"machine_usage.csv": b"m_12,86400,41,92,,,43.04,33.08,5\n" * rows}


CASE = ReaderCase(
    files={
        "machine_meta.csv": (
            b"m_7,0,3,4,96,100,USING\n"
            b"m_7,500,3,4,96,100,USING\n"
            b"m_8,0,3,4,96,100,IMPORT_INSTALLING\n"
        ),
        "machine_usage.csv": (
            b"m_7,10,41,92,,,43.04,33.08,5\n"
            b"m_7,40,101,92,,,43.04,33.08,5\n"
            b"m_8,20,3,-1,2.5,1,43.05,33.08,3\n"
        ),
    },
    rows=3,
    first={"task": "m_7", "time": 10.0, "cpu": 0.41, "memory": 0.92},
    unit="fraction",
    damaged={
        "machine_usage.csv": (
            b"m_7,10,41,92,,,43.04,33.08,5\nm_7,20,busy,92,,,43.04,33.08,5\n"
        )
    },
    damaged_line=2,
    damaged_words=("machine_usage.csv", '"busy"', "a CPU percentage"),
    large=large,
)
