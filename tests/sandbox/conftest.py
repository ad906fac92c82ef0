"""A worktree and a sandbox around it."""

from pathlib import Path

import pytest

from tests.sandbox.yard import Yard, bubblewrap, worktree


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(bubblewrap(), worktree(tmp_path))
