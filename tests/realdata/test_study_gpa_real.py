"""The study of the paper on real pools."""

import pytest

from cotenant.study.gpa.beside import beside
from cotenant.study.gpa.study import study_gpa
from cotenant.study.gpa.told import tell
from tests.shared import DATA, needs_data

pytestmark = [*needs_data, pytest.mark.slow]


def test_real_pools_stand_beside_the_synthetic_one() -> None:
    study = study_gpa(str(DATA), ("base", "calibration"), problems=1)
    assert not study.missing
    ours = {row.printed.key: row.ours for row in beside(study)}
    # Scaled to the same mean, so the means need the same machines.
    assert all(26 <= v <= 30 for v in ours["machines mean:1"].values() if v)
    assert all(v for v in ours["machines mean:1"].values())
    # PlanetLab has the heavier tails: the Gaussian breaks its promise further.
    q = ours["q gaussian 0.001"]
    assert q["planetlab"] > 2 * q["matched"]  # type: ignore[operator]
    calibration = study.grids["calibration", "planetlab"]
    for row in calibration.rows:
        if row.run.method == "exact":
            assert row.machines_above_rho == 0
    titles = [section.title for section in tell(study).sections]
    assert any("planetlab" in title for title in titles)
    assert any("google-job-days" in title for title in titles)


def test_pools_of_days_have_every_day_of_every_machine() -> None:
    from cotenant.study.gpa.pools import find_pools
    from cotenant.study.grid import make_grid
    from cotenant.study.grid_pool import open_pool

    tables = find_pools(str(DATA)).tables
    sizes = {}
    for name in ("planetlab", "google-job-days"):
        grid = make_grid({"pool": tables[name], "runs": [{"method": "max"}]})
        sizes[name] = open_pool(grid.pool, 0).size
    assert sizes["google-job-days"] == 1_600
    assert 2_550 <= sizes["planetlab"] <= 1_052 + 1_516
