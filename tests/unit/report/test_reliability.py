"""The reliability picture: promised against delivered."""

from cotenant.report.reliability import Delivered, reliability_chart

POINTS = [
    Delivered("azure", "default", 0.7, 0.4, 1.2),
    Delivered("azure", "exact", 4.0, 3.0, 5.0),
    Delivered("google", "default", 0.0, None, None),
]


def drawn(points):
    spec = reliability_chart(points)
    known = spec["datasets"]
    return [known[layer["data"]["name"]] for layer in spec["layer"]], spec


def test_every_point_is_drawn_with_its_interval():
    values, _ = drawn(POINTS)
    assert [v["shown"] for v in values[1]] == ["0.7 (0.4 to 1.2)", "4 (3 to 5)", "0"]


def test_nothing_delivered_stands_at_the_left_edge_of_a_logarithmic_axis():
    values, spec = drawn(POINTS)
    low, high = spec["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert values[1][2]["times"] == 0.01 == low
    assert high > 5.0


def test_the_promise_is_in_the_picture_even_where_all_kept_it_by_far():
    values, spec = drawn([Delivered("a", "delivered", 0.2, 0.1, 0.3)])
    low, high = spec["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert low < 1.0 < high
    assert [value["at"] for value in values[2]] == [1.0]


def test_a_single_series_needs_no_legend():
    _, spec = drawn([Delivered("a", "delivered", 0.2, None, None)])
    assert spec["layer"][1]["encoding"]["shape"]["legend"] is None
    _, several = drawn(POINTS)
    assert several["layer"][1]["encoding"]["shape"]["legend"] == {}
