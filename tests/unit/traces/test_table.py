import gzip
import io
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from cotenant.errors import InvalidInput, TraceError
from cotenant.traces import lines
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.schema import Reading, ReadOptions
from cotenant.traces.source import Member, open_source
from cotenant.traces.tables import table

WRAPPED = "18446744073709526456"


@contextmanager
def source(files: Mapping[str, str | bytes], folder: Path) -> Iterator[list[Member]]:
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    with open_source([str(folder)]) as members:
        yield members


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read_files(
    files: Mapping[str, str | bytes], folder: Path, options: ReadOptions
) -> tuple[pl.DataFrame, Reading]:
    with source(files, folder) as members:
        reading = Reading(members, options, Cleaning())
        batches = [
            rows.with_columns(pl.col("task").cast(pl.String))
            for rows in table.read(reading)
        ]
        table.conclude(reading)
        return pl.concat(batches, how="diagonal"), reading


def read(
    content: str | bytes, folder: Path, name: str = "usage.csv", **options: object
) -> tuple[pl.DataFrame, Reading]:
    return read_files({name: content}, folder, ReadOptions(**options))  # type: ignore[arg-type]


def parquet(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def told(reading: Reading, words: str) -> bool:
    return any(words in remark for remark in reading.cleaning.remarks)


# --- headers


@pytest.mark.parametrize(
    "header",
    [
        "vm,timestamp,cpu_usage",
        "POD,TS,Usage",
        "Container,date,VALUE",
        "id,time,cpu",
        "name,Timestamp,CPU(cores)",
    ],
)
def test_usual_names_are_understood_in_any_case_and_noted(
    header: str, folder: Path
) -> None:
    rows, reading = read(f"{header}\na,5,0.5\n", folder)
    assert rows.row(0, named=True) == {"task": "a", "time": 5.0, "cpu": 0.5}
    assert told(reading, f'"{header.split(",")[0]}" is taken as task')


def test_exact_names_win_over_usual_ones_and_the_rest_is_named(folder: Path) -> None:
    rows, reading = read("cpu_usage,pod,value,cpu,task\n1,2,3,4,t\n", folder)
    assert rows["cpu"].to_list() == [4.0]
    assert rows["task"].to_list() == ["t"]
    assert told(reading, 'not used: "cpu_usage", "pod", "value"')


def test_a_particular_name_wins_over_a_vague_one(folder: Path) -> None:
    rows, _ = read("pod,id,time,cpu_usage,value\np,i,1,0.5,9\n", folder)
    assert rows["task"].to_list() == ["p"]
    assert rows["cpu"].to_list() == [0.5]


@pytest.mark.parametrize(
    ("header", "role"),
    [("task,time,usage,value", "cpu"), ("pod,container,time,cpu", "task")],
)
def test_two_columns_that_may_be_the_same_are_refused(
    header: str, role: str, folder: Path
) -> None:
    with pytest.raises(TraceError, match=f"may all be {role}; name one of them"):
        read(f"{header}\na,1,2,3\n", folder)


def test_a_missing_cpu_column_lists_what_there_is_and_what_is_expected(
    folder: Path,
) -> None:
    with pytest.raises(TraceError) as caught:
        read("task,time,temperature\na,1,2\n", folder)
    message = str(caught.value)
    assert 'no cpu column; its columns are "task", "time", "temperature"' in message
    assert "expected task, time and cpu (or cpu_mean)" in message


def test_a_missing_task_column_is_refused_when_others_could_be_it(folder: Path) -> None:
    with pytest.raises(TraceError, match="no task column"):
        read("time,machine_type,cpu\n1,x,2\n", folder)


def test_without_a_task_column_every_file_is_a_task(folder: Path) -> None:
    files = {"web.csv": "time,cpu\n1,0.5\n", "db.csv": "time,cpu\n1,0.25\n"}
    rows, reading = read_files(files, folder, ReadOptions())
    assert dict(rows.select("task", "cpu").iter_rows()) == {"web": 0.5, "db": 0.25}
    assert told(reading, "every file is one task")


def test_a_table_without_times_has_null_times(folder: Path) -> None:
    rows, _ = read("task,cpu\na,1\na,2\n", folder)
    assert rows["time"].to_list() == [None, None]


def test_all_columns_are_read(folder: Path) -> None:
    header = "task,time,cpu,cpu_mean,memory,cpu_request,memory_request,failing"
    rows, _ = read(f"{header}\na,0,0.5,250m,64Mi,1,1Gi,true\nb,0,1,,,,,\n", folder)
    rows = rows.select(header.split(","))
    assert rows.row(0) == ("a", 0.0, 0.5, 0.25, 2.0**26, 1.0, 2.0**30, True)
    assert rows.row(1) == ("b", 0.0, 1.0, None, None, None, None, None)


# --- text


def test_bom_quotes_crlf_blank_lines_and_comments_do_no_harm(folder: Path) -> None:
    text = '\ufeff# made by hand\r\n\r\n"Task","Time","CPU"\r\n\r\n"a, b",1,0.5\r\n\r\n'
    rows, reading = read(text, folder)
    assert rows.rows() == [("a, b", 1.0, 0.5)]
    assert reading.cleaning.rows == 1


def test_line_numbers_stay_true_behind_blank_lines_and_comments(folder: Path) -> None:
    with pytest.raises(TraceError, match=r"usage.csv line 6: cpu is \"x\"") as caught:
        read("# note\n\ntask,cpu\na,1\n\na,x\n", folder)
    assert caught.value.line == 6


def test_line_numbers_stay_true_in_later_chunks(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "CHUNK", 64)
    with pytest.raises(TraceError) as caught:
        read("task,cpu\n" + "a,1\n" * 100 + "a,?\n", folder)
    assert caught.value.line == 102


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found_in_the_header(separator: str, folder: Path) -> None:
    text = "task,time,cpu\na,1,0.5\n".replace(",", separator)
    assert read(text, folder)[0].rows() == [("a", 1.0, 0.5)]


def test_whole_numbers_may_turn_into_decimals_late(folder: Path) -> None:
    text = "task,cpu\n" + "a,1\n" * 5000 + "a,0.5\n"
    assert read(text, folder)[0]["cpu"].sum() == 5000.5


def test_nan_and_infinity_are_handed_on_and_missing_cells_are_null(
    folder: Path,
) -> None:
    cells = ["NaN", "inf", "-Inf", " nan", "", "null", "N/A", "-", " 0.5 "]
    rows, _ = read("task,cpu\n" + "".join(f"a,{c}\n" for c in cells), folder)
    cpu = rows["cpu"].to_list()
    assert math.isnan(cpu[0])
    assert cpu[1:3] == [math.inf, -math.inf]
    assert math.isnan(cpu[3])
    assert cpu[4:] == [None, None, None, None, 0.5]


def test_rows_are_yielded_in_the_order_of_the_file(folder: Path) -> None:
    rows, _ = read("task,time,cpu\nb,2,1\na,9,2\nb,1,3\n", folder)
    assert rows["cpu"].to_list() == [1.0, 2.0, 3.0]


def test_rows_without_a_task_or_a_time_are_counted(folder: Path) -> None:
    rows, reading = read("task,time,cpu\na,1,1\n,2,1\na,,1\n  ,,1\n", folder)
    assert rows.height == 1
    assert reading.cleaning.rows == 4
    assert reading.cleaning.dropped == {"no_task": 2, "no_time": 1}


def test_long_and_foreign_task_names_are_kept(folder: Path) -> None:
    names = ["n" * 253, "größe-名前", "<b>&\"'"]
    text = "task,cpu\n" + "".join(
        '"{}",1\n'.format(n.replace('"', '""')) for n in names
    )
    assert read(text, folder)[0]["task"].to_list() == names


def test_a_row_with_too_many_cells_is_refused(folder: Path) -> None:
    with pytest.raises(TraceError, match="line 3: has 3 columns; expected 2"):
        read("task,cpu\na,1\na,1,2\n", folder)


def test_gzip_is_read_whatever_the_name_says(folder: Path) -> None:
    packed = gzip.compress(b"task,cpu\na,1\n")
    files = {"a.csv.gz": packed, "b.csv": packed}
    rows, _ = read_files(files, folder, ReadOptions())
    assert rows["cpu"].to_list() == [1.0, 1.0]


def test_files_in_an_archive_are_read_parquet_too(folder: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("b.csv", "task,cpu\nb,1\n")
        archive.writestr(
            "c.parquet", parquet(pl.DataFrame({"task": ["c"], "cpu": [2]}))
        )
    rows, _ = read_files({"both.zip": packed.getvalue()}, folder, ReadOptions())
    assert rows["cpu"].to_list() == [1.0, 2.0]


@pytest.mark.parametrize("text", ["\ufeff", "\n\n", "# only a comment\n"])
def test_a_file_without_a_line_is_said_to_be_empty(text: str, folder: Path) -> None:
    with pytest.raises(TraceError, match="is empty; expected a header and rows"):
        read(text, folder)


@pytest.mark.parametrize("text", ["task,time,cpu\n", "task,time,cpu", "time,a,b\n\n"])
def test_a_header_alone_is_an_error(text: str, folder: Path) -> None:
    with pytest.raises(TraceError, match="holds a header but no rows"):
        read(text, folder)


def test_one_empty_table_among_others_is_noted(folder: Path) -> None:
    files = {"a.csv": "task,cpu\n", "b.csv": "task,cpu\nb,1\n"}
    rows, reading = read_files(files, folder, ReadOptions())
    assert rows.height == 1
    assert told(reading, "a.csv holds a header but no rows")


# --- times


@pytest.mark.parametrize(
    "text",
    [
        *("1392388200", "1392388200.0", "1392388200000", "1392388200000000"),
        *("1392388200000000000", "2014-02-14 14:30:00", "2014-02-14T14:30:00Z"),
        *("2014-02-14T14:30Z", "2014-02-14T16:30:00.000+02:00", "2014/02/14 14:30"),
        *("2014-02-14 09:30:00-0500", "2014-02-14 14:30:00 UTC"),
    ],
)
def test_every_usual_form_of_a_time_is_understood(text: str, folder: Path) -> None:
    rows, _ = read(f"task,time,cpu\na,{text},1\n", folder)
    assert rows["time"].to_list() == [1392388200.0]


def test_units_inferred_from_the_size_of_numbers_are_noted(folder: Path) -> None:
    _, reading = read("task,time,cpu\na,1392388200000,1\n", folder)
    assert told(reading, "times are taken as milliseconds")


def test_seconds_since_the_start_stay_as_they_are(folder: Path) -> None:
    rows, reading = read("task,time,cpu\na,0,1\na,2591700,1\n", folder)
    assert rows["time"].to_list() == [0.0, 2591700.0]
    assert not told(reading, "times")


@pytest.mark.parametrize("chunk", [32, 1 << 20])
@pytest.mark.parametrize(
    ("usual", "other"),
    [(1392388200000, 99), (1392388200, 1392388200000), (3600, 3600 * 10**9)],
)
def test_a_time_in_another_unit_is_dropped_and_shown_and_shifts_nothing(
    usual: int, other: int, chunk: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "CHUNK", chunk)
    times = [usual + i for i in range(200)]
    text = "task,time,cpu\n" + "".join(f"a,{t},1\n" for t in times)
    alone, _ = read(text, folder)
    rows, reading = read(f"{text}a,{other},1\n", folder)
    assert rows["time"].to_list() == alone["time"].to_list()
    assert reading.cleaning.dropped == {"other_time_unit": 1}
    (remark,) = (r for r in reading.cleaning.remarks if "line 202" in r)
    assert f"time {other}" in remark


def test_times_in_two_units_throughout_are_refused(folder: Path) -> None:
    lines_of = [f"a,{1392388200 * (1000 if i % 3 else 1)},1\n" for i in range(90)]
    with pytest.raises(TraceError, match=r"line 2: .*expected one unit of time"):
        read("task,time,cpu\n" + "".join(lines_of), folder)


def test_rows_that_end_too_early_are_counted_as_truncated(folder: Path) -> None:
    text = 'task,time,cpu,memory\na,0,1,5\na,60,1\n\na,120,\na,180,,\n"b,c",0,1,\na\n'
    rows, reading = read(text, folder)
    assert rows.select("task", "time").rows() == [
        ("a", 0.0),
        ("a", 180.0),
        ("b,c", 0.0),
    ]
    assert reading.cleaning.rows == 6
    assert reading.cleaning.dropped == {"truncated": 3}
    assert told(reading, "line 3 has fewer than 4 cells")


def test_times_without_a_zone_are_utc_and_that_is_noted(folder: Path) -> None:
    _, reading = read("task,time,cpu\na,2014-02-14 14:30:00,1\n", folder)
    assert told(reading, "taken as UTC")


def test_an_unreadable_time_is_blamed_on_its_line(folder: Path) -> None:
    with pytest.raises(TraceError, match=r'line 3: time is "noon"; expected seconds'):
        read("task,time,cpu\na,1,1\na,noon,1\n", folder)


# --- units


def test_cores_are_the_unit_unless_something_is_said(folder: Path) -> None:
    _, reading = read("task,cpu\na,1\n", folder)
    assert reading.unit == "cores"
    assert told(reading, "cpu is taken as cores")


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("cpu_percent", 0.5, "fraction"),
        ("CPU usage [%]", 0.5, "fraction"),
        ("cpu_millicores", 0.05, "cores"),
        ("cpu_cores", 50.0, "cores"),
    ],
)
def test_a_unit_in_the_name_of_the_column_is_used(
    name: str, value: float, unit: str, folder: Path
) -> None:
    rows, reading = read(f"task,{name}\na,50\n", folder)
    assert rows["cpu"].to_list() == pytest.approx([value])
    assert reading.unit == unit


