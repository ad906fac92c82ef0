"""A skill from a wish to its pull request: drafted, edited in a form, approved, written, checked, and merged."""

import json

from agents.domain.skills.registry import SkillRow
from agents.domain.skills.spec import SkillState
from agents.domain.task.task import TaskState
from store.streams import audit
from tests.fakes.llm import no_answer
from tests.fakes.work import Workshop
from tests.scenarios.conftest import THREE, Opened, Play
from tests.scenarios.working import given

STAGES = THREE
DRAFT = {
    "name": "add-endpoint",
    "description": "Adds an endpoint to the API",
    "keywords": ["endpoint", "route"],
    "file_patterns": ["src/**/api.py"],
    "instructions": "1. Read the routes that there are.\n2. Add the handler.\n3. Test it.",
}


async def row(play: Play) -> SkillRow:
    [only] = await play.program.services.database.read(lambda tx: tx.skills.all())
    return only


async def drafted(opened: Opened) -> tuple[Play, str]:
    play = await opened(given(Workshop(), draft_skill=DRAFT))
    thread = await play.stage.say("ana", "draft a skill for adding endpoints to our API", mention=True)
    card = await play.sees(
        "ana", thread, "please look at a skill “add-endpoint”", "src/**/api.py", "2. Add the handler"
    )
    assert set(card.buttons) == {"Approve skill", "Edit skill", "Reject skill"}
    assert ".overlord/skills/add-endpoint.yaml" in card.text and "an approver" in card.text
    return play, thread


async def test_a_skill_is_edited_in_a_form_approved_written_and_merged_by_a_person(opened: Opened) -> None:
    play, thread = await drafted(opened)
    await play.stage.press("mallory", thread, "Approve skill")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    changed = {"keywords": "endpoint\nhandler", "instructions": "1. Read the routes.\n2. Ask a person about auth."}
    await play.stage.press("ana", thread, "Edit skill", words=json.dumps(changed))
    card = await play.sees("ana", thread, "please look at a skill “add-endpoint”, draft 2", "Ask a person about auth")
    assert "endpoint, handler" in card.text and "src/**/api.py" in card.text, "what was not changed is as it was"
    assert (await row(play)).state is SkillState.DRAFT

    await play.stage.press("lead", thread, "Approve skill")
    await play.sees("lead", thread, "Medium risk: it changes what minions are told to do")
    await play.stage.press("lead", thread, "Continue")
    await play.sees("lead", thread, "T-1 is ready to merge", "skill-change", offers="Merge it")
    found = await row(play)
    assert (found.state, found.spec.keywords) == (SkillState.IN_PR, ("endpoint", "handler")) and found.decision
    assert [work.scope.patterns for work in (await play.task()).work.subtasks[:1]] == [
        (".overlord/skills/add-endpoint.yaml",)
    ]
    await play.stage.press("mallory", thread, "Merge it")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    found = await row(play)
    assert found.state is SkillState.MERGED and found.merge
    assert await play.program.services.database.read(lambda tx: audit.examine(tx.db).apart) == ()


async def test_a_rejected_skill_ends_its_task_and_nothing_is_written(opened: Opened) -> None:
    play, thread = await drafted(opened)
    await play.stage.press("lead", thread, "Reject skill", words="we do this by hand")
    await play.sees("ana", thread, "Skill rejected by", "we do this by hand", gone="Approve skill")
    await play.silence("ana", thread)
    assert (await play.task()).state is TaskState.CANCELLED and not (await play.task()).work.branch
    assert (await row(play)).state is SkillState.REJECTED


async def test_without_a_model_a_person_fills_in_the_form(opened: Opened) -> None:
    play = await opened(given(Workshop(), draft_skill=no_answer()))
    thread = await play.stage.say("ana", "skill: how we add endpoints", mention=True)
    card = await play.sees("ana", thread, "please look at a skill", "No model could draft it", "the model is down")
    assert set(card.buttons) == {"Edit skill", "Reject skill"}
    filled = {**DRAFT, "keywords": "endpoint", "file_patterns": ""}
    await play.stage.press("ana", thread, "Edit skill", words=json.dumps(filled))
    card = await play.sees("ana", thread, "please look at a skill “add-endpoint”, draft 2", offers="Approve skill")
    assert "No model" not in card.text


async def test_a_draft_that_reaches_for_too_much_cannot_be_approved(opened: Opened) -> None:
    """Nor one that takes the words of another skill."""
    play = await opened(given(Workshop(), draft_skill={**DRAFT, "instructions": "1. Clean up.\n2. r''m -r\\f ${HOME}"}))
    thread = await play.stage.say("ana", "draft a skill for cleaning up", mention=True)
    card = await play.sees("ana", thread, "cannot be approved as it is", "line 2: a command that deletes")
    assert "Approve skill" not in card.buttons
    better = {"instructions": "1. Clean up by hand.", "keywords": "pytest"}
    await play.stage.press("ana", thread, "Edit skill", words=json.dumps(better))
    card = await play.sees("ana", thread, "draft 2", "calls for the skill", "python-tests")
    assert "Approve skill" not in card.buttons
