"""Every reader of job logs keeps the promises of `traces/job_records.py`."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from cotenant.errors import TraceError
from cotenant.traces.jobs.cleaning import cleaned
from cotenant.traces.jobs.records import NUMBERS, SECONDS, JobRecords
from cotenant.traces.jobs.source import JOB_READERS, JobOptions, read_jobs
from cotenant.traces.source import open_source
from tests.unit.traces import job_texts as texts


@dataclass(frozen=True)
class Case:
    text: str
    records: int
    damage: tuple[str, str]  # text to put another in place of
    line: int
    words: tuple[str, ...]


CASES = {
    "swf": Case(
        texts.SWF,
        texts.SWF_RECORDS,
        ("13 510", "13 51O"),
        12,
        ('submit time is "51O"', "expected a number"),
    ),
    "sacct": Case(
        texts.SACCT,
        texts.SACCT_RECORDS,
        ("1-02:00:04", "a day"),
        5,
        ('elapsed is "a day"', "hours:minutes:seconds"),
    ),
    "csv": Case(
        texts.CSV,
        texts.CSV_RECORDS,
        ("20,2,60", "20,two,60"),
        5,
        ('"two"', "expected a number"),
    ),
}


@pytest.fixture(params=sorted(JOB_READERS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def lay(folder: Path, text: str, file: str = "log.txt") -> str:
    path = folder / file
    content = text.encode()
    path.write_bytes(gzip.compress(content) if file.endswith(".gz") else content)
    return str(path)


def records_of(name: str, source: str) -> JobRecords:
    with open_source([source]) as members:
        return JOB_READERS[name].read(members[0])


def test_columns_have_one_value_a_record_and_their_type(
    name: str, tmp_path: Path
) -> None:
    records = records_of(name, lay(tmp_path, CASES[name].text))
    assert len(records) == CASES[name].records
    for column in SECONDS:
        values = getattr(records, column)
        assert (values.shape, values.dtype) == ((len(records),), np.float64)
    for column in NUMBERS:
        values = getattr(records, column)
        assert (values.shape, values.dtype) == ((len(records),), np.int64)


def test_every_record_is_a_job_or_rejected_for_one_reason(
    name: str, tmp_path: Path
) -> None:
    log = read_jobs(lay(tmp_path, CASES[name].text))
    report = log.report
    assert report.usable == len(log.jobs) > 0
    assert report.usable + sum(report.rejected.values()) == report.records
    assert sum(report.statuses.values()) == report.records == CASES[name].records


def test_the_format_is_recognised_by_its_own_reader_only(
    name: str, tmp_path: Path
) -> None:
    source = lay(tmp_path, CASES[name].text)
    assert read_jobs(source).format == name
    with open_source([source]) as members:
        known = [n for n, r in JOB_READERS.items() if r.recognise(members[0])]
    assert known == [name]


def test_compressed_and_plain_logs_are_equal(name: str, tmp_path: Path) -> None:
    plain = read_jobs(lay(tmp_path, CASES[name].text))
    packed = read_jobs(lay(tmp_path, CASES[name].text, "log.txt.gz"))
    assert packed.report == plain.report
    assert packed.jobs.submit_s.tolist() == plain.jobs.submit_s.tolist()


def test_a_damaged_line_is_an_error_that_names_it(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    assert case.text.count(case.damage[0]) == 1
    source = lay(tmp_path, case.text.replace(*case.damage))
    with pytest.raises(TraceError) as caught:
        read_jobs(source)
    assert caught.value.line == case.line
    assert caught.value.file == source
    for word in case.words:
        assert word in str(caught.value)


def test_a_cut_file_is_an_error(name: str, tmp_path: Path) -> None:
    source = lay(tmp_path, CASES[name].text * 50, "log.gz")
    whole = Path(source).read_bytes()
    Path(source).write_bytes(whole[: len(whole) - 9])
    with pytest.raises(TraceError, match=r"complete|decompressed"):
        read_jobs(source, name)


def test_first_records_count_rejected_ones_too(name: str, tmp_path: Path) -> None:
    source = lay(tmp_path, CASES[name].text)
    records = records_of(name, source)
    for count in range(1, len(records) + 1):
        _, report = cleaned(records, JobOptions(records=count))
        assert report.records == count
