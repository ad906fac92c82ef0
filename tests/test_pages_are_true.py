"""What the pages point to is there: files, pictures, and the tests that show what is promised."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)|(?:src|srcset)=\"([^\":]+)\"")
PATH = re.compile(r"`((?:agents|bot|docs|manifests|store|tests)/[\w./-]+)`")
TEST = re.compile(r"`(tests/[\w./-]+\.py)?::(test_\w+)`|`(tests/[\w./-]+\.py)`")


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_points_to_is_there(page: str) -> None:
    text, here = (ROOT / page).read_text(), (ROOT / page).parent
    links = [here / (found[1] or found[2]) for found in LINK.finditer(text)]
    paths = [ROOT / found[1] for found in PATH.finditer(text)]
    assert [str(path) for path in (*links, *paths) if not path.exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_page_names_is_there(page: str) -> None:
    missing = [f"{file}::{name}" for file, name in _named((ROOT / page).read_text()) if not _has(ROOT / file, name)]
    assert missing == []


def _named(text: str) -> Iterator[tuple[str, str]]:
    """`::test_x` alone is a test of the file that was named last."""
    file = ""
    for found in TEST.finditer(text):
        file = found[1] or found[3] or file
        if found[2]:
            yield file, found[2]


def _has(file: Path, name: str) -> bool:
    return file.is_file() and re.search(rf"^(async )?def {name}\(", file.read_text(), re.MULTILINE) is not None


def test_every_picture_is_shown_or_made() -> None:
    """A picture that nothing makes any more grows old unseen."""
    made = (ROOT / "tests/browser/pictures.py").read_text()
    assert [path.stem for path in (ROOT / "docs/pictures").glob("*.png") if f'"{path.stem}"' not in made] == []


def test_the_glossary_can_be_read_in_one_sitting_and_the_readme_too() -> None:
    rows = re.findall(r"(?m)^\| (?!word \|)", (ROOT / "docs/glossary.md").read_text())
    assert len(rows) <= 45, "put words that belong together into one row"
    assert len((ROOT / "README.md").read_text().splitlines()) <= 250
