"""A trace larger than memory is planned as one that fits."""

from dataclasses import replace

import pytest

from cotenant.colocate.pack import Policy
from cotenant.fleet import Fleet
from cotenant.planning.plan import plan
from cotenant.planning.settings import Settings
from cotenant.traces.collect import from_frame
from cotenant.traces.synthetic import daily
from cotenant.traces.trace import Trace

FLEET = Fleet.of_equal({"cpu": 4.0, "memory": 16.0 * 2**30})


def planned(trace: Trace, settings: Settings) -> dict[str, object]:
    told = plan(trace, FLEET, settings).to_dict()
    told["comparison"] = [
        {name: value for name, value in row.items() if name != "seconds"}
        for row in told["comparison"]
    ]
    return told


@pytest.mark.parametrize(
    "settings",
    [
        Settings(Policy("exact", slots=24)),
        Settings(Policy("gaussian"), judge="exact"),
        Settings(Policy(), promise="tomorrow"),
    ],
    ids=["slots", "moments", "tomorrow"],
)
def test_a_plan_does_not_depend_on_where_the_samples_are(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = daily(60, 3, seed=1)
    in_memory = from_frame(rows)
    expected = planned(in_memory, settings)
    monkeypatch.setattr("cotenant.traces.intake.ROWS_IN_MEMORY", 1_000)
    monkeypatch.setattr("cotenant.traces.rows.IN_MEMORY", 0)
    on_disk = from_frame(rows)
    assert on_disk.store.files
    assert planned(replace(on_disk, source=in_memory.source), settings) == expected
