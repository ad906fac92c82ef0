"""A person's repository and a state folder."""

from pathlib import Path

import pytest

from tests.workspace.yard import Yard, yard as made


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return made(tmp_path)