def test_a_unit_asked_for_wins_over_the_name(folder: Path) -> None:
    rows, reading = read("task,cpu_percent\na,50\n", folder, unit="millicores")
    assert rows["cpu"].to_list() == [0.05]
    assert reading.unit == "cores"


def test_percent_and_scale_apply_to_requests_too(folder: Path) -> None:
    text = "task,cpu,cpu_mean,cpu_request\na,50,40,100\n"
    rows, reading = read(text, folder, unit="percent", scale=2.0)
    assert rows.row(0)[2:] == (1.0, 0.8, 2.0)
    assert reading.unit == "fraction"


@pytest.mark.parametrize(
    ("value", "advice"), [("80", "--unit percent"), ("2500", "--unit millicores")]
)
def test_values_too_large_for_cores_bring_advice(
    value: str, advice: str, folder: Path
) -> None:
    assert told(read(f"task,cpu\na,{value}\n", folder)[1], advice)


def test_advice_is_not_given_where_the_unit_was_asked_for(folder: Path) -> None:
    assert not told(read("task,cpu\na,80\n", folder, unit="cores")[1], "--unit")


def test_files_of_different_units_are_refused(folder: Path) -> None:
    files = {"a.csv": "task,cpu\na,1\n", "b.csv": "task,cpu_percent\na,1\n"}
    with pytest.raises(TraceError, match=r"b\.csv: holds fraction"):
        read_files(files, folder, ReadOptions())


