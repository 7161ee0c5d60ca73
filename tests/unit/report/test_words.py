import pytest

from cotenant.planning.results import Overload
from cotenant.report.words import figure, interval, percent, shorten, visible
from tests.unit.report.samples import HOSTILE


@pytest.mark.parametrize(
    ("fraction", "digits", "text"),
    [
        (0.0010000000000000009, 3, "0.1 %"),
        (0.000998, 3, "0.0998 %"),
        (0.999, 3, "99.9 %"),
        (1e-5, 2, "0.001 %"),
        (1e-12, 3, "< 0.0001 %"),
        (0.0, 3, "0 %"),
        (float("nan"), 3, "-"),
        (None, 3, "-"),
    ],
)
def test_percentages_are_short_and_never_exponential(fraction, digits, text):
    assert percent(fraction, digits) == text


def test_counts_keep_all_digits_before_the_point():
    assert figure(1_234_567.8) == "1,234,568"


def test_an_estimate_carries_its_interval():
    estimate = Overload(0.00123456, 0.01, 1, 0.0009, 0.0016, "samples")
    assert interval(estimate) == "0.12 % (95 % interval 0.09 % to 0.16 %)"
    assert interval(Overload(0.00123456, 0.01, 1, None, None, "exact")) == "0.123 %"


@pytest.mark.parametrize("name", HOSTILE)
def test_visible_names_have_no_control_and_no_direction_override(name):
    shown = visible(name)
    assert shown.strip()
    assert shown.replace("\u200d", "").isprintable()


@pytest.mark.parametrize("blank", ["", " ", "\u00a0", "\u3164", "\u200b", "\u2800"])
def test_names_that_look_empty_become_visible(blank):
    assert visible(blank).isascii() or {"⟨", "␣"} & set(visible(blank))


def test_joiners_stay_in_emoji_but_not_between_latin_letters():
    assert visible("\U0001f469\u200d\U0001f680") == "\U0001f469\u200d\U0001f680"
    assert visible("we\u200db") == "we⟨U+200D⟩b"


def test_long_names_lose_their_middle_and_fit_the_cells():
    assert shorten("abcdefghij", 5) == "ab…ij"
    assert shorten("short", 5) == "short"
    assert shorten("漢字漢字漢字", 7) == "漢…漢字"
