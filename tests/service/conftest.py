"""Databases for the tests of the service."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.databases import KINDS, Cluster, binaries


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    found = binaries()
    if found is None:
        pytest.skip("PostgreSQL is not installed")
    cluster = Cluster(found)
    yield cluster
    cluster.remove()


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/ledger.db"
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.fresh()
