"""The whole walk, from words to the merge, with a minion that is a command-line agent; what is asked of it, and what it
finds where it cannot run, is all there is to see of it.

A script of ours plays the program; with OVERLORD_TEST_PROGRAMS, as `make bench ARGS="--only engines"` sets it, the real
ones walk, too.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.domain.task.task import TaskState
from agents.domain.workflow.roles import TITLES, EngineName
from tests.conformance.cli_rig import is_here, own, programs, run, write
from tests.fakes.llm import NOTHING_AGAINST
from tests.fakes.model_server import KEY, ModelServer, Says, Seen
from tests.fakes.program import MODELS, WIRES, lay_program
from tests.scenarios.conftest import Given, Opened, Play, on
from tests.scenarios.plans import GO, OK, means, subtask
from tests.scenarios.rehearsed import WORK, git
from tests.scenarios.working import APPROVED

CONFIG = """
models:
  primary: {{model: "%s", base_url: "%s", api_key_env: FAKE_KEY}}
roles:
  implementer: {{engine: %s}}
engines:
  %s: {{path: "%s", model: %s, base_url: "%s", api_key_env: FAKE_KEY, input_price: 1, output_price: 1}}
"""
PLAN = {
    "status": "COMPLETE",
    "goal": "People know how long links are kept",
    "subtasks": [subtask("Say how long links are kept", files=["KEPT.md"], kind="docs")],
}
QUESTION, ANSWER, LINE = "How long are links kept?", "Say that we keep them.", "Links are kept."
# What a script of ours does at each start, as it is told; the real programs are led by their provider.
WALKS = f"""
ask(prompt)
if "{ANSWER}" not in prompt:
    pathlib.Path("KEPT.md").write_text("Half of it.")
    call("ask_human", question="{QUESTION}", options=[])
elif "began" not in pathlib.Path("KEPT.md").read_text():
    while True:
        with pathlib.Path("KEPT.md").open("a") as kept:
            kept.write("It began.")
        time.sleep(0.05)
else:
    pathlib.Path("KEPT.md").write_text("{LINE}\\n")
    call("task_complete", summary="It is said in KEPT.md.")
end("That is all.")
"""
WHOLE = "OVERLORD_TEST_PROGRAMS"
pytestmark = pytest.mark.timeout(600)


@dataclass
class Scene:
    """`provider`: whom the program asks."""

    opened: Opened
    place: Path
    primary: ModelServer
    provider: ModelServer
    engine: EngineName

    async def approved(self, program: str, more: str = "") -> tuple[Play, str]:
        asked = (MODELS[self.engine], self.provider.url)
        config = CONFIG % (self.primary.named(), self.primary.url, *[self.engine.value] * 2, program, *asked)
        play = await self.opened(Given(work=None, config=config + more, environ={"FAKE_KEY": KEY}))
        thread = await play.stage.say("ana", "say how long links are kept", mention=True)
        await play.sees("lead", thread, "please look at the plan", offers="Approve plan", patience=WORK)
        await play.stage.press("lead", thread, "Approve plan")
        return play, thread

    def played(self, does: str = WALKS) -> str:
        return str(lay_program(self.place / "layer", self.engine, does))

    def real(self) -> str:
        """Led as the script of ours is, but for its own tools."""
        self.provider.answers("any", self._leads())
        return programs().find(self.engine).argv[-1]

    def worked(self) -> str:
        """What stands in the branch's folder now."""
        found = list((self.place / "home").glob("worktrees/*/*/KEPT.md"))
        return found[0].read_text() if found else ""

    def _leads(self) -> Callable[[Seen], Says]:
        def says(seen: Seen) -> Says:
            spoken = sum(message["role"] == "assistant" for message in seen.talk)
            tree = next(iter((self.place / "home").glob("worktrees/*/*/README.md"))).parent
            if ANSWER not in seen.text:
                ask = own(self.engine, "ask_human", question=QUESTION, options=[])
                acts = [write(self.engine, f"{tree}/KEPT.md", "Half of it.\n"), ask]
            elif LINE in self.worked():
                acts = [own(self.engine, "task_complete", summary="It is said in KEPT.md.")]
            elif "began" in self.worked():
                acts = [run(self.engine, f"echo '{LINE}' > KEPT.md")]
            else:
                acts = [run(self.engine, "while :; do echo It began. >> KEPT.md; sleep 0.05; done")]
            return Says(calls=(acts[min(spoken, len(acts) - 1)],), finish="tool_calls")

        return says


