"""Order of rows and numbers of names, against the obvious."""

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.traces.cleaning import Cleaning
from cotenant.traces.intake import CODE
from cotenant.traces.names import Names
from cotenant.traces.order import by_code, by_time
from cotenant.traces.reduction import take
from cotenant.traces.store import in_order

CODES = st.lists(st.sampled_from([0, 1, 2, 65_535, 65_536, 65_537, 2**32 - 1]))
ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5), st.integers(0, 9)), min_size=1
)


@settings(deadline=None)
@given(CODES)
def test_codes_are_sorted_stably(codes: list[int]) -> None:
    expected = sorted(range(len(codes)), key=codes.__getitem__)
    assert by_code(np.array(codes, np.uint32)).tolist() == expected


@settings(deadline=None)
@given(ROWS)
def test_rows_are_sorted_by_code_then_time_stably(
    rows: list[tuple[int, int, int]],
) -> None:
    codes, times, _ = (np.array(column) for column in zip(*rows, strict=True))
    expected = sorted(range(len(rows)), key=lambda i: rows[i][:2])
    order = by_time(codes.astype(np.uint32), times.astype(float))
    assert order.tolist() == expected


@settings(deadline=None)
@given(ROWS)
def test_of_rows_of_one_task_and_time_the_largest_counts(
    rows: list[tuple[int, int, int]],
) -> None:
    schema = {CODE: pl.UInt32, "time": pl.Float64, "cpu": pl.Float64}
    sorted_rows, again = in_order(pl.DataFrame(rows, schema=schema, orient="row"))
    largest: dict[tuple[int, int], int] = {}
    for code, time, cpu in rows:
        largest[code, time] = max(cpu, largest.get((code, time), 0))
    assert sorted_rows.rows() == [(*key, largest[key]) for key in sorted(largest)]
    assert again == len(rows) - len(largest)


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1)))
def test_names_are_numbered_in_the_order_of_their_first_appearance(
    batches: list[list[str]],
) -> None:
    names, first = Names(), list(dict.fromkeys(name for b in batches for name in b))
    for batch in batches:
        numbers = names.number(pl.Series(batch, dtype=pl.Categorical))
        assert [first[number] for number in numbers] == batch
    assert names.all().to_list() == first


VALUE = st.sampled_from([0.0, 0.5, 2.0, -1.0, float("nan"), float("inf"), None])


@settings(deadline=None)
@given(st.lists(st.tuples(VALUE, VALUE), min_size=1))
def test_every_row_counts_once_however_it_is_batched(
    cells: list[tuple[float | None, float | None]],
) -> None:
    schema = {"cpu": pl.Float64, "memory": pl.Float64}
    rows = pl.DataFrame(cells, schema=schema, orient="row").select(
        pl.lit("a").alias("task"), pl.lit(None, pl.Float64).alias("time"), pl.all()
    )
    counts = []
    for size in (1, len(cells)):
        cleaning = Cleaning()
        batches = list(rows.iter_slices(size))
        kept = [take(iter([b]), cleaning, "unused", eager=False) for b in batches]  # type: ignore[arg-type]
        left = sum(frame.height for part in kept for frame in part.frames)
        assert left + cleaning.dropped.total() == rows.height
        counts.append((cleaning.dropped, cleaning.repaired))
    assert counts[0] == counts[1]
