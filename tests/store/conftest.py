"""A room over each kind of database."""

import pytest

from store.database import Database
from tests.store.room import Room, office_of


@pytest.fixture
def room(database: Database) -> Room:
    return Room(office_of(database))
