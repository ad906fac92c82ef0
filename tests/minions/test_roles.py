"""A minion works as its role: with the tools it may use, the words it is given, and no others."""

from dataclasses import replace

import pytest

from agents.catalog.library import load_catalog
from agents.domain.errors import SettingsProblem
from agents.domain.planning.facts import PlanState
from agents.domain.workflow.roles import Base, Role, ToolName, bare
from agents.domain.workflow.steps import WORKER, Setting
from agents.domain.workflow.workflow import DEFAULT
from agents.ports import Finished
from tests.fakes.llm import ScriptedTalker
from tests.llm.rig import task
from tests.minions.field import DONE, Field

FEW = (ToolName.READ_FILE, ToolName.TASK_COMPLETE, ToolName.TASK_BLOCKED)
READER = replace(bare(Base.IMPLEMENTER), name="reader", allowed_tools=FEW, additions="You only read.")
LOOK = [("read_file", {"path": "shortlinks/store.py"})]


async def test_only_the_tools_of_its_role_are_offered_and_run(ground: Field) -> None:
    talker = ScriptedTalker([("run_command", {"command": "touch made"})], DONE)
    asked_for: list[str] = []

    def role_of(name: str) -> Role:
        asked_for.append(name)
        return READER

    brief = replace(ground.brief(), step=replace(DEFAULT.implement, roles=("reader",), retry_policy="conservative"))
    outcome = await ground.engine(talker, role_of=role_of).run(brief, ground.watch)
    assert isinstance(outcome, Finished) and set(asked_for) == {"reader"}
    assert [tool.name for tool in talker.asked[0].tools] == list(FEW)
    told = "There is no tool run_command. There are: read_file, task_complete, task_blocked."
    assert talker.heard[-1][-1]["content"] == told
    assert not (ground.root / "made").exists()
    assert {turn.policy for turn in talker.asked} == {"conservative"}


async def test_what_a_role_adds_stands_at_the_end_of_the_instructions_and_stays_there(ground: Field) -> None:
    _, plain = await ground.run(DONE)
    ground.attempt = 2
    talker = ScriptedTalker(LOOK, LOOK, DONE)
    await ground.engine(talker, role_of=lambda name: READER).run(ground.brief(), ground.watch)
    usual, *systems = [str(talk[0]["content"]) for talk in (plain.heard[0], *talker.heard)]
    assert set(systems) == {f"{usual}\n\n## Your role\nYou only read."}, "the beginning is what others were told too"


async def test_a_role_that_is_gone_stops_the_run_and_says_so(ground: Field) -> None:
    """P25: the job is parked with these words, rather than done by somebody else."""
    brief = replace(ground.brief(), step=replace(DEFAULT.implement, roles=("careful",)))
    with pytest.raises(SettingsProblem, match="There is no role `careful` any more"):
        await ground.engine(ScriptedTalker(DONE), role_of=load_catalog().role).run(brief, ground.watch)


PRACTICES = {
    "tdd": "Write the failing test first, then the code.",
    "skip_edge_cases": "It is a prototype: do the usual case and leave edge cases out.",
    "add_docstrings": "Give every public module, class and function that you add or change a docstring.",
    "changelog": "Add the change to the project's change log.",
    "blind": "You write tests for code that you are not shown: you have its interfaces, its public API",
}
NUMBERS: dict[str, tuple[Setting, str]] = {
    "coverage": (80, "Tests must run at least 80 % of the lines that you add or change."),
    "test_types": (("integration", "contract"), "Kinds of tests that are wanted: integration, contract."),
    "min_tests": (3, "Write at least 3 tests. The docstring of each says what it tests and why."),
}


def test_every_setting_of_a_worker_step_is_one_that_minions_are_told_of() -> None:
    assert PRACTICES.keys() == {name for name, kind in WORKER.config.items() if kind is bool}
    assert NUMBERS.keys() == {name for name, kind in WORKER.config.items() if kind is not bool} - {"files"}


async def test_a_minion_is_told_how_much_its_step_asks_for(ground: Field) -> None:
    config: dict[str, Setting] = {name: wanted for name, (wanted, _) in NUMBERS.items()}
    brief = replace(ground.brief(), step=replace(DEFAULT.implement, config=config))
    talker = ScriptedTalker(DONE)
    await ground.engine(talker).run(brief, ground.watch)
    said = str(talker.heard[0][0]["content"])
    assert [words for _, words in NUMBERS.values() if words not in said] == []


@pytest.mark.parametrize("name", PRACTICES)
async def test_a_minion_is_told_what_its_step_is_set_to_and_no_more(ground: Field, name: str) -> None:
    _, plain = await ground.run(DONE)
    heard = list[str]()
    for ground.attempt, wanted in ((2, True), (3, False)):
        brief = replace(ground.brief(), step=replace(DEFAULT.implement, config={name: wanted}))
        talker = ScriptedTalker(DONE)
        await ground.engine(talker).run(brief, ground.watch)
        heard.append(str(talker.heard[0][0]["content"]))
    usual = str(plain.heard[0][0]["content"])
    assert heard[0].startswith(f"{usual}\n\n## This step\n- {PRACTICES[name]}") and heard[1] == usual
    assert not any(each in heard[0] for other, each in PRACTICES.items() if other != name)


async def test_a_minion_is_told_where_new_tests_are_not_demanded(ground: Field) -> None:
    ground.task = task(plan=PlanState(workflow=replace(DEFAULT, require_tests=False)))
    _, talker = await ground.run(DONE)
    told = "- New tests are not demanded, also where a subtask names one. Existing tests are still run, and must pass."
    assert str(talker.heard[0][0]["content"]).endswith(f"\n\n## This step\n{told}")