@pytest.fixture(params=[EngineName.CODEX])
async def scene(request: pytest.FixtureRequest, opened: Opened, tmp_path: Path) -> AsyncIterator[Scene]:
    engine: EngineName = request.param
    async with AsyncExitStack() as stack:
        primary = await stack.enter_async_context(ModelServer())
        always = {"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": APPROVED, "intent": means("other")}
        setup = {"commands": [], "why": "nothing is needed"}
        for question, said in {**always, "wish": NOTHING_AGAINST, "setup": setup}.items():
            primary.answers(question, said)
        provider = await stack.enter_async_context(ModelServer(wire=WIRES[engine], models=(MODELS[engine],)))
        provider.answers("any", Says(text="Go on."))
        yield Scene(opened, tmp_path, primary, provider, engine)


async def walk(scene: Scene, program: str) -> None:
    """Approved, asked, answered, stopped, resumed, merged."""
    play, thread = await scene.approved(program)
    await play.sees("ana", thread, f"asks: {QUESTION}", patience=WORK)
    await play.stage.say("ana", ANSWER, thread=thread)
    await play.sees("ana", thread, TITLES[scene.engine], patience=WORK)
    while "It began" not in scene.worked():
        await play.sees("ana", thread, "Running", patience=WORK)
    await play.stage.press("ana", thread, "Stop task")
    await play.sees("ana", thread, "T-1 is stopped", patience=WORK)
    await play.sees("ana", thread, "Say how long links are kept: stopped", patience=WORK)
    await play.stage.press("ana", thread, "Resume task")
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it", patience=WORK)
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged", patience=WORK)
    task = await play.task()
    assert task.state is TaskState.DONE and task.work.subtasks[0].attempt == 1, "a question is no attempt"
    assert LINE in git(scene.place / "home" / "sample", "show", "main:KEPT.md")
    assert set(scene.provider.statuses) == {200} and not scene.primary.count("any"), "it alone wrote"


@on("console")
async def test_a_program_comes_to_its_merge(scene: Scene) -> None:
    await walk(scene, scene.played())


@on("console")
@pytest.mark.parametrize("scene", list(WIRES), indirect=True)
async def test_the_real_program_comes_to_its_merge(scene: Scene) -> None:
    if not is_here(scene.engine) or not os.environ.get(WHOLE):
        pytest.skip("runs in `make bench ARGS='--only engines'`")
    await walk(scene, scene.real())


UNKNOWN = """
show(type="turn.steered", items=[[]]); show(type=None)
show(type="item.completed", item={"type": "hologram", "text": 3})
ask(prompt[-400:])
pathlib.Path("KEPT.md").write_text("Links are kept.\\n")
call("task_complete", summary="It is said in KEPT.md.")
show(type="turn.completed", usage=None, version={"new": True}); end("That is all.")
"""


@on("console")
async def test_one_that_is_not_there_is_told_with_what_to_do(scene: Scene) -> None:
    play, thread = await scene.approved(str(scene.place / "gone" / "codex"))
    said = ("T-1.1 (Say how long links are kept) needs you", "codex is not at", "engines: codex: path:")
    card = await play.sees("ana", thread, *said, patience=WORK)
    assert "Retry with a hint" in card.buttons


@on("console")
async def test_a_budget_of_almost_nothing_asks_a_person_and_goes_on(scene: Scene) -> None:
    """Also where it is a newer version, which says what nobody knows yet."""
    play, thread = await scene.approved(scene.played(UNKNOWN), "budgets: {{task: 0.001}}\n")
    card = await play.sees("ana", thread, "the budget is used up", patience=WORK)
    assert not scene.provider.seen and "is $0.001, and $0.00 is" in card.text, "nothing was spent"
    raises = next(each for each in card.buttons if each.startswith("Raise to"))
    await play.stage.press("lead", thread, raises)
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it", patience=WORK)
