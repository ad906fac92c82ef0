"""Texts that are kept: whole, by name, and inside their folder."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from agents.ports import Artefacts
from agents.workspace.artefacts import READ_MOST, FileArtefacts
from agents.workspace.names import file_name


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_a_text_is_read_back_by_its_name_and_replaced(tmp_path: Path) -> None:
    kept: Artefacts = FileArtefacts(tmp_path)
    assert await kept.read("T-14.2.patch") is None
    assert await kept.keep("T-14.2.patch", "one\n") == "T-14.2.patch"
    assert await kept.keep("T-14.2.patch", "twö \udcff\n") == "T-14.2.patch"
    assert await kept.read("T-14.2.patch") == "twö ?\n"
    assert [path.name for path in (tmp_path / "artefacts").iterdir()] == ["T-14.2.patch"]


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/x", "T-14/2/tests.log", "", ".", "..", "-rf", ".hidden", "a\0b", "x" * 400]
)
async def test_whatever_it_is_called_it_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    kept = FileArtefacts(tmp_path / "home")
    safe = await kept.keep(name, "text")
    assert await kept.read(name) == await kept.read(safe) == "text"
    assert files_in(tmp_path) == [tmp_path / "home" / "artefacts" / safe]


async def test_a_huge_one_is_read_with_a_count_of_what_is_left_out(tmp_path: Path) -> None:
    kept = FileArtefacts(tmp_path)
    await kept.keep("log", "x" * (READ_MOST + 1234))
    assert (await kept.read("log") or "").endswith("… (1,234 more bytes)")


@given(st.lists(st.text(max_size=200), max_size=6, unique=True))
@settings(max_examples=40, deadline=None)
def test_two_names_never_meet(names: list[str]) -> None:
    safe = [file_name(name) for name in names]
    assert len(set(safe)) == len(safe)
    assert [file_name(name) for name in safe] == safe
