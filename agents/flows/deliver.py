"""Hand the finished whole over: a pull request, and the merge once a person wants it."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.task.pull_report import pull_text
from agents.domain.task.task import Task, TaskState
from agents.domain.work import working
from agents.ports import ForgeFailed, Ports, Pull, Target

NO_FIT = "The branch it is for has moved on, and the two do not fit together"


async def open_pull(event: Event, ports: Ports) -> None:
    task = await ports.store.task(event.task)
    if not task.in_work or not task.plan.draft:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    project = task.project or ""
    head = await ports.checkouts.tip(project, task.work.branch)
    changes = tuple(await ports.checkouts.changes(project, task.work.base, head))
    risk = ports.risk(changes, _coverage(task))
    title, body = pull_text(task)
    into = task.work.into or await ports.forge.base(project)
    pull = Pull(
        key=str(task.id), project=project, branch=task.work.branch, head=head, title=title, body=body, into=into
    )
    await ports.artefacts.keep(f"{task.id}.diff", await ports.checkouts.patch(project, task.work.base, head))
    opened = await ports.forge.open(pull)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not now.in_work or now.delivery.head == head:
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
            why=risk.said,
            into=into,
        )
        return working.pulled(now, fact, risk, changes, moment)

    await ports.store.record(task.id, decide)


async def merge(event: Event, ports: Ports) -> None:
    """Exactly the head that was shown and approved, into the branch that was. Merged before a crash is merged."""
    assert isinstance(event, e.MergeApproved)
    task = await ports.store.task(event.task)
    project, into, problem, commit = task.project or "", task.work.into, NO_FIT, None
    try:
        into = into or await ports.forge.base(project, task.delivery.pull)
        target = Target(branch=into, start=task.work.base)
        commit = await ports.forge.merge(project, task.delivery.pull, event.head, pull_text(task)[0], target)
    except ForgeFailed as failed:
        problem = f"{failed.what}. {failed.next_step}"

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if now.state is not TaskState.RUNNING:
            return []
        if commit is None:
            return working.unmerged(now, problem, moment)
        return [e.Merged(task=now.id, at=moment.at, commit=commit, into=into), *working.close(now, moment)]

    await ports.store.record(task.id, decide)


def _coverage(task: Task) -> float | None:
    """What the closing subtask measured: it judged the whole."""
    judged = [work.evaluation for work in task.work.subtasks if work.evaluation]
    return judged[-1].coverage if judged else None
