"""A commit of a few files, made without a folder: nothing of the repository runs, and nothing leads elsewhere."""

from pathlib import Path

import pytest

from agents.domain.work.git_names import Signed
from agents.ports import CheckoutFailed
from tests.workspace.yard import Yard, git

NOTE = {"docs/knowledge/lessons/names.md": b"# Names\n\xe2\x9c\x93\r\n", "docs/knowledge/_index.md": b"- names\n"}
BRANCH = "ai/t-1-notes"
SAYS = "Note what T-1 taught"


async def test_it_changes_these_files_and_nothing_else_and_again_it_is_the_same(yard: Yard) -> None:
    checkouts, before = yard.checkouts(), yard.seen()
    head = await checkouts.tip("links", "HEAD")
    made = await checkouts.write("links", BRANCH, head, NOTE, SAYS)
    assert made != head and await checkouts.tip("links", BRANCH) == made
    assert {change.path for change in await checkouts.changes("links", head, made)} == set(NOTE)
    shown = git(yard.mirror, "cat-file", "blob", f"{made}:docs/knowledge/lessons/names.md")
    assert "✓" in shown and git(yard.mirror, "log", "-1", "--format=%s", made) == SAYS
    assert await checkouts.write("links", BRANCH, head, NOTE, SAYS) == made, "after a crash it is found"
    assert await checkouts.write("links", BRANCH, made, NOTE, SAYS) == made, "there is nothing to write"
    later = await checkouts.write("links", BRANCH, made, {"docs/knowledge/_index.md": b"- more\n"}, SAYS)
    assert await checkouts.tip("links", BRANCH) == later and yard.seen() == before


@pytest.mark.parametrize(
    "place", ["docs", "docs/knowledge", "docs/knowledge/lessons", "docs/knowledge/lessons/names.md"]
)
async def test_a_link_in_its_way_is_never_followed(yard: Yard, place: str, tmp_path: Path) -> None:
    link = yard.user / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path)
    git(yard.user, "add", "--force", place)
    git(yard.user, "commit", "--quiet", "-m", "a trap")
    checkouts = yard.checkouts()
    head = await checkouts.tip("links", "HEAD")
    with pytest.raises(CheckoutFailed, match="is a link or something else"):
        await checkouts.write("links", BRANCH, head, NOTE, Signed(text=SAYS))
    assert not await checkouts.tip("links", BRANCH)
