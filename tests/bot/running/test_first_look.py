"""What a minion is told when it calls its work done: with real folders of a project, as the workshop has them."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import GateCommands
from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.work.work import Work
from agents.ports import Brief
from agents.workspace.git.checkouts import GitCheckouts
from bot.running.looks.first_look import FirstLook
from tests.evaluator.pieces import CART, MORE, PASS, SHOP, TESTS, Piece
from tests.evaluator.yard import Shelf, gates_for
from tests.llm.rig import task
from tests.workspace.repositories import somebodys, write

OLD_DEBT = "import os\n\n" + CART
PLAIN = Piece(name="", base={}, work={}, verdict=PASS)
LINTED = replace(PLAIN, commands=GateCommands(lint="make lint"))
SUBTASK = Subtask(number=1, title="Do it", why="it is wanted", kind=WorkKind.FEATURE)


@pytest.fixture
async def look(tmp_path: Path) -> FirstLook:
    user, home = tmp_path / "user", tmp_path / "home"
    somebodys(user, {**{path: str(text) for path, text in SHOP.items()}, "shop/cart.py": OLD_DEBT})
    checkouts = GitCheckouts({"shop": user}, home)
    checkout = await checkouts.open("shop", "overlord/T-1.1", await checkouts.tip("shop", "HEAD"))
    gates = gates_for(checkouts.repository("shop"), home, PLAIN, Shelf())
    work = Work(number=1, scope=Scope(mode=ScopeMode.DIRECTORY, patterns=("shop/**", "tests/**")))
    return FirstLook(checkouts, gates, Brief(task=task(), subtask=SUBTASK, work=work, checkout=checkout))


def folder_of(look: FirstLook) -> Path:
    return look.brief.checkout.workspace.path


async def test_files_out_of_scope_are_named_before_they_cost_an_attempt_and_can_be_put_back(look: FirstLook) -> None:
    """Those too that an earlier attempt left in a commit: the gate sees all since the subtask began."""
    write(folder_of(look), {"shop/cart.py": MORE, "setup.py": "x = 1\n", "README.md": "formatted\n"})
    await look.checkouts.commit(look.brief.checkout, "An earlier attempt")
    write(folder_of(look), {"stray/new.txt": "x\n"})
    found = await look.strays()
    assert list(found) == ["README.md", "setup.py", "stray/new.txt"]
    assert all(why == "outside what this subtask may write" for why in found.values())
    assert await look.put_back([*found]) == []
    assert await look.strays() == {} and not (folder_of(look) / "stray").exists()
    commit = await look.checkouts.commit(look.brief.checkout, "Done")
    changes = await look.checkouts.changes("shop", look.brief.checkout.base, commit)
    assert [change.path for change in changes] == ["shop/cart.py"]


async def test_tests_that_would_be_sent_back_are_named_unless_the_plan_changes_them(look: FirstLook) -> None:
    write(folder_of(look), {"tests/test_cart.py": TESTS.partition("\n\ndef test_the_cheapest")[0] + "\n"})
    assert "tests that were there are gone: test_the_cheapest_is_found" in await look.why_not_yet()
    changing = replace(look.brief, subtask=replace(SUBTASK, changes_tests=True))
    assert await replace(look, brief=changing).why_not_yet() == ""


async def test_the_linter_and_the_tests_are_tried_on_what_changed(look: FirstLook) -> None:
    assert [trial.shown for trial in await look.trials()] == ["pytest -q"], "nothing was changed yet"
    write(folder_of(look), {"shop/cart.py": OLD_DEBT + "\n\nprint(nowhere)\n", "shop/new.txt": "x\n"})
    (folder_of(look) / "shop" / "__init__.py").unlink()
    lint, tests = await look.trials()
    assert (lint.shown, tests.shown) == ("ruff check shop/cart.py", "pytest -q")
    assert lint.before[3:] == (look.brief.checkout.base, "shop/cart.py"), "as it was on the base"


async def test_a_linter_that_says_nothing_file_by_file_is_left_to_the_gate(look: FirstLook) -> None:
    write(folder_of(look), {"shop/cart.py": MORE})
    written = gates_for(look.checkouts.repository("shop"), Path("/nowhere"), LINTED, Shelf())
    assert len(await look.trials()) == 2
    assert [trial.shown for trial in await replace(look, gates=written).trials()] == ["pytest -q"]
