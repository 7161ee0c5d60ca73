import json
from collections.abc import Iterable, Sequence

from tests.contracts.readers.case import Files, ReaderCase

START = 1780001700


def matrix(series: Iterable[tuple[dict[str, str], Sequence[tuple[float, str]]]]) -> str:
    result = [{"metric": labels, "values": values} for labels, values in series]
    data = {"resultType": "matrix", "result": result}
    return json.dumps({"status": "success", "data": data}, separators=(",", ":"))


def pod(name: str, **more: str) -> dict[str, str]:
    return {"container": "web", "namespace": "shop", "pod": name, **more}


def steps(values: Sequence[str]) -> list[tuple[float, str]]:
    return [(START + 60 * i, value) for i, value in enumerate(values)]


def large(rows: int) -> Files:
    values = steps(["0.25", "0.5"] * 5000)
    series = ((pod(f"web-{i}"), values) for i in range(rows // len(values) + 1))
    return {"answer.json": matrix(series).encode()}


WEB_1 = (
    pod("web-1"),
    [(START + 0.5, "0.5"), (START + 120.5, "0.625"), *steps(["NaN"])],
)
WEB_2 = (pod("web-2", id="/kubepods/c1"), steps(["18446744073709526456", "1", "+Inf"]))
MEMORY = (pod("web-2", __name__="container_memory_working_set_bytes"), steps(["7"]))
BAD = (pod("web-3"), steps(["0.1", "abc"]))

CASE = ReaderCase(
    files={
        "cpu.json": matrix([WEB_1, WEB_2]).encode(),
        "memory.json": matrix([MEMORY]).encode(),
    },
    rows=7,
    first={"task": "shop/web-1/web", "time": START + 0.5, "cpu": 0.5},
    unit="cores",
    damaged={"cpu.json": matrix([WEB_1, BAD]).encode()},
    damaged_line=None,
    damaged_words=("cpu.json", "shop/web-3/web", '"abc"', '[seconds, "number"]'),
    large=large,
)