def test_quantities_may_appear_late_and_among_plain_numbers(folder: Path) -> None:
    rows, _ = read("task,cpu,memory\na,1,1e9\na,100m,100M\na,0.1k,1Gi\n", folder)
    assert rows["cpu"].to_list() == [1.0, 0.1, 100.0]
    assert rows["memory"].to_list() == [1e9, 1e8, 2.0**30]


def test_a_quantity_where_percent_was_asked_for_is_an_error(folder: Path) -> None:
    with pytest.raises(TraceError, match='"500m"; expected a percentage'):
        read("task,cpu\na,500m\n", folder, unit="percent")


@pytest.mark.parametrize("unit", ["percent", "millicores"])
def test_a_request_is_no_quantity_where_usage_is_none(unit: str, folder: Path) -> None:
    with pytest.raises(TraceError, match=r'cpu_request is "500m"'):
        read("task,cpu,cpu_request\na,5,500m\n", folder, unit=unit)


# --- options


def test_a_column_of_cores_makes_shares_into_cores_and_requests(folder: Path) -> None:
    text = "task,time,cpu_percent,vcpus\na,0,50,4\nb,0,10,2\n"
    rows, reading = read(text, folder, cores_column="vcpus")
    assert rows["cpu"].to_list() == [2.0, 0.2]
    assert rows["cpu_request"].to_list() == [4.0, 2.0]
    assert reading.unit == "cores"


