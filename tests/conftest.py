"""What tests of every folder share: databases of both kinds, and how long Hypothesis searches."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from store.database import Database
from tests.fakes.postgres import EMPTY, PrivatePostgres, private_postgres

# `make bench` sets OVERLORD_HYPOTHESIS=full: 500 examples of 50 steps.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile("quick", deadline=None, derandomize=False, suppress_health_check=SLOW)
settings.register_profile("full", parent=settings.get_profile("quick"), max_examples=500, stateful_step_count=50)
# For whoever asks only whether a test fails: no smaller example is looked for.
settings.register_profile(
    "unshrunk",
    parent=settings.get_profile("quick"),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    database=None,
)
settings.load_profile(os.environ.get("OVERLORD_HYPOTHESIS", "quick"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PrivatePostgres]:
    """One server for all tests that are not about durability; each takes a database of its own."""
    with private_postgres(fsync=False) as server:
        yield server


@pytest.fixture(scope="session")
def with_tables(postgres: PrivatePostgres) -> str:
    """The name of a database that has its tables and nothing in them: a copy is made sooner than they are."""
    address = postgres.fresh()
    Database(address).close()
    return address.rpartition("/")[2]


@pytest.fixture(scope="session")
def file_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("with-tables") / "overlord.db"
    Database(f"sqlite:///{file}").close()
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database of each kind: empty, or with tables where `database` opens it anyway."""
    copied = "database" in request.fixturenames
    if request.param == "sqlite":
        if copied:
            shutil.copy(request.getfixturevalue("file_with_tables"), tmp_path / "overlord.db")
        yield f"sqlite:///{tmp_path / 'overlord.db'}"
        return
    server: PrivatePostgres = request.getfixturevalue("postgres")
    address = server.fresh(request.getfixturevalue("with_tables") if copied else EMPTY)
    yield address
    server.drop(address)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database(url)
    try:
        yield opened
    finally:
        opened.close()
