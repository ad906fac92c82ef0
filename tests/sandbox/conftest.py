"""A worktree and a sandbox around it: bubblewrap, and for attacks every sandbox that answers."""

from pathlib import Path

import pytest

from tests.conformance.sandbox_rig import NAMED, RIGS, USUAL
from tests.sandbox.yard import Yard, worktree

ON_EVERY_SANDBOX = ("test_attacks", "test_egress")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = metafunc.module.__name__.rpartition(".")[2]
    if "yard" in metafunc.fixturenames and module.startswith(ON_EVERY_SANDBOX):
        marked = metafunc.definition.get_closest_marker("long_in_containers")
        usual = ["bubblewrap"] if marked else USUAL
        metafunc.parametrize("yard", NAMED or usual, indirect=True)


@pytest.fixture
def yard(request: pytest.FixtureRequest, tmp_path: Path) -> Yard:
    return Yard(RIGS[getattr(request, "param", "bubblewrap")](), worktree(tmp_path))