def test_a_stated_request_beside_a_column_of_cores_is_in_cores(folder: Path) -> None:
    text = "task,cpu,cores,cpu_request\na,50,4,1500m\n"
    rows, _ = read(text, folder, cores_column="cores", unit="percent", scale=2.0)
    assert rows.select("cpu", "cpu_request").rows() == [(4.0, 3.0)]


def test_shares_of_cores_above_one_bring_advice(folder: Path) -> None:
    _, reading = read("task,cpu,cores\na,50,4\n", folder, cores_column="cores")
    assert told(reading, "--unit percent")


def test_cores_cannot_be_a_share_of_cores(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="expected unit percent or fraction"):
        read("task,cpu,n\na,1,4\n", folder, cores_column="n", unit="cores")


def test_a_label_is_carried_through_under_its_own_name(folder: Path) -> None:
    rows, _ = read("pod,Service,cpu\na,shop,1\nb,,1\n", folder, keep="Service")
    assert rows["Service"].to_list() == ["shop", None]


def test_the_label_may_be_the_task_itself(folder: Path) -> None:
    rows, _ = read("pod,cpu\na,1\n", folder, keep="pod")
    assert rows.columns == ["task", "time", "cpu", "pod"]
    assert read("task,cpu\na,1\n", folder, keep="task")[0].columns == [
        "task",
        "time",
        "cpu",
    ]


