"""A role may have a command of the project as a tool: typed, quoted, and run in the sandbox like any command."""

from dataclasses import replace

from agents.catalog.roles.role_files import ROLE
from agents.catalog.yaml import Value
from agents.domain.workflow.roles import Base, Role, ToolName, bare
from agents.domain.workflow.workflow import DEFAULT
from agents.ports import Finished
from tests.fakes.llm import ScriptedTalker
from tests.minions.field import DONE, Field

WRITTEN: dict[str, Value] = {
    "name": "trader",
    "extends": "implementer",
    "tools": {
        "count_words": {
            "command": "pwd; printf '%s|' {words} {times}",
            "description": "Counts words.",
            "arguments": {"words": "string", "times": {"type": "integer", "required": False}, "how": ["fast", "slow"]},
        }
    },
}
TOOL = ROLE.read(WRITTEN).tools["count_words"]
FEW = (ToolName.READ_FILE, ToolName.ASK_HUMAN, ToolName.TASK_COMPLETE, ToolName.TASK_BLOCKED)
TRADER: Role = replace(bare(Base.IMPLEMENTER), name="trader", allowed_tools=FEW, tools=(TOOL,))


async def talk(ground: Field, **given: object) -> str:
    """What the minion is answered."""
    talker = ScriptedTalker([("count_words", dict(given))], DONE)
    brief = replace(ground.brief(), step=replace(DEFAULT.implement, roles=("trader",)))
    outcome = await ground.engine(talker, role_of=lambda name: TRADER).run(brief, ground.watch)
    assert isinstance(outcome, Finished)
    assert [tool.name for tool in talker.asked[0].tools] == [*FEW, "count_words"]
    return str(talker.heard[-1][-1]["content"])


async def test_it_is_run_in_the_workspace_with_what_the_model_hands_over(ground: Field) -> None:
    said = await talk(ground, words="a 'b'; touch made", times=2, how="fast")
    assert "Exit code 0" in said and "a 'b'; touch made|2|--how|fast|" in said and str(ground.root) in said
    assert not (ground.root / "made").exists()


async def test_what_does_not_fit_is_told_and_not_run(ground: Field) -> None:
    said = await talk(ground, words="a", how="sideways")
    assert said.startswith("The arguments of count_words do not fit: how:")


async def test_an_option_is_no_argument(ground: Field) -> None:
    assert "begins with a dash" in await talk(ground, words="--exec=sh", how="fast")
