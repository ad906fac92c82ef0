"""The whole walk, from words to the merge, on every wire that a model may be asked by. Only the model is played."""

import json
from pathlib import Path

import pytest

from agents.domain.task.task import TaskState
from tests.fakes.llm import NOTHING_AGAINST
from tests.fakes.model_server import KEY, ModelServer, Says, Seen
from tests.fakes.wires import WIRES
from tests.scenarios.conftest import BY_TURNS, Given, Opened
from tests.scenarios.plans import GO, OK, means, subtask
from tests.scenarios.rehearsed import WORK, git
from tests.scenarios.working import APPROVED

STAGES = BY_TURNS
SERVED = """
models:
  primary: {{model: "%s", base_url: "%s", api_key_env: FAKE_KEY}}
"""
LINE = "Links are kept for ever."
PLAN = {
    "status": "COMPLETE",
    "goal": "People know how long links are kept",
    "subtasks": [subtask("Say how long links are kept", files=["KEPT.md"], kind="docs")],
}
pytestmark = pytest.mark.timeout(300)


def minion(seen: Seen) -> Says:
    """Two calls at once, one of them wrong; then it writes; then it is done."""
    spoken = sum(message["role"] == "assistant" for message in seen.talk)
    turns = (
        (("read_file", {"path": "README.md"}), ("read_file", {"path": "NOWHERE.md"})),
        (("write_file", {"path": "KEPT.md", "content": LINE + "\n"}),),
        (("task_complete", {"summary": "It is said in KEPT.md."}),),
    )
    calls = turns[min(spoken, 2)]
    return Says(calls=tuple((name, json.dumps(given)) for name, given in calls), finish="tool_calls", thinks="hmm")


def script(server: ModelServer) -> None:
    server.answers("decompose", PLAN)
    server.answers("critic", GO)
    server.answers("custodiet", OK)
    server.answers("code_review", APPROVED)
    server.answers("intent", means("other"))
    server.answers("wish", NOTHING_AGAINST)
    server.answers("setup", {"commands": [], "why": "nothing is needed"})
    server.answers("any", minion)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_request_comes_to_its_merge(wire: str, opened: Opened, tmp_path: Path) -> None:
    async with ModelServer(wire=wire, models=(WIRES[wire].model,), thinking="Let me see.") as server:
        script(server)
        served = SERVED % (server.named(), server.url)
        play = await opened(Given(work=None, config=served, environ={"FAKE_KEY": KEY}))
        thread = await play.stage.say("ana", "say how long links are kept", mention=True)
        await play.sees("lead", thread, "please look at the plan", offers="Approve plan", patience=WORK)
        await play.stage.press("lead", thread, "Approve plan")
        await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it", patience=WORK)
        await play.stage.press("lead", thread, "Merge it")
        await play.sees("ana", thread, "T-1 is merged", patience=WORK)
        assert (await play.task()).state is TaskState.DONE
        assert set(server.statuses) == {200}, "nothing was sent that the original would refuse"
        assert {"decompose", "critic", "custodiet", "any", "code_review"} <= {seen.question for seen in server.seen}
    assert LINE in git(tmp_path / "home" / "sample", "show", "main:KEPT.md")
