"""A fed service for the tests of keeping."""

from collections.abc import Iterator

import pytest

from tests.service.keeping.days import Fed


@pytest.fixture
def fed() -> Iterator[Fed]:
    running = Fed()
    yield running
    running.close()
