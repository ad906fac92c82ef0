"""Tests that were written over while they ran are seen, also where they were put back."""

import os
import time
from pathlib import Path

import pytest

from agents.workspace.gates.planted.overwritten import marks_of, overwritten

FILES = ("tests/test_cart.py", "tests/data/one.json", "testdata/two.json", "shop/cart.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("as it was\n")
    return tmp_path


def test_what_was_only_read_is_as_it_was(folder: Path) -> None:
    marks = marks_of(folder, FILES)
    assert set(marks) == set(FILES) - {"shop/cart.py"}
    (folder / "shop" / "cart.py").write_text("another\n")
    (folder / "tests" / "new.py").write_text("new\n")
    assert overwritten(folder, marks, time.time_ns()) == []


@pytest.mark.parametrize("path", ["tests/test_cart.py", "testdata/two.json"])
def test_what_was_changed_or_removed_or_replaced_is_seen(folder: Path, path: str) -> None:
    marks = marks_of(folder, FILES)
    (folder / path).write_text("as it is!\n")
    assert overwritten(folder, marks, None) == [path]
    (folder / path).unlink()
    assert overwritten(folder, marks, None) == [path]
    (folder / path).symlink_to(folder / "shop" / "cart.py")
    assert overwritten(folder, marks, None) == [path]


def test_who_puts_it_back_with_its_time_is_seen_by_when_it_was_touched(folder: Path) -> None:
    marks, file = marks_of(folder, FILES), folder / "tests" / "test_cart.py"
    began, before = time.time_ns() - 10_000_000_000, file.stat()
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert overwritten(folder, marks, None) == []
    assert "tests/test_cart.py" in overwritten(folder, marks, began)
