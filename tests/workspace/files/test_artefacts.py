"""Texts that are kept: whole, by name, and inside their folder."""

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from agents.ports import Artefacts
from agents.workspace.files.artefacts import READ_MOST, FileArtefacts, file_name


def texts_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name != ".in-folders"]


async def test_a_text_is_read_back_by_its_name_and_replaced(tmp_path: Path) -> None:
    kept: Artefacts = FileArtefacts(tmp_path)
    assert await kept.read("T-14.2.patch") is None
    assert await kept.keep("T-14.2.patch", "one\n") == "T-14.2.patch"
    assert await kept.keep("T-14.2.patch", "twö \udcff\n") == "T-14.2.patch"
    assert await kept.read("T-14.2.patch") == "twö ?\n"
    assert texts_in(tmp_path) == [tmp_path / "artefacts" / "T-14" / "T-14.2.patch"]


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/x", "T-14/2/tests.log", "", ".", "..", "-rf", ".hidden", "a\0b", "x" * 400]
)
async def test_whatever_it_is_called_it_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    kept = FileArtefacts(tmp_path / "home")
    safe = await kept.keep(name, "text")
    assert await kept.read(name) == await kept.read(safe) == "text"
    assert texts_in(tmp_path) == [tmp_path / "home" / "artefacts" / safe]


async def test_a_task_has_a_folder_of_its_own_and_another_is_not_looked_into(tmp_path: Path) -> None:
    kept = FileArtefacts(tmp_path)
    for name in ("T-1.diff", "T-1.1-1.patch", "T-1.1-1-tests", "T-12.diff", "0123456789ab-lint"):
        await kept.keep(name, name)
    assert await kept.names("T-1") == ["T-1.1-1-tests", "T-1.1-1.patch", "T-1.diff"]
    (tmp_path / "artefacts" / "T-1.stray").write_text("of no older version")
    assert "T-1.stray" not in await kept.names("T-1"), "all that lies beside the folders would be gone through"
    assert await kept.names("T-3") == []


async def test_what_an_older_version_kept_is_found_before_and_after_it_is_moved(tmp_path: Path) -> None:
    place = tmp_path / "artefacts"
    place.mkdir()
    for name in ("T-1.diff", "T-1.1-1.patch", "T-12.diff", "T-x.diff"):
        (place / name).write_text(f"old {name}")
    kept = FileArtefacts(tmp_path)
    await kept.keep("T-1.1-1.patch", "new")
    for moved in (0, 3, 0):
        assert await kept.move_old() == moved if moved else True
        assert await kept.names("T-1") == ["T-1.1-1.patch", "T-1.diff"]
        assert (await kept.read("T-1.diff"), await kept.read("T-1.1-1.patch")) == ("old T-1.diff", "new")
        assert await kept.read("T-x.diff") == "old T-x.diff"
    assert {path.name for path in place.iterdir()} == {"T-1", "T-12", "T-1.1-1.patch", "T-x.diff", ".in-folders"}


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
