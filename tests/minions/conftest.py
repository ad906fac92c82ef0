"""A field for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.minions.field import Field, laid_out


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncIterator[Field]:
    async with laid_out(tmp_path) as made:
        yield made