@pytest.mark.parametrize("option", ["keep", "cores_column"])
def test_a_missing_column_of_an_option_names_those_there_are(
    option: str, folder: Path
) -> None:
    with pytest.raises(InvalidInput, match=r'"team"; its columns are "task", "cpu"'):
        read("task,cpu\na,1\n", folder, **{option: "team"})


# --- wide


def test_a_wide_table_has_one_task_a_column(folder: Path) -> None:
    text = "timestamp,web,db\n2014-02-14 14:30:00,1,0.5\n2014-02-14 14:35:00,,250m\n"
    rows, reading = read(text, folder)
    found = {(r[0], r[1]): r[2] for r in rows.iter_rows()}
    assert found == {
        ("web", 1392388200.0): 1.0,
        ("web", 1392388500.0): None,
        ("db", 1392388200.0): 0.5,
        ("db", 1392388500.0): 0.25,
    }
    assert reading.cleaning.rows == 4


@pytest.mark.parametrize("first", ["row", "", "Unnamed: 0", "index"])
def test_row_numbers_are_no_times(first: str, folder: Path) -> None:
    rows, reading = read(f"{first},101,102\n1,0.5,1\n2,0.25,2\n", folder)
    assert rows["time"].to_list() == [None] * 4
    assert rows.filter(task="101")["cpu"].to_list() == [0.5, 0.25]
    assert told(reading, "row numbers")


def test_dates_in_the_first_column_tell_a_wide_table_whatever_its_name(
    folder: Path,
) -> None:
    rows, _ = read("Zeit;a\n2014-02-14 14:30:00;1\n", folder)
    assert rows.rows() == [("a", 1392388200.0, 1.0)]


def test_a_wide_table_with_a_column_twice_is_refused(folder: Path) -> None:
    with pytest.raises(TraceError, match='has 2 columns "a"'):
        read("time,a,b,a\n1,2,3,4\n", folder)


def test_an_unreadable_cell_of_a_wide_table_names_its_task(folder: Path) -> None:
    with pytest.raises(TraceError, match=r'line 3: db is "down"; expected a number'):
        read("time,web,db\n1,1,1\n2,1,down\n", folder)


def test_a_wide_table_has_no_labels(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="one column a task"):
        read("time,web,db\n1,1,1\n", folder, keep="web")


# --- Parquet


def test_a_long_parquet_table_of_any_types_is_read(folder: Path) -> None:
    frame = pl.DataFrame(
        {
            "vm": [7, 8],
            "ts": [datetime(2014, 2, 14, 14, 30, tzinfo=UTC)] * 2,
            "usage": pl.Series([1, 2], dtype=pl.Int16),
            "memory": ["64Mi", None],
        }
    )
    rows, reading = read(parquet(frame), folder, "usage.parquet")
    assert rows.rows() == [("7", 1392388200.0, 1, 2**26), ("8", 1392388200.0, 2, None)]
    assert rows.schema["cpu"] == pl.Float64
    assert reading.cleaning.rows == 2


