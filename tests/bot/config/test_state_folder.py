"""The state folder and the database are for their owner alone, also where they were open before."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.domain.errors import SettingsProblem
from bot.config.state_folder import make_database_private, make_home
from tests.builders.shell import Shell


def mode(path: Path) -> str:
    return oct(path.stat().st_mode & 0o777)


@pytest.mark.parametrize("before", [0o755, 0o777, 0o750, 0o701])
def test_an_open_folder_is_closed(tmp_path: Path, before: int) -> None:
    home = tmp_path / "state"
    home.mkdir()
    home.chmod(before)
    make_home(home)
    assert mode(home) == "0o700"


def test_a_readable_database_is_closed_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    files = [tmp_path / f"o.db{end}" for end in ("", "-wal", "-shm")]
    for file in files:
        file.touch(mode=0o644)
    make_database_private(f"sqlite:///{files[0]}")
    assert [mode(file) for file in files] == ["0o600"] * 3


def test_a_database_elsewhere_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    shell, elsewhere = Shell(tmp_path), tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o755)
    shell.run("tasks", OVERLORD_DATABASE_URL=f"sqlite:///{elsewhere}/o.db")
    assert {mode(file) for file in elsewhere.iterdir()} == {"0o600"}


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach; those of pytest they cannot."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


def test_a_folder_of_somebody_else_is_refused(open_folder: Path) -> None:
    """As another user, where this process may become one."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    home = open_folder / "state"
    home.mkdir()
    home.chmod(0o777)
    code = (
        "import os, sys, pathlib; from bot.config.state_folder import make_home; "
        "os.setuid(65534); make_home(pathlib.Path(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", code, home], capture_output=True, text=True, check=False)
    assert f"Others may look into {home}, and I cannot change that" in done.stderr and mode(home) == "0o777"


def test_a_folder_that_cannot_be_closed_is_refused() -> None:
    with pytest.raises(SettingsProblem, match="Others may look into"):
        make_home(Path("/proc/self/net") if Path("/proc/self/net").is_dir() else Path("/proc"))
