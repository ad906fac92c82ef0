"""Hand work over: a pull request and its merge, or branches and a patch for a person; and say so on the issue."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from agents.domain import events as e
from agents.domain.checks.evaluation import Evaluation
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.knowledge import noting
from agents.domain.models.failure import Failure, failure_of_step
from agents.domain.reason import Cause, Reason, Why
from agents.domain.skills.drafting import risk_of_change
from agents.domain.task.reports import Act, on_issue, on_pull, sign
from agents.domain.task.task import Task, TaskState
from agents.domain.work import dispatching, working
from agents.domain.work.dispatching import about_run
from agents.domain.work.stepping import workflow_pinned
from agents.domain.work.work import SubtaskState
from agents.domain.workflow.steps import MERGE, PULL, Drafts
from agents.flows.learning.notes import add_notes
from agents.flows.outcomes import note_draft, pull_for
from agents.flows.retrying import run_by_policy
from agents.ports import ForgeFailed, NoDrafts, Ports, Pull, PullRequest, Target

DOES_NOT_MERGE = Reason(code=Why.DOES_NOT_MERGE)
SPOILT = "A commit of it holds what looks like a secret, so it stays here. The kept patch is without it."


async def open_pull(event: Event, ports: Ports) -> None:
    task = await ports.store.task(event.task)
    if not task.in_work or not task.plan.draft:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    project = task.project or ""
    head = await ports.checkouts.tip(project, task.work.branch) or _judged(task)
    changes = tuple(await ports.checkouts.changes(project, task.work.base, head))
    risk = risk_of_change(task, changes, ports.risk(changes, _coverage(task)))
    noted = await add_notes(task, head, ports)  # notes are shown beside the work, and change no behaviour
    head = noted.commit
    workflow = workflow_pinned(task)
    drafts, step = workflow.drafts, workflow.first(PULL)
    pull, opened = await run_by_policy(step, task, ports, partial(_hand_over, task, head, ports))

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not now.in_work or (now.delivery.head == head and not now.delivery.anew):
            return []
        fact = e.PullOpened(
            task=now.id,
            at=moment.at,
            number=opened.number,
            url=opened.url,
            head=head,
            changes=changes[:100],
            files=len(changes),
            risk=risk.level,
            why=risk.why,
            into=pull.into,
            draft=opened.draft and drafts is Drafts.END,
            notes=noted.written.carried,
        )
        return working.open_merge(now, fact, risk, changes, moment)

    await ports.store.record(task.id, decide)


async def _hand_over(task: Task, head: str, ports: Ports) -> tuple[Pull, PullRequest]:
    """As a draft where that is wanted and the forge knows them; what is finished is handed over either way."""
    drafts = workflow_pinned(task).drafts
    pull = await pull_for(task, head, ports, draft=drafts is Drafts.END)
    try:
        opened = await ports.forge.open(pull)
    except NoDrafts:
        opened = await ports.forge.open(replace(pull, draft=False))
    if drafts is Drafts.EARLY:
        await ports.forge.ready(pull.project, opened.number)
    return pull, opened


async def open_draft(event: Event, ports: Ports) -> None:
    """People outside may see the work before it is finished. Where that cannot be, it is handed over when it is."""
    assert isinstance(event, e.DraftDue)
    task = await ports.store.task(event.task)

    def is_current(now: Task) -> bool:
        work = now.work.on(event.subtask)
        return now.in_work and (work.attempt, work.state) == (event.attempt, SubtaskState.EVALUATING)

    shown = None
    if is_current(task):
        with suppress(NoDrafts):
            shown = await ports.forge.open(await pull_for(task, event.commit, ports, draft=True))

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        return note_draft(now, shown, event.commit, moment) if shown and is_current(now) else []

    await ports.store.record(task.id, decide)


async def ask_merge(event: Event, ports: Ports) -> None:
    """People outside have read the pull request: the merge of that very head is asked for."""
    assert isinstance(event, e.OutsideReviewEnded)
    task = await ports.store.task(event.task)
    workflow = workflow_pinned(task)
    if workflow.drafts is Drafts.END:
        ready = partial(ports.forge.ready, task.project or "", task.delivery.pull)
        await run_by_policy(workflow.first(PULL), task, ports, ready)
    changes = tuple(await ports.checkouts.changes(task.project or "", task.work.base, event.head))
    risk = risk_of_change(task, changes, ports.risk(changes, _coverage(task)))

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not now.in_work or now.delivery.head != event.head:
            return []
        return working.ask_to_merge(now, event.head, risk, changes, moment)

    await ports.store.record(task.id, decide)


def _closing(task: Task) -> Evaluation | None:
    """What was found at the closing subtask: it judged the whole."""
    return next((work.evaluation for work in reversed(task.work.subtasks) if work.evaluation), None)


def _coverage(task: Task) -> float | None:
    closing = _closing(task)
    return closing.coverage if closing else None


def _judged(task: Task) -> str:
    """Where the branch is gone, its commit may still be there; if not, handing it over fails aloud and people hear."""
    closing = _closing(task)
    return closing.commit if closing else ""


async def merge(event: Event, ports: Ports) -> None:
    """Exactly the head that was shown and approved, into the branch that was. Merged before a crash is merged."""
    assert isinstance(event, e.MergeApproved)
    task = await ports.store.task(event.task)
    step, once = workflow_pinned(task).first(MERGE), partial(_merge_once, task, event.head, ports)
    found = await run_by_policy(step, task, ports, once, lambda tried: tried.failure)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if now.state is not TaskState.RUNNING:
            return []
        if found.commit is None:
            return working.note_unmerged(now, found.problem, moment)
        merged = e.Merged(task=now.id, at=moment.at, commit=found.commit, into=found.into, advice=found.advice)
        return [merged, *noting.after_merge(now, moment), *working.close(now, moment)]

    await ports.store.record(task.id, decide)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """One try at a merge. No commit: it was not merged, and `problem` says why."""

    commit: str | None = None
    into: str = ""
    advice: str = ""
    problem: Cause = DOES_NOT_MERGE
    failure: Failure | None = None  # the forge did not get to it, so that another try may do


async def _merge_once(task: Task, head: str, ports: Ports) -> _Tried:
    project, number, into = task.project or "", task.delivery.pull, task.work.into
    advice, workflow = list[str](), workflow_pinned(task)
    try:
        into = into or await ports.forge.base(project, number)
        target = Target(branch=into, start=task.work.base, tell=advice.append)
        if workflow.drafts is Drafts.END and not workflow.waits_for_review:
            await ports.forge.ready(project, number)
        told = sign(task, ports.texts.merge_text(task, await ports.store.history(task.id)))
        commit = await ports.forge.merge(project, number, head, told, target)
    except ForgeFailed as failed:
        failure = failure_of_step(failed) if failed.error else None
        return _Tried(problem=f"{failed.what}. {failed.next_step}", failure=failure)
    return _Tried(commit=commit, into=into, advice=" ".join(advice))


async def publish_branch(event: Event, ports: Ports) -> None:
    """A subtask was taken over: its branch goes to where that person works."""
    assert isinstance(event, e.SubtaskTaken)
    task = await ports.store.task(event.task)
    branch = dispatching.persons_branch(task, task.work.on(event.subtask))
    how, problem = await _publish(task, branch, ports)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        work = now.work.on(event.subtask)
        if not now.in_work or work.state is not SubtaskState.NEEDS_HUMAN:
            return []
        return [e.BranchPublished(**about_run(now, work, moment.at), branch=branch, how=how, problem=problem)]

    await ports.store.record(task.id, decide)


async def keep_work(event: Event, ports: Ports) -> None:
    """A person takes what there is: the branches where they work, and all of it as one patch."""
    task = await ports.store.task(event.task)
    project = task.project or ""
    branches = [branch for branch in (task.work.branch, *(work.branch for work in task.work.subtasks)) if branch]
    there = {branch: await ports.checkouts.tip(project, branch) for branch in branches}
    parts = [await ports.checkouts.patch(project, task.work.base, tip) for tip in there.values() if tip]
    name = await ports.artefacts.keep(f"{task.id}.patch", "\n".join(part for part in parts if part))
    kept = tuple(branch for branch, tip in there.items() if tip)
    outcomes = [await _publish(task, branch, ports) for branch in kept]
    for branch in branches:
        await ports.checkouts.discard(project, branch)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        how = tuple(how for how, _ in outcomes if how)
        problems = tuple(problem for _, problem in outcomes if problem)
        return [e.WorkKept(task=now.id, at=moment.at, branches=kept, patch=name, how=how, problems=problems)]

    await ports.store.record(task.id, decide)


async def _publish(task: Task, branch: str, ports: Ports) -> tuple[str, str]:
    """What to type to be on it, or why it could not be brought there."""
    project = task.project or ""
    if any(work.spoilt and dispatching.persons_branch(task, work) == branch for work in task.work.subtasks):
        return "", f"{branch}: {SPOILT}"
    try:
        return await ports.forge.publish(project, branch, await ports.checkouts.tip(project, branch)), ""
    except ForgeFailed as failed:
        return "", f"{branch}: {failed.what}. {failed.next_step}"


async def tell_pull(event: Event, ports: Ports) -> None:
    """For people who read the pull request on the forge: that there is a new round, or that nothing more comes."""
    task = await ports.store.task(event.task)
    if told := on_pull(task, event):
        text = ports.texts.pull_comment(task, event)
        await ports.forge.comment(told.key, task.project or "", task.delivery.pull, text)
    await ports.store.record(task.id, lambda now, moment: [])


async def tell_issue(event: Event, ports: Ports) -> None:
    task = await ports.store.task(event.task)
    told, origin = on_issue(task, event), task.request.origin
    if told and origin:
        ways = {
            Act.TELL: ports.issues.tell,
            Act.BLOCKED: ports.issues.mark_blocked,
            Act.ATTENTION: ports.issues.attention,
        }
        await ways[told.act](told.key, origin.project, origin.number, ports.texts.issue_comment(task, event))
    await ports.store.record(task.id, lambda now, moment: [])
