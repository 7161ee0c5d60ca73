"""The public names are those of `__all__`, and each has its home."""

import inspect

import pytest

import cotenant


def test_names_and_homes_agree() -> None:
    assert sorted(cotenant._HOMES) == sorted(cotenant.__all__)
    assert set(cotenant.__all__) <= set(dir(cotenant))


@pytest.mark.parametrize("name", cotenant.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert inspect.getdoc(getattr(cotenant, name))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'nonsense'"):
        _ = cotenant.nonsense
