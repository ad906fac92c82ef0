"""A rehearsed request among people: they edit it twice, talk beside it, and answer in an order of their own."""

from pathlib import Path

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.task.task import TaskState
from tests.scenarios.conftest import Given, Opened, on
from tests.scenarios.rehearsed import REQUEST, WORK, git

LONGER = "Hi! Please let links expire after a chosen number of days. No hurry, and the README should say how it is done"
LATER = f"{REQUEST}, and write the days as a number"
pytestmark = pytest.mark.timeout(300)


async def test_edits_remarks_and_another_order_of_answers_do_not_keep_it_from_the_merge(
    opened: Opened, tmp_path: Path
) -> None:
    play = await opened(Given(work=None))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "please look at the plan", offers="Approve plan")
    await play.stage.edit("ana", thread, LONGER)
    await play.sees("ana", thread, "please look at the plan, version 2", "The request was corrected", "in the README")
    await play.stage.press("lead", thread, "Approve plan")

    await play.stage.say("ana", "an error of its own, if you ask me", thread=thread, mention=True)
    await play.sees("ana", thread, "T-1.2 asks: What shall somebody get", patience=WORK)
    await play.stage.edit("ana", thread, LATER)
    await play.sees("ana", thread, "the request was edited after the plan was approved", "write the days as a number")
    await play.stage.say("mallory", "nice, how far is it?", thread=thread)
    await play.stage.press("ana", thread, "Ask for this change")
    await play.sees("ana", thread, "the request was edited after", gone="Ask for this change")
    assert (await play.task()).of_kind(Kind.QUESTION), "the older question waits for its own answer"
    await play.sees("lead", thread, "✓ T-1.3", patience=WORK)  # documentation alone is of low risk
    await play.stage.press("ana", thread, "An error of its own that says since when")
    await play.stage.say("ana", "thanks, by the way", thread=thread)

    await play.sees("lead", thread, "T-1.4 passed its checks", offers="Continue", patience=WORK)
    await play.stage.press("lead", thread, "Continue")
    await play.sees("lead", thread, "T-1 is ready to merge", patience=WORK)
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged", "on main", patience=WORK)
    assert (await play.task()).state is TaskState.DONE
    sample = tmp_path / "home" / "sample"
    assert "ExpiredCode" in git(sample, "show", "main:shortlinks/service.py"), "as she answered"
    assert '"expires":' in git(sample, "show", "main:README.md"), "as the plan for the corrected request says"


@on("slack")
async def test_a_question_is_answered_without_a_model_by_one_that_really_reads(opened: Opened) -> None:
    play = await opened(Given(work=None))
    thread = await play.stage.say("ana", "how are links stored?", mention=True)
    shown = await play.sees("ana", thread, "one JSON file", "shortlinks/store.py:37-41", patience=WORK)
    assert "Turn this into a task" in shown.buttons and "No place in the code" not in shown.text
    other = await play.stage.say("ana", "who wrote this?", mention=True)
    await play.sees("ana", other, "No model is configured", "“How are links stored?”", patience=WORK)
    assert not {"DecompositionDrafted", "ProposalRaised"} & set(await play.facts())
