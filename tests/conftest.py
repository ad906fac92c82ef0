"""What tests of every folder share: databases of both kinds, and how long Hypothesis searches."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from store.database import Database
from tests.fakes.postgres import PrivatePostgres, private_postgres

# `make bench` sets OVERLORD_HYPOTHESIS=full: the counts that PROMISES.md asks for.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("quick", deadline=None, derandomize=False, suppress_health_check=SLOW)
settings.register_profile("full", parent=settings.get_profile("quick"), max_examples=500, stateful_step_count=50)
settings.load_profile(os.environ.get("OVERLORD_HYPOTHESIS", "quick"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """One server for all tests that are not about durability; each takes a database of its own."""
    with private_postgres(fsync=False) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'overlord.db'}"
        return
    server: PrivatePostgres = request.getfixturevalue("postgres")
    address = server.fresh()
    yield address
    server.drop(address)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database(url)
    try:
        yield opened
    finally:
        opened.close()
