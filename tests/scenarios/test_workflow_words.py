"""A workflow per request, in words; a project's own steps; a step that rests: shown with the plan, and walked."""

import asyncio
import subprocess
from pathlib import Path

from agents.domain.checks.evaluation import PROJECT, GateRun, Score
from agents.domain.events import StepPassed, WorkflowRead
from agents.ports import Candidate, Judged, Show, show_nothing
from tests.fakes.work import ScriptedGates, Workshop
from tests.scenarios.conftest import BY_TURNS, THREE, Opened, Play, on
from tests.scenarios.working import given

STAGES = BY_TURNS


async def ask(play: Play, text: str) -> str:
    return await play.stage.say("ana", text, mention=True)


@on(*THREE)
async def test_a_request_chooses_a_workflow_in_words(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await ask(play, "add a login page, use mvp")
    await play.sees("ana", thread, "please look at the plan", "mvp (no new tests asked for", "as you asked")
    task = await play.task()
    assert (task.request.text, task.request.workflow) == ("add a login page", "mvp")
    await play.sees("ana", thread, "T-1 · add a login page")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")
    kept = (await play.task()).plan.workflow
    assert kept and kept.name == "mvp"


async def test_a_name_that_is_not_there_opens_no_task(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await ask(play, "add a login page, workflow=mpv")
    await play.sees("ana", thread, "There is no workflow", "mpv", "Did you mean")
    thread = await ask(play, "add a login page, workflow=mvp")
    await play.sees("ana", thread, "please look at the plan")
    assert (await play.task()).id == "T-1"


async def test_only_what_the_settings_allow_is_chosen(opened: Opened) -> None:
    play = await opened(given(Workshop(), "workflow: {{on_request: [open_source]}}\n"))
    thread = await ask(play, "add a login page, use mvp")
    await play.sees(
        "ana", thread, "please look at the plan", "default; you asked for mvp, which may not be chosen here"
    )
    proposed = (await play.task()).plan.proposed
    assert proposed and proposed.name == "default"


async def test_an_edited_request_chooses_anew(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await ask(play, "add a login page, use mvp")
    await play.sees("ana", thread, "please look at the plan", "as you asked")
    await play.stage.edit("ana", thread, "add a login page, use open_source")
    await play.sees("ana", thread, "please look at the plan", "open_source (")
    assert (await play.task()).request.text.endswith("add a login page")


OWN = """
steps:
  licences: {type: gate, command: make licences, position: after test}
disable: [review]
"""


def commit(sample: Path, written: str) -> None:
    """Into the sample project, on the branch that work is for; what only lies in the folder is not read."""
    place = sample / ".overlord" / "workflows"
    place.mkdir(parents=True)
    (place / "ours.yaml").write_text(written)
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.com")
    for words in (("add", "."), ("commit", "--quiet", "-m", "Our own steps")):
        subprocess.run(["git", "-C", str(sample), *who, *words], check=True, capture_output=True)
    (place / "late.yaml").write_text("steps: {late: {type: gate, command: x, position: after test}}\n")


async def test_a_projects_own_steps_are_shown_with_the_plan_and_walked(opened: Opened) -> None:
    work = Workshop()
    licences = (GateRun(name="licences", score=Score.PASS, why="all are known"),)
    work.gates.checks = {("licences", f"T-1.{subtask}-1"): licences for subtask in (1, 2)}
    play = await opened(given(work))
    sample = play.host.home / "sample"
    await asyncio.to_thread(commit, sample, OWN)
    thread = await ask(play, "add a login page")
    shown = await play.sees("ana", thread, "please look at the plan", "also checked: licences", "Workflow, left out")
    assert "ours.yaml line 4, disable.0" in shown.text and "Ask whoever runs Overlord to disable it" in shown.text
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")
    steps = [fact.event.step for fact in await play.log() if isinstance(fact.event, StepPassed)]
    assert "licences" in steps and "review" in steps and "late" not in steps
    assert len([fact for fact in await play.log() if isinstance(fact.event, WorkflowRead)]) == 1


class DyingGates(ScriptedGates):
    """The sandbox dies under the tests of the first subtask, until somebody mends it."""

    mended = False

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        if candidate.check == PROJECT and not self.mended:
            return Judged(gates=(GateRun(name="tests", score=Score.FAIL, why="the sandbox died", error="network"),))
        return await super().judge(candidate, show)


async def test_a_step_that_fails_on_and_on_rests_and_a_person_has_it_tried_again(opened: Opened) -> None:
    gates = DyingGates()
    config = "retries: {{conservative: {{max_attempts: 9, initial_delay_seconds: 0, max_delay_seconds: 0}}}}\n"
    config += "limits: {{step_retries: 8}}\n"
    play = await opened(given(Workshop(gates=gates), config))
    thread = await ask(play, "add a login page")
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees(
        "ana", thread, "failed 5 times within 5 minutes and rests until", "the sandbox died", offers="Retry step"
    )
    await play.host.restart()
    gates.mended = True
    await play.stage.press("ana", thread, "Retry step")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert (await play.task()).work.on(1).attempt == 1, "no attempt of the minion was lost to it"
