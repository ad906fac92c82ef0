"""Judge handed-in work ourselves: gates in the sandbox first, then reviewers who read it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from agents.domain import events as e
from agents.domain.checks.evaluation import (
    COMMIT,
    Change,
    CodeReview,
    Evaluation,
    GateRun,
    Opinion,
    Score,
    comments_on,
    join_reviews,
    overall,
    sum_up,
)
from agents.domain.context.packing import ReviewPack
from agents.domain.decisions.kind import Moment
from agents.domain.errors import NoAnswer, OverlordError
from agents.domain.events import Event
from agents.domain.planning.planning import workflow_of
from agents.domain.planning.probes import code_probe_for
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.domain.work import dispatching, working
from agents.domain.work.dispatching import key_of
from agents.domain.work.work import SubtaskState, Work
from agents.flows.outcomes import keep_patch, result_of, unless_ended
from agents.ports import Ask, Candidate, Judged, Ports

REVIEWERS = ("critic", "custodiet")
KEPT = 200  # changes that a fact holds
LONGEST = 600  # characters of a reason


class ReviewAnswer(BaseModel):
    probe: Opinion  # what it says of a small change with a planted defect
    status: Opinion
    issues: list[str] = Field(default=[], max_length=20)
    suggestions: list[str] = Field(default=[], max_length=20)
    security_concerns: list[str] = Field(default=[], max_length=20)


async def evaluate(event: Event, ports: Ports) -> None:
    assert isinstance(event, e.WorkHandedIn)
    task = await ports.store.task(event.task)
    if not _is_due(task, event):
        await ports.store.record(task.id, lambda now, moment: [])
        return
    work = task.work.on(event.subtask)
    commit = event.commit or await _by_hand(task, work, ports)
    candidate = Candidate(
        project=task.project or "",
        base=work.base,
        commit=commit,
        scope=work.scope,
        earlier=work.trees,  # the same tree again is the same work again
        log=key_of(task, work),
        role=workflow_of(task, ports.workflow).implement.role,
    )
    show = ports.live(task.id, work.number)
    judged = _refuse_uncommitted(event) or await unless_ended(task.id, ports, ports.gates.judge(candidate, show))
    if judged is None:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    evaluation, changes = await _evaluation(task, work, commit, judged, ports)
    risk = ports.risk(changes, evaluation.coverage)  # of all files, not only of those that the fact keeps
    kept = await _keep_evidence(task, work, evaluation, ports)
    patch = kept if working.needs_a_person(task, work, evaluation) else ""

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not _is_due(now, event):
            return []
        judged_work = replace(now.work.on(event.subtask), patch=patch)
        return working.after_evaluation(now, judged_work, evaluation, risk, moment)

    await ports.store.record(task.id, decide)


async def _keep_evidence(task: Task, work: Work, evaluation: Evaluation, ports: Ports) -> str:
    """What people may want to read of a judgement: the diff, whose name is returned, and what reviewers said."""
    if evaluation.reviews:
        await ports.artefacts.keep(f"{key_of(task, work)}.comments", comments_on(evaluation))
    return await keep_patch(task, work, evaluation.commit, ports)


def _refuse_uncommitted(event: e.WorkHandedIn) -> Judged | None:
    """What cannot be committed goes back to whoever left it there; there is nothing else to judge."""
    if not event.problem:
        return None
    return Judged(gates=(GateRun(name=COMMIT, score=Score.NEEDS_REVISION, why=one_line(event.problem, LONGEST)),))


def _is_due(task: Task, event: e.WorkHandedIn) -> bool:
    work = task.work.on(event.subtask)
    return task.in_work and work.attempt == event.attempt and work.state is SubtaskState.EVALUATING


async def _by_hand(task: Task, work: Work, ports: Ports) -> str:
    """What a person made of the branch where they work; else what we have of it."""
    project, branch = task.project or "", dispatching.persons_branch(task, work)
    return await ports.forge.fetch_branch(project, branch) or await ports.checkouts.tip(project, branch)


async def _reviews(task: Task, work: Work, commit: str, ports: Ports) -> Sequence[CodeReview]:
    step = workflow_of(task, ports.workflow).review
    wanted = REVIEWERS[: step.parallel]
    try:
        pack = await ports.packs.for_review(task, work, commit, step.role)
    except OverlordError as problem:  # it cannot be shown, so it cannot be judged
        return [CodeReview(reviewer=each, opinion=Opinion.NO_VERDICT, why_none=problem.what) for each in wanted]
    said = await asyncio.gather(*(_review(each, task, work, pack, ports) for each in wanted), return_exceptions=True)
    return [result_of(each) for each in said]


async def _review(reviewer: str, task: Task, work: Work, pack: ReviewPack, ports: Ports) -> CodeReview:
    """Part by part, and the worst verdict counts. What nobody was given to read is approved by nobody."""
    parts = [{"pack": text, "part": at, "parts": len(pack.parts)} for at, text in enumerate(pack.parts, 1)]
    said = [await _read_part(reviewer, task, work, part, ports) for part in parts]
    return replace(join_reviews(said, pack.unread), read=pack.read, lines=pack.lines)


async def _read_part(reviewer: str, task: Task, work: Work, part: Mapping[str, object], ports: Ports) -> CodeReview:
    """No verdict is never an approval."""
    subtask, probe = task.plan.subtask(work.number), code_probe_for(task, work.number, work.attempt)
    about = {
        "probe": probe.text,
        "subtask": {"number": subtask.number, "title": subtask.title, "why": subtask.why, "test": subtask.test},
        "whole": task.plan.is_closing(subtask.number),
        **part,
        "feedback": list(work.feedback),
    }
    step = f"code_review:{reviewer}:{work.number}:{work.attempt}"
    if part["part"] != 1:
        step += f":{part['part']}"
    how = workflow_of(task, ports.workflow).review
    asked = Ask(
        question="code_review",
        role=reviewer,
        step=step,
        task=task,
        about=about,
        policy=how.retry_policy,
        persona=how.role,
    )
    try:
        says, spent = await ports.llm.ask(asked, ReviewAnswer)
    except NoAnswer as none:
        return CodeReview(reviewer=reviewer, opinion=Opinion.NO_VERDICT, why_none=none.what)
    if says.probe in (Opinion.APPROVED, Opinion.NO_VERDICT):
        missed = f"It did not see a planted defect: {probe.defect}"
        return CodeReview(reviewer=reviewer, opinion=Opinion.NO_VERDICT, why_none=missed, cost=spent.cost)
    return CodeReview(
        reviewer=reviewer,
        opinion=says.status,
        issues=tuple(says.issues),
        suggestions=tuple(says.suggestions),
        security_concerns=tuple(says.security_concerns),
        cost=spent.cost,
        why_none="It could not assess the work" if says.status is Opinion.NO_VERDICT else "",
    )


async def _evaluation(
    task: Task, work: Work, commit: str, judged: Judged, ports: Ports
) -> tuple[Evaluation, Sequence[Change]]:
    """The judgement, and all that was changed: the fact keeps only the first of it. What no gate stops is read."""
    passed = overall(gate.score for gate in judged.gates) is Score.PASS
    reviews = await _reviews(task, work, commit, ports) if passed else ()
    project = task.project or ""
    changes = await ports.checkouts.changes(project, work.base, commit)
    score, feedback = sum_up(judged.gates, reviews)
    evaluation = Evaluation(
        subtask=work.number,
        attempt=work.attempt,
        commit=commit,
        tree=await ports.checkouts.tree(project, commit),
        overall=score,
        gates=judged.gates,
        reviews=tuple(reviews),
        changes=tuple(changes[:KEPT]),
        files=len(changes),
        feedback=feedback,
        coverage=judged.coverage,
        sandbox=judged.sandbox,
        cost=sum(review.cost for review in reviews),
        seconds=sum(gate.seconds for gate in judged.gates),
        silent=any(review.score is None for review in reviews),
    )
    return evaluation, changes
