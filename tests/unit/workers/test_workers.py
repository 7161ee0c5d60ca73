"""Work comes to the same whoever computes it; what cannot be opened is said at once."""

import os

import pytest

from cotenant.errors import CotenantError, InvalidInput, TraceError
from cotenant.workers import completed, mapped, open_workers, send


def power(base: int, exponent: int) -> int:
    return base**exponent


def fail(number: int) -> int:
    if number == 2:
        raise TraceError("usage.csv", "cpu is 'abc'; expected a number", 3)
    return number


def die(number: int) -> int:
    os._exit(9)


def test_work_done_here_begins_when_it_is_asked_for() -> None:
    with open_workers(1) as workers:
        begun = completed(workers, fail, [1, 2])
        assert next(begun) == (1, 1)
        with pytest.raises(TraceError):
            next(begun)


@pytest.mark.parametrize("where", ["0", "-1", "two", "local:0", "local:", "local:x"])
def test_what_is_no_number_of_workers_is_refused(where: str) -> None:
    with (
        pytest.raises(InvalidInput, match=f"workers is '{where}'; expected"),
        open_workers(where),
    ):
        raise AssertionError("opened")


@pytest.mark.slow  # starts two processes
def test_processes_return_results_in_the_order_of_the_items() -> None:
    seen: list[tuple[int, int]] = []
    with open_workers(2) as workers:
        told = mapped(
            workers,
            power,
            range(5),
            send(workers, 3),
            advance=lambda done, total: seen.append((done, total)),
        )
    assert told == [0, 1, 8, 27, 64]
    assert seen == [(done, 5) for done in range(1, 6)]


@pytest.mark.slow  # starts two processes
def test_an_error_comes_back_from_another_process_as_it_was() -> None:
    with (
        open_workers(2) as workers,
        pytest.raises(TraceError, match=r"usage\.csv line 3: cpu is 'abc'") as caught,
    ):
        mapped(workers, fail, range(4))
    assert caught.value.line == 3


@pytest.mark.slow  # starts two processes
def test_a_process_that_dies_is_told_in_a_sentence() -> None:
    with (
        pytest.raises(CotenantError, match="one of 2 processes died"),
        open_workers(2) as workers,
    ):
        mapped(workers, die, range(4))
