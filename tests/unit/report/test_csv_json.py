import json

import pytest

from cotenant.report.csv_json import script_json, to_json
from tests.unit.report import samples


def test_json_has_no_nan_and_keeps_what_is_there():
    read = json.loads(to_json(samples.comparison()), parse_constant=pytest.fail)
    rows = {row["method"]: row for row in read["rows"]}
    assert rows["requests"]["overload_mean"] is None
    assert rows["max"]["overload_mean"] == 0.0


def test_json_for_people_keeps_letters():
    assert "\U0001f680" in to_json(samples.plan())


@pytest.mark.parametrize("name", samples.HOSTILE)
def test_json_in_a_script_cannot_leave_it(name):
    text = script_json({"name": name})
    assert not {"<", ">", "&", "\u2028", "\u2029"} & set(text)
    assert json.loads(text) == {"name": name}
