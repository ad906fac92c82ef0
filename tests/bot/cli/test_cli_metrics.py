"""`overlord metrics`."""

import json
from pathlib import Path

import pytest

from agents.domain.errors import OverlordError
from bot.cli.engines.metrics import days_of
from tests.builders.shell import Shell


def test_it_prints_tables_or_json(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    told = shell.run("metrics", "--last", "7d").out
    assert "Engines by kind of work\nNothing has run." in told and "Tasks: 0, 0 of them merged" in told
    read = json.loads(shell.run("metrics", "--json").out)
    assert read["roles"] == read["kinds"] == read["workflows"] == [] and read["tasks"]["merged"] == 0
    assert "Write 30d, 2w or 12h." in shell.run("metrics", "--last", "soon", code=1).err


@pytest.mark.parametrize(("written", "days"), [("30d", 30), ("30", 30), ("2W", 14), ("12h", 0.5), (" 1 d ", 1)])
def test_times_are_read(written: str, days: float) -> None:
    assert days_of(written) == days


@pytest.mark.parametrize("written", ["", "d", "-3d", "0d", "3y", "99999d", "3d 4h"])
def test_what_is_no_time_is_refused(written: str) -> None:
    with pytest.raises(OverlordError):
        days_of(written)


def test_choices_are_listed_and_only_those_can_be_undone(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert "No engine was chosen by success." in shell.run("engines", "choices").out
    assert "No engine was chosen for implementer" in shell.run("engines", "undo", "implementer", code=1).err
