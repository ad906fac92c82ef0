"""Draft a skill, and look at what a person made of the draft."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.decisions.kinds.learning.skill_draft import SKILL_DRAFT, SkillOption
from agents.domain.decisions.table import ask
from agents.domain.errors import NoAnswer
from agents.domain.events import Event, SkillEdited
from agents.domain.planning import planning
from agents.domain.reason import Cause, Reason, Why
from agents.domain.skills.drafting import NewDraft, Shelf, after_draft, question_of
from agents.domain.skills.spec import SkillSpec, from_fields, without_clashes
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import AnswerBound, Name, cut
from agents.ports import Ask, ForgeFailed, Ports

Words = Annotated[tuple[Name, ...], AnswerBound(30)]


class SkillAnswer(BaseModel):
    """What a model drafts."""

    name: Annotated[str, AnswerBound(60)] = Field(description="small letters, digits and dashes, such as add-endpoint")
    description: Annotated[str, AnswerBound(500)] = Field(description="what it is for, in one sentence")
    keywords: Words = Field(default=(), description="words in a request that call for it; none that others have")
    file_patterns: Words = Field(default=(), description="patterns of paths that call for it, such as src/**/api.py")
    instructions: Annotated[str, AnswerBound(6_000)] = Field(description="an outline: what to do, step by step")

    def spec(self) -> SkillSpec:
        return from_fields(
            {
                "name": self.name.strip().casefold().replace(" ", "-").replace("_", "-"),
                "description": self.description,
                "keywords": "\n".join(self.keywords),
                "file_patterns": "\n".join(self.file_patterns),
                "instructions": self.instructions,
            }
        )


async def draft_skill(event: Event, ports: Ports) -> None:
    """Without a model it is said so, and a person may fill in the form."""
    seen = await ports.store.task(event.task)
    if seen.skill is None or not planning.stands_at(seen, TaskState.DECOMPOSING):
        await ports.store.record(seen.id, planning.nothing)
        return
    await ports.projects.require_usable(seen.project or "")
    shelf, into = await ports.skills.shelf(seen.project or ""), await _branch(seen, ports)
    found = await ports.resolve(seen, into)
    spec, why, rehearsal = await _ask_model(seen, shelf, ports)
    draft = NewDraft(spec=spec, shelf=shelf, into=into, workflow=found.workflow, why=why, rehearsal=rehearsal)

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        if planning.overtaken(seen, task) or task.skill is None:
            return []
        return put_to_person(task, replace(draft, manners=moment.manners(task)), moment)

    await ports.store.record(seen.id, decide)


async def check_skill(event: Event, ports: Ports) -> None:
    """A person changed the draft; it is one again, with what code finds wrong with it."""
    assert isinstance(event, SkillEdited)
    seen = await ports.store.task(event.task)
    shelf, into = await ports.skills.shelf(seen.project or ""), await _branch(seen, ports)
    found = await ports.resolve(seen, into)

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        if planning.overtaken(seen, task) or task.skill is None or task.skill.edited is None:
            return []
        drafted = NewDraft(
            spec=task.skill.edited,
            shelf=shelf,
            into=into,
            workflow=found.workflow,
            manners=moment.manners(task),
            edited_by=task.skill.edited_by,
            rehearsal=task.skill.rehearsal,
        )
        return put_to_person(task, drafted, moment)

    await ports.store.record(seen.id, decide)


def put_to_person(task: Task, draft: NewDraft, moment: Moment) -> Sequence[Event]:
    facts = after_draft(task, draft, moment)
    for fact in facts:
        task = evolve(task, fact)
    assert task.skill is not None
    only = (SkillOption.EDIT, SkillOption.REJECT) if task.skill.faults else ()
    question = question_of(task.skill, SKILL_DRAFT.offer(*only))
    return [*facts, *ask(task, question, moment)]


async def _ask_model(task: Task, shelf: Shelf, ports: Ports) -> tuple[SkillSpec, Cause, bool]:
    assert task.skill is not None
    there = await ports.skills.read(task.project or "")
    before = next((each for each in there if each.name == task.skill.revises), None)
    about = {
        "known": [f"{each.name}: {', '.join((*each.keywords, *each.file_patterns))}" for each in shelf.known],
        "before": before.instructions if before else "",
        "revises": task.skill.revises,
        "draft": task.skill.spec.text() if task.skill.number else "",
    }
    step = f"draft_skill:{task.skill.number + 1}:{task.plan.asked}"
    asked = Ask(question="draft_skill", role="primary", step=step, task=task, about=about)
    try:
        says, spent = await ports.llm.ask(asked, SkillAnswer)
    except NoAnswer as none:
        return task.skill.spec, cut(none.what, 400), False
    spec, revises = says.spec(), task.skill.revises
    if spent.rehearsal and not spec.instructions:
        return task.skill.spec, Reason(code=Why.NO_SCRIPT), True
    others = [each for each in shelf.known if each.name != revises]
    if revises:
        spec = replace(spec, name=revises)
    return without_clashes(spec, others), "", spent.rehearsal


async def _branch(task: Task, ports: Ports) -> str:
    try:
        return await ports.forge.base(task.project) if task.project else ""
    except ForgeFailed:
        return ""  # it is asked for again before work begins, and nothing begins without it
