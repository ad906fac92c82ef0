"""Scenes that begin where a plan is approved; the work itself is played at its ports."""

from typing import Any

from agents.ports import Brief
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import Workshop
from tests.scenarios.conftest import Given, Opened, Play
from tests.scenarios.plans import GO, OK, Says, means, subtask

FORM = subtask("Write the form", files=["form.py"])
ONE: Says = {"status": "COMPLETE", "goal": "Logging in works", "subtasks": [FORM]}
THREE_SUBTASKS: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [
        FORM,
        subtask("Check the password", files=["password.py"]),
        subtask("Put both together", 1, 2, files=["app.py"]),
    ],
}
APPROVED: Says = {"status": "approved"}


def given(work: Workshop, config: str = "", **answers: Any) -> Given:
    """One subtask and the closing one, unless another plan is given; reviewers approve, unless they say otherwise."""
    always = {"decompose": ONE, "critic": GO, "custodiet": OK, "code_review": APPROVED, "intent": means("other")}
    return Given(llm=ScriptedLlm(always={**always, **answers}), work=work, config=config)


def wished(brief: Brief) -> list[str]:
    """What people said so far, as the minion is told it."""
    return [wish.words for wish in brief.task.wishes]


async def at_work(opened: Opened, scene: Given) -> tuple[Play, str]:
    play = await opened(scene)
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    return play, thread