def test_a_wide_parquet_table_is_read(folder: Path) -> None:
    frame = pl.DataFrame({"time": [0, 300], "a": [1.0, 2.0], "b": [None, 4.0]})
    rows, _ = read(parquet(frame), folder, "usage.parquet")
    assert sorted(rows.filter(pl.col("cpu") > 1).rows()) == [
        ("a", 300.0, 2.0),
        ("b", 300.0, 4.0),
    ]


def test_a_parquet_column_of_the_wrong_type_is_named(folder: Path) -> None:
    frame = pl.DataFrame({"task": ["a"], "cpu": [[1.0]]})
    with pytest.raises(TraceError, match="cpu is of type List"):
        read(parquet(frame), folder, "usage.parquet")


def test_a_parquet_file_without_columns_is_an_error(folder: Path) -> None:
    with pytest.raises(TraceError, match="has no columns"):
        read(parquet(pl.DataFrame()), folder, "usage.parquet")


def test_parquet_comes_in_bounded_batches_in_order(folder: Path) -> None:
    count = 700_000
    frame = pl.DataFrame({"task": "a", "cpu": pl.int_range(count, eager=True) % 10})
    with source({"usage.parquet": parquet(frame)}, folder) as members:
        passed = 0

        def advance(size: int) -> None:
            nonlocal passed
            passed += size

        reading = Reading(members, ReadOptions(), Cleaning(), advance=advance)
        batches = list(table.read(reading))
    assert max(batch.height for batch in batches) < count / 2
    assert pl.concat(batches)["cpu"].to_list() == frame["cpu"].to_list()
    assert passed == members[0].size


# --- values that are no usage


def counters(tasks: int, samples: int) -> str:
    rows = (
        f"t{t},{60 * i},{1000 * t + (t + 1) * i}\n"
        for i in range(samples)
        for t in range(tasks)
    )
    return "task,time,cpu\n" + "".join(rows)


def test_raw_counters_are_refused_with_the_advice_to_take_a_rate(folder: Path) -> None:
    with pytest.raises(TraceError, match=r"raw counter.* 5 of 5 tasks.*take a rate"):
        read(counters(5, 30), folder)


def test_counters_are_noticed_across_chunks_and_out_of_order(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "CHUNK", 256)
    header, *rows = counters(3, 40).splitlines(keepends=True)
    swapped = [row for pair in zip(rows[1::2], rows[::2], strict=True) for row in pair]
    with pytest.raises(TraceError, match="raw counter"):
        read(header + "".join(swapped), folder)


def test_wide_counters_are_noticed(folder: Path) -> None:
    rows = "".join(f"{60 * i},{i * 7},{5000 + i}\n" for i in range(30))
    with pytest.raises(TraceError, match="2 of 2 tasks"):
        read("time,a,b\n" + rows, folder)


def test_few_samples_do_not_make_a_counter(folder: Path) -> None:
    assert read(counters(5, 19), folder)[0].height == 95


def test_one_growing_task_among_others_is_no_counter(folder: Path) -> None:
    steady = "".join(f"s{t},{60 * i},{i % 5}\n" for t in range(5) for i in range(30))
    assert read(counters(1, 30) + steady, folder)[0].height == 180


def test_constant_usage_is_no_counter(folder: Path) -> None:
    assert read("task,cpu\n" + "a,1\n" * 50, folder)[0].height == 50


@pytest.mark.parametrize("cell", [WRAPPED, f"{WRAPPED}n", "1.8e19"])
def test_values_of_wrap_around_size_are_dropped_and_counted(
    cell: str, folder: Path
) -> None:
    rows, reading = read(f"task,cpu\na,1\na,{cell}\na,-513m\n", folder)
    assert rows["cpu"].to_list() == [1.0, -0.513]
    assert reading.cleaning.dropped == {"implausible": 1}
    assert not told(reading, "--unit")


# --- recognition


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("vm;ts;usage\n", "a header with task (vm), time (ts), cpu (usage)"),
        ("time,a,b\n1,2,3\n", "a first column of times or row numbers, 2 others"),
        ("24\n34\n", None),
        ("a,b\n1,2\n", None),
        ("\n", None),
        ('{"data": "' + "x" * 200_000 + '"}', None),
    ],
)
def test_a_table_is_recognised_by_its_header(
    text: str, reason: str | None, folder: Path
) -> None:
    with source({"usage.csv": text}, folder) as members:
        assert table.recognise(members) == reason
