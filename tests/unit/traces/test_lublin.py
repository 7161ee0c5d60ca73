"""The Lublin-Feitelson generator against the distributions it is made of."""

import numpy as np
import pytest

from cotenant.errors import InvalidInput
from cotenant.traces.jobs.lublin import lublin

COUNT = 40_000


@pytest.fixture(scope="module")
def jobs():
    return lublin(COUNT, processors=128, seed=7)


def test_the_same_seed_gives_the_same_jobs() -> None:
    one, two, three = lublin(200, seed=1), lublin(200, seed=1), lublin(200, seed=2)
    assert one.runtime_s.tolist() == two.runtime_s.tolist()
    assert one.submit_s.tolist() == two.submit_s.tolist()
    assert one.runtime_s.tolist() != three.runtime_s.tolist()


def test_a_quarter_is_serial_and_most_others_are_powers_of_two(jobs) -> None:
    size = jobs.processors
    assert size.min() == 1
    assert size.max() == 128
    assert (size == 1).mean() == pytest.approx(0.244, abs=0.01)
    power = (size & (size - 1)) == 0
    # 0.244 serial and 0.576 rounded; the rest hits a power of two by chance, at least
    # now and then.
    assert 0.82 < power.mean() < 0.90


def test_parallel_sizes_have_the_mean_of_the_two_stages(jobs) -> None:
    # 0.86 of them uniform on [0.8, 4.5], the others on [4.5, 7], in powers of two
    mean = 0.86 * (0.8 + 4.5) / 2 + 0.14 * (4.5 + 7) / 2
    power = np.log2(jobs.processors[jobs.processors > 1])
    assert power.mean() == pytest.approx(mean, abs=0.05)


@pytest.mark.parametrize("serial", [True, False])
def test_log_run_times_have_the_mean_of_the_two_gammas(jobs, serial: bool) -> None:
    some = (jobs.processors == 1) if serial else (jobs.processors >= 32)
    short = np.clip(-0.0054 * jobs.processors[some] + 0.78, 0.0, 1.0)
    mean = (short * 4.2 * 0.94 + (1 - short) * 312 * 0.03).mean()
    logs = np.log(jobs.runtime_s[some])
    # Whole seconds cost short jobs up to a second, and the longest are drawn again.
    assert logs.mean() == pytest.approx(mean, abs=0.12)


def test_run_times_end_at_two_days_and_grow_with_size(jobs) -> None:
    assert jobs.runtime_s.min() >= 1.0
    assert jobs.runtime_s.max() <= np.exp(12.0)
    large, small = jobs.processors >= 32, jobs.processors < 32
    assert jobs.runtime_s[large].mean() > 1.5 * jobs.runtime_s[small].mean()


def test_more_jobs_arrive_by_day_than_by_night(jobs) -> None:
    hour = (jobs.submit_s % 86_400) // 3600
    share = np.bincount(hour.astype(int), minlength=24) / len(jobs)
    assert 10 <= share.argmax() <= 17
    assert 2 <= share.argmin() <= 7
    assert share[12:17].mean() > 4 * share[2:7].mean()


def test_gaps_have_the_mean_of_the_exponential_of_a_gamma() -> None:
    # Points between jobs: a gamma cut at 13, drawn independently of the generator.
    log = np.random.default_rng(0).gamma(10.2303 * 1.0225, 0.4871, 1_000_000)
    points = np.exp(log[log <= 13.0])
    spans = [lublin(5000, seed=seed).submit_s[-1] / 5000 for seed in range(60)]
    error = points.std() / np.sqrt(5000 * 60) + points.std() / np.sqrt(len(points))
    assert np.mean(spans) == pytest.approx(points.mean(), abs=4 * error)


@pytest.mark.parametrize("processors", [2, 3, 5, 256, 1000])
def test_no_job_is_larger_than_the_machine(processors: int) -> None:
    size = lublin(2000, processors=processors, seed=3).processors
    assert size.min() >= 1
    assert size.max() <= processors
    assert size.max() > processors / 2


@pytest.mark.parametrize(
    ("count", "processors", "seed"), [(0, 128, 0), (5, 1, 0), (5, 128, -1)]
)
def test_numbers_out_of_range_are_refused(
    count: int, processors: int, seed: int
) -> None:
    with pytest.raises(InvalidInput):
        lublin(count, processors, seed)
