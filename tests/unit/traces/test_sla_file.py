"""Files of SLAs: every column, and every mistake named with its line."""

from pathlib import Path

import pytest

from cotenant.demand.sla import Sla
from cotenant.errors import SourceNotFound, TraceError
from cotenant.traces.sla_file import read_slas


def written(tmp_path: Path, text: str) -> str:
    file = tmp_path / "slas.csv"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_all_columns_are_read_in_any_order(tmp_path: Path) -> None:
    text = "\ufeffperiod,task,budget,window,misses,period_high,period_low\n"
    text += "30,web,1,5,2,,\n4,film,2,,,8,2\n"
    assert read_slas(written(tmp_path, text)) == {
        "web": Sla.parse("1/30:2/5"),
        "film": Sla.parse("2/4~2-8"),
    }


def test_three_columns_are_enough(tmp_path: Path) -> None:
    found = read_slas(written(tmp_path, "task,budget,period\nb, 1, 2\na,1,3\n"))
    assert list(found) == ["b", "a"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("task,budget\na,1\n", "slas.csv line 1: has columns task,budget"),
        ("task,budget,period,color\na,1,2,red\n", "line 1: has columns"),
        ("", "no header"),
        ("task,budget,period\n", "holds no task"),
        ("task,budget,period\na,1,2\na,1,3\n", "line 3: names task 'a' twice"),
        ("task,budget,period\n,1,2\n", "line 2: names no task"),
        ("task,budget,period\na,1.5,2\n", 'line 2: budget is "1.5"; expected a whole'),
        ("task,budget,period\na,,2\n", 'line 2: budget is ""'),
        ("task,budget,period\na,3,2\n", "line 2: task 'a': SLA 3/2 has budget 3"),
        ("task,budget,period,misses\na,1,2,x\n", "whole number of periods"),
        ("task,budget,period\na,1,2,9\n", "line 2: has more cells than columns"),
        ("task,budget,period,period_low\na,1,2,1\n", "give both"),
    ],
)
def test_mistakes_are_named_with_their_line(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(TraceError) as refusal:
        read_slas(written(tmp_path, text))
    assert words in str(refusal.value)


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="expected a CSV file of SLAs"):
        read_slas(str(tmp_path / "none.csv"))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "slas.csv"
    file.write_bytes(b"task,budget,period\n\xff\xfe,1,2\n")
    with pytest.raises(TraceError, match="no UTF-8 text"):
        read_slas(str(file))
