"""Each prompt as rendered, one file a role: `python -m tests.llm.test_prompt_snapshots` writes them anew.

A change of a prompt is read here as a model would read it.
"""

import asyncio
from pathlib import Path

import pytest

from manifests import packaged_path
from tests.llm.prompt_roles import ROLES

KEPT = Path(__file__).parent / "prompts"
# Parts that stand in others only where there is something to fill them with.
FILLED = {"_guidance", "_hidden", "_wishes", "_minion_answer", "_papers", "_principles"}


@pytest.mark.parametrize("role", ROLES)
async def test_a_prompt_is_as_it_was_read(role: str) -> None:
    kept = KEPT / f"{role}.txt"
    assert kept.exists(), "write it: python -m tests.llm.test_prompt_snapshots"
    assert await ROLES[role]() == kept.read_text().removesuffix("\n")


def test_nothing_is_kept_of_a_prompt_that_is_gone() -> None:
    assert {path.stem for path in KEPT.iterdir()} == set(ROLES)


def test_every_template_with_plain_lines_is_in_some_prompt_that_is_kept() -> None:
    shown = "".join(path.read_text() for path in KEPT.iterdir())
    unseen = {path.stem for path in packaged_path("prompts").glob("*.j2") if not _seen(path, shown)}
    assert unseen <= FILLED, "add a role for it in prompt_roles.py"


def _seen(path: Path, shown: str) -> bool:
    plain = [line for line in path.read_text().splitlines() if line.strip() and "{" not in line]
    return not plain or any(line in shown for line in plain)


async def _write() -> None:
    for old in KEPT.iterdir():
        old.unlink()
    for role, text in ROLES.items():
        (KEPT / f"{role}.txt").write_text(f"{await text()}\n")


if __name__ == "__main__":
    asyncio.run(_write())
