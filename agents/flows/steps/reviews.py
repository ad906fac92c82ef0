"""Review steps: roles read the finished work, and each gives a typed verdict."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel

from agents.domain.checks.evaluation import RULE_NAMES, Checked, CodeReview, Opinion, join_reviews
from agents.domain.errors import NoAnswer, OverlordError
from agents.domain.planning.points import points_for
from agents.domain.planning.probes import code_probe_for
from agents.domain.text.sanitize import AnswerBound
from agents.domain.work.stepping import workflow_pinned
from agents.flows.outcomes import outputs_before, result_of
from agents.flows.steps.step_run import StepRun
from agents.ports import Ask

REVIEWERS = ("critic", "custodiet")  # the models that read


Comments = Annotated[tuple[Annotated[str, AnswerBound(2000)], ...], AnswerBound(20)]


class ReviewAnswer(BaseModel):
    probe: Opinion  # what it says of a small change with a planted defect
    status: Opinion
    issues: Comments = ()
    suggestions: Comments = ()
    security_concerns: Comments = ()


async def run_review(run: StepRun) -> Checked:
    """Everybody whom the step names reads it; where it names one role for two readers, both read as that role."""
    roles = run.step.roles * run.step.parallel if len(run.step.roles) == 1 else run.step.roles
    readers = [*zip(REVIEWERS, roles, strict=False)]
    said = await asyncio.gather(*(_review(run, *reader) for reader in readers), return_exceptions=True)
    return Checked(reviews=tuple(result_of(each) for each in said))


async def _review(run: StepRun, reviewer: str, role: str) -> CodeReview:
    """Part by part, and the worst verdict counts. What nobody was given to read is approved by nobody."""
    try:
        pack = await run.ports.packs.for_review(run.task, run.work, run.commit, role, run.step.context_scope)
    except OverlordError as problem:  # it cannot be shown, so it cannot be judged
        return CodeReview(reviewer=reviewer, opinion=Opinion.NO_VERDICT, why_none=problem.what)
    notes = list(await outputs_before(run.task, run.work, run.step, run.ports))
    parts = [{"pack": text, "part": at, "parts": len(pack.parts)} for at, text in enumerate(pack.parts, 1)]
    said = [await _read_part(run, reviewer, role, {**part, "notes": notes}) for part in parts]
    return replace(join_reviews(said, pack.unread), read=pack.read, lines=pack.lines)


async def _read_part(run: StepRun, reviewer: str, role: str, part: Mapping[str, object]) -> CodeReview:
    """No verdict is never an approval."""
    task, work = run.task, run.work
    probe = code_probe_for(task, work.number, work.attempt)
    about = {**_about(run), "probe": probe.text, **part}
    step = f"{_asked_as(run)}:{reviewer}:{work.number}:{work.attempt}"
    if part["part"] != 1:
        step += f":{part['part']}"
    asked = Ask(
        question="code_review",
        role=reviewer,
        step=step,
        task=task,
        about=about,
        policy=run.step.retry_policy,
        persona=role,
    )
    try:
        says, spent = await run.ports.llm.ask(asked, ReviewAnswer)
    except NoAnswer as none:
        return CodeReview(reviewer=reviewer, opinion=Opinion.NO_VERDICT, why_none=none.what, error=none.error)
    if says.probe in (Opinion.APPROVED, Opinion.NO_VERDICT):
        missed = f"It did not see a planted defect: {probe.defect}"
        return CodeReview(reviewer=reviewer, opinion=Opinion.NO_VERDICT, why_none=missed, cost=spent.cost)
    return CodeReview(
        reviewer=reviewer,
        opinion=says.status,
        issues=says.issues,
        suggestions=says.suggestions,
        security_concerns=says.security_concerns,
        cost=spent.cost,
        why_none="It could not assess the work" if says.status is Opinion.NO_VERDICT else "",
    )


def _about(run: StepRun) -> dict[str, object]:
    """What every part of the work is judged by."""
    task, work = run.task, run.work
    subtask = task.plan.subtask(work.number)
    return {
        "subtask": {"number": subtask.number, "title": subtask.title, "why": subtask.why, "test": subtask.test},
        "whole": task.plan.is_closing(subtask.number),
        "alone": len(task.work.subtasks) == 2,  # with the closing one, which will not be read again
        "require_tests": workflow_pinned(task).require_tests,
        "degraded": work.degraded.value if work.degraded else "",
        "feedback": list(work.feedback),
        "found": [f"{gate.name}: {gate.why}" for gate in work.checked.gates if gate.name not in RULE_NAMES],
        "coverage": work.checked.coverage,
        "points": points_for(task.plan.points, 0 if task.plan.is_closing(subtask.number) else subtask.number),
    }


def _asked_as(run: StepRun) -> str:
    """What a model call is booked under: a second review of the same attempt is another one."""
    first = workflow_pinned(run.task).review.name == run.step.name
    return "code_review" if first else f"code_review.{run.step.name}"
