"""Which files whoever plans is shown at once, and what of them."""

import pytest

from agents.domain.context.papers import MOST, Paper, choose_papers, fill_papers

FILES = (
    ".env",
    ".github/CONTRIBUTING.md",
    "AGENTS.md",
    "README.md",
    "docs/adr/0001-use-git.md",
    "docs/adr/0002-no-orm.md",
    "docs/adr/template.md",
    "docs/readme-assets/logo.png",
    "src/shop/README.md",
    "src/shop/cart.py",
    "src/shop/views.py",
    "src/admin/views.py",
)


def paths(request: str, files: tuple[str, ...] = FILES) -> list[str]:
    return [paper.path for paper in choose_papers(files, request)]


USUAL = [
    "AGENTS.md",
    ".github/CONTRIBUTING.md",
    "README.md",
    "docs/adr/0002-no-orm.md",
    "docs/adr/0001-use-git.md",
]


def test_guides_come_before_decisions_and_the_latest_decision_first() -> None:
    assert paths("make it faster") == USUAL


@pytest.mark.parametrize(
    ("request_text", "named"),
    [
        ("fix the total in `src/shop/cart.py`, please", ["src/shop/cart.py"]),
        ("cart.py: round the total.", ["src/shop/cart.py"]),
        ("views.py is wrong", []),  # there are two
        ("look at src/admin/views.py and cart.py", ["src/admin/views.py", "src/shop/cart.py"]),
        ("put it into .env", []),
        ("the cart is slow", []),
    ],
)
def test_files_that_a_request_names_come_first(request_text: str, named: list[str]) -> None:
    assert paths(request_text) == [*named, *USUAL]


def test_a_project_that_says_nothing_has_no_papers() -> None:
    assert paths("make it faster", ("src/a.py", "src/b.py")) == []


def fill(*contents: tuple[str, str]) -> list[str]:
    filled = fill_papers((Paper(path=path, room=9_000), text.encode()) for path, text in contents)
    return [paper.text for paper in filled]


def test_badges_and_comments_of_a_readme_are_left_out_and_text_stays() -> None:
    readme = (
        "# Shop\n<!-- a\ncomment -->\n[![build](https://ci/x.svg)](https://ci/x) ![cov](https://cov/y.svg)\n"
        "[![docs][shield]][docs]\nSells things. ![a picture](shop.png)\n<!-- never closed"
    )
    assert fill(("README.md", readme)) == ["# Shop\n\nSells things. ![a picture](shop.png)"]
    assert fill(("src/a.html", "<!-- kept -->")) == ["<!-- kept -->"], "in other files a comment is part of the code"


def test_all_of_them_fit_and_what_is_no_text_is_left_out() -> None:
    texts = fill(("AGENTS.md", "a" * 9_000), ("README.md", "b" * 9_000), ("x.bin", "\0\1"), ("c.md", "c"))
    assert sum(map(len, texts)) <= MOST + 10 and not any("\0" in text for text in texts)


def test_what_lies_beside_the_guides_is_none() -> None:
    assert (
        paths("make it faster", (*FILES, "Makefile", "setup.cfg", "docs/notes.md", ".github/dependabot.yml")) == USUAL
    )
