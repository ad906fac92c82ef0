"""Review steps: roles read the finished work, and each gives a typed verdict."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import BaseModel, Field

from agents.domain.checks.evaluation import RULE_NAMES, Checked, CodeReview, Opinion, Score, Systemic, join_reviews
from agents.domain.errors import NoAnswer, OverlordError
from agents.domain.learning.proposal import ProposalType
from agents.domain.models.control import Tried
from agents.domain.planning.planted import plant_in_diff
from agents.domain.planning.points import points_for
from agents.domain.text.sanitize import AnswerBound, Sentence, or_else
from agents.domain.work.stepping import workflow_pinned
from agents.domain.work.surroundings import found_out
from agents.domain.workflow.roles import Base
from agents.flows.controls import Control, ask_control, is_control_due, known_tries, why_not_believed, with_controls
from agents.flows.outcomes import outputs_before, result_of
from agents.flows.review_answers import has_words
from agents.flows.steps.gates import run_gates_of
from agents.flows.steps.step_run import StepRun
from agents.ports import Ask

REVIEWERS = ("critic", "custodiet")  # the models that read


Comments = Annotated[tuple[Annotated[str, AnswerBound(2000)], ...], AnswerBound(20)]


class SystemicAnswer(BaseModel):
    """What is wrong beyond this work, and would be worth a task of its own."""

    kind: ProposalType = Field(
        description="new_skill: minions should be told how this is done; tool_fix: a program or check is missing or "
        "broken; config_change: a setting is wrong; workflow_improvement: the way work is done"
    )
    what: Sentence
    action: Sentence


class ReviewAnswer(BaseModel):
    BY: ClassVar[str] = "status"
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "approved": (), "changes_requested": ("issues",), "rejected": ("issues",), "no_verdict": ()
    }  # fmt: skip
    status: Opinion
    issues: Comments = ()
    suggestions: Comments = ()
    security_concerns: Comments = ()
    systemic: Annotated[tuple[SystemicAnswer, ...], AnswerBound(3), or_else(())] = ()

    def contradiction(self) -> str:
        """Work that is sent back or turned down without a word could not be mended."""
        if self.status not in (Opinion.REJECTED, Opinion.CHANGES_REQUESTED):
            return ""
        said = has_words(*self.issues, *self.security_concerns)
        return "" if said else f"it says `{self.status}` and gives no reason: name in `issues` what is wrong"


async def run_review(run: StepRun) -> Checked:
    """Everybody whom the step names reads it; where it names one role for two readers, both read as that role. What the
    gates of a role refuse is not read."""
    gates = Checked()
    for role in dict.fromkeys(run.step.roles):
        gates = gates.plus(await run_gates_of(run, role))
    if any(gate.score is not Score.PASS for gate in gates.gates):
        return gates
    roles = run.step.roles * run.step.parallel if len(run.step.roles) == 1 else run.step.roles
    readers = [*zip(REVIEWERS, roles, strict=False)]
    titles = [_title(role, roles[:at].count(role)) for at, (_, role) in enumerate(readers)]
    known = await known_tries(run.task, run.ports)
    said = await asyncio.gather(*(_review(run, *reader) for reader in readers), return_exceptions=True)
    tries = with_controls(known, run.controls)
    reviews = [_believed(*result_of(each), tries) for each in said]
    titled = zip(reviews, titles, strict=True)
    return gates.plus(Checked(reviews=tuple(replace(review, title=title) for review, title in titled)))


def _title(role: str, before: int) -> str:
    """Critic and scope guard are names that people know; whoever reads as another role goes by that."""
    if role == Base.REVIEWER:
        return ""
    words = role.replace("_", " ")
    return f"{words} {before + 1}" if before else words


def _believed(said: CodeReview, models: tuple[str, ...], tries: tuple[Tried, ...]) -> CodeReview:
    """Whoever read a part of it: one who is not believed approves nothing of it."""
    why = why_not_believed(tries, *models)
    return CodeReview(reviewer=said.reviewer, opinion=Opinion.NO_VERDICT, why_none=why, cost=said.cost) if why else said


async def _review(run: StepRun, reviewer: str, role: str) -> tuple[CodeReview, tuple[str, ...]]:
    """Part by part, and the worst verdict counts; and whose it is. What was not given to read is approved by nobody."""
    try:
        pack = await run.ports.packs.for_review(run.task, run.work, run.commit, role, run.step.context_scope)
    except OverlordError as problem:  # it cannot be shown, so it cannot be judged
        return CodeReview(reviewer=reviewer, opinion=Opinion.NO_VERDICT, why_none=problem.what), ()
    found = found_out(run.task, run.work)
    notes = [*await outputs_before(run.task, run.work, run.step, run.ports), *([found] if found else [])]
    parts = [{"pack": text, "part": at, "parts": len(pack.parts)} for at, text in enumerate(pack.parts, 1)]
    control = asyncio.ensure_future(_control(run, reviewer, role, {**parts[0], "notes": notes}))
    try:
        read = [await _read_part(run, reviewer, role, {**part, "notes": notes}) for part in parts]
    finally:
        run.controls.append(await control)
    joined = replace(join_reviews([said for said, _ in read], pack.unread), read=pack.read, lines=pack.lines)
    return joined, tuple(dict.fromkeys(model for _, model in read if model))


async def _control(run: StepRun, reviewer: str, role: str, part: Mapping[str, object]) -> Control | None:
    """Of the same change with a line in it that nobody could let pass."""
    asked = _question(run, reviewer, role, part)
    planted = plant_in_diff(str(part["pack"]), asked.step)
    if not planted or not is_control_due(run.task, asked.step, run.ports):
        return None
    seen, about = (Opinion.CHANGES_REQUESTED, Opinion.REJECTED), {**asked.about, "pack": planted}
    return await ask_control(replace(asked, about=about), ReviewAnswer, lambda says: says.status not in seen, run.ports)


def _question(run: StepRun, reviewer: str, role: str, part: Mapping[str, object]) -> Ask:
    task, work = run.task, run.work
    about = {**_about(run), **part}
    step = f"{_asked_as(run)}:{reviewer}:{work.number}:{work.attempt}"
    if part["part"] != 1:
        step += f":{part['part']}"
    return Ask(
        question="code_review",
        role=reviewer,
        step=step,
        task=task,
        about=about,
        policy=run.step.retry_policy,
        persona=role,
        refuse=ReviewAnswer.contradiction,
    )


async def _read_part(run: StepRun, reviewer: str, role: str, part: Mapping[str, object]) -> tuple[CodeReview, str]:
    """No verdict is never an approval. Also the model whose verdict it is."""
    try:
        says, spent = await run.ports.llm.ask(_question(run, reviewer, role, part), ReviewAnswer)
    except NoAnswer as none:
        return CodeReview(reviewer=reviewer, opinion=Opinion.NO_VERDICT, why_none=none.what, error=none.error), ""
    none_given = says.status is Opinion.NO_VERDICT
    said = CodeReview(
        reviewer=reviewer,
        opinion=says.status,
        issues=says.issues,
        suggestions=says.suggestions,
        security_concerns=says.security_concerns,
        systemic=tuple(Systemic(kind=each.kind, what=each.what, action=each.action) for each in says.systemic),
        cost=spent.cost,
        why_none="It could not assess the work" if none_given else "",
    )
    if why := says.contradiction():
        said = replace(said, opinion=Opinion.NO_VERDICT, why_none=why)
    return said, spent.model


def _about(run: StepRun) -> dict[str, object]:
    """What every part of the work is judged by."""
    task, work = run.task, run.work
    subtask = task.plan.subtask(work.number)
    return {
        "subtask": {"number": subtask.number, "title": subtask.title, "why": subtask.why, "test": subtask.test},
        "spike": subtask.spike,
        "whole": task.plan.is_closing(subtask.number),
        "alone": len(task.work.subtasks) == 2,  # with the closing one, which will not be read again
        "require_tests": workflow_pinned(task).require_tests,
        "degraded": work.degraded.value if work.degraded else "",
        "feedback": list(work.feedback),
        "found": [f"{gate.name}: {gate.why}" for gate in work.checked.gates if gate.name not in RULE_NAMES],
        "coverage": work.checked.coverage,
        "skill": task.skill.spec.text() if task.skill else "",
        "points": points_for(task.plan.points, 0 if task.plan.is_closing(subtask.number) else subtask.number),
    }


def _asked_as(run: StepRun) -> str:
    """What a model call is booked under: a second review of the same attempt is another one."""
    first = workflow_pinned(run.task).review.name == run.step.name
    return "code_review" if first else f"code_review.{run.step.name}"
