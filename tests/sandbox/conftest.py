"""A worktree and a sandbox around it: bubblewrap, and for attacks every sandbox that answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.sandbox_rig import NAMED, RIGS, USUAL
from tests.sandbox.yard import Yard, worktree
from tests.workspace.deep_folders import removed_afterwards

ON_EVERY_SANDBOX = ("test_attacks", "test_egress")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = metafunc.module.__name__.rpartition(".")[2]
    if "yard" in metafunc.fixturenames and module.startswith(ON_EVERY_SANDBOX):
        marked = metafunc.definition.get_closest_marker("long_in_containers")
        usual = ["bubblewrap"] if marked else USUAL
        metafunc.parametrize("yard", NAMED or usual, indirect=True)


@pytest.fixture
def yard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Yard]:
    workspace = worktree(tmp_path)
    with removed_afterwards(workspace.path):
        yield Yard(RIGS[getattr(request, "param", "bubblewrap")](), workspace)
