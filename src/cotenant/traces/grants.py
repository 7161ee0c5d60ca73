"""Allocation logs: measurements of the time that a task was granted.

Three kinds of CSV file, told by their header, times in seconds: ``start,end`` (runs of
granted time), ``time,granted`` (granted since the row before), ``time,total`` or
``time,usage_usec`` (a counter that only grows). Beside them successive readings of the
``cpu.stat`` of a cgroup v2, each below a line with its time.
"""

import re

import numpy as np
import polars as pl

from cotenant.arrays import BoolArray, IntArray
from cotenant.demand.audit import Grants
from cotenant.errors import TraceError
from cotenant.traces.cleaning import Cleaning
from cotenant.traces.lines import LINE, Field, read_header, read_rows
from cotenant.traces.schema import Reading, ReadOptions
from cotenant.traces.source import Member, open_source

_NS = 10**9
_SECONDS = pl.Decimal(38, 9)
_FORMS = ("start,end", "time,granted", "time,total", "time,usage_usec")
_STAT = re.compile(rb"^usage_usec \d+\r?$", re.MULTILINE)


def read_grants(path: str) -> Grants:
    """Read an allocation log, compressed or not.

    Raises
    ------
    SourceNotFound
        If there is no such file.
    TraceError
        If it is of no known kind, damaged, out of order, or has fewer than two
        readings.
    """
    with open_source([path]) as members:
        member, *others = members
        if others:
            problem = f"holds {len(members)} files; expected one allocation log"
            raise TraceError(path, problem)
        grants = (
            _read_stat(member) if _STAT.search(member.head()) else _read_csv(member)
        )
    if len(grants.time) < 2:
        raise TraceError(path, "has no two readings; nothing can be judged from it")
    return grants


def _read_csv(member: Member) -> Grants:
    names = read_header(member)
    form = ",".join(names)
    if form not in _FORMS:
        shown = form if len(form) <= 60 else f"{form[:60]}..."
        expected = f"{' or '.join(_FORMS)}, or readings of cpu.stat below their times"
        raise TraceError(member.name, f'starts with "{shown}"; expected {expected}', 1)
    counts = names[1] == "usage_usec"
    fields = [
        Field(names[0], 0, _SECONDS, "seconds"),
        Field(
            names[1],
            1,
            pl.Int64() if counts else _SECONDS,
            "whole microseconds" if counts else "seconds",
        ),
    ]
    reading = Reading([member], ReadOptions(), Cleaning())
    batches = list(read_rows(reading, member, fields, width=2, header=True))
    if not batches:
        return Grants(np.zeros(0, np.int64), np.zeros(0, np.int64))
    rows = pl.concat(batches)
    _refuse(
        member, rows[LINE], rows[names[0]].is_null().to_numpy(), "has an empty cell"
    )
    _refuse(
        member, rows[LINE], rows[names[1]].is_null().to_numpy(), "has an empty cell"
    )
    first = _nanoseconds(rows[names[0]])
    second = (
        rows[names[1]].to_numpy() * 1_000 if counts else _nanoseconds(rows[names[1]])
    )
    if form == "start,end":
        return _runs(member, rows[LINE], first, second)
    if form == "time,granted":
        _refuse(member, rows[LINE], second < 0, "grants less than nothing")
        second = np.cumsum(second)
    return _readings(member, rows[LINE], first, second)


def _read_stat(member: Member) -> Grants:
    times: list[int] = []
    totals: list[int] = []
    lines: list[int] = []
    with member.open() as stream:
        for number, raw in enumerate(stream, 1):
            words = raw.split()
            if len(words) == 1:
                if len(times) > len(totals):
                    raise TraceError(
                        member.name, "follows a time; expected cpu.stat", number
                    )
                times.append(_moment(member, words[0], number))
            elif words[:1] == [b"usage_usec"]:
                if len(times) != len(totals) + 1:
                    raise TraceError(
                        member.name, "has no line with the time above", number
                    )
                totals.append(_whole(member, words[1], number) * 1_000)
                lines.append(number)
    if len(times) != len(totals):
        raise TraceError(member.name, "ends in a time without its cpu.stat")
    return _readings(
        member, pl.Series(lines), np.array(times, np.int64), np.array(totals, np.int64)
    )


def _readings(
    member: Member, lines: pl.Series, time: IntArray, total: IntArray
) -> Grants:
    _refuse(member, lines, _behind(time), "is not after the reading before it")
    fell = np.diff(total, prepend=total[:1]) < 0
    _refuse(
        member,
        lines,
        fell,
        "has granted less than the reading before it; was the counter reset?",
    )
    return Grants(time, total)


def _runs(member: Member, lines: pl.Series, start: IntArray, end: IntArray) -> Grants:
    _refuse(member, lines, end < start, "ends before it starts")
    early = np.concatenate(([False], start[1:] < end[:-1]))
    _refuse(member, lines, early, "starts before the run above has ended")
    time = np.stack((start, end), axis=1).ravel()
    granted = np.cumsum(end - start)
    total = np.stack((granted - (end - start), granted), axis=1).ravel()
    fresh = np.concatenate((time[1:] > time[:-1], [True]))
    return Grants(time[fresh], total[fresh])


def _behind(time: IntArray) -> BoolArray:
    return np.concatenate(
        (np.zeros(min(len(time), 1), np.bool_), time[1:] <= time[:-1])
    )


def _refuse(member: Member, lines: pl.Series, bad: BoolArray, problem: str) -> None:
    if bad.any():
        raise TraceError(member.name, problem, int(lines[int(bad.argmax())]))


def _nanoseconds(seconds: pl.Series) -> IntArray:
    return (seconds * _NS).cast(pl.Int64).to_numpy()


def _moment(member: Member, word: bytes, line: int) -> int:
    match = re.fullmatch(rb"(\d{1,9}\d?)(?:\.(\d{1,9})\d*)?", word)
    if match is None:
        text = word.decode(errors="replace")
        raise TraceError(member.name, f'time is "{text}"; expected seconds', line)
    return int(match[1]) * _NS + int((match[2] or b"").ljust(9, b"0"))


def _whole(member: Member, word: bytes, line: int) -> int:
    if not word.isdigit():
        text = word.decode(errors="replace")
        problem = f'usage_usec is "{text}"; expected whole microseconds'
        raise TraceError(member.name, problem, line)
    return int(word)
