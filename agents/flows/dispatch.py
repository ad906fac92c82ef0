"""From an accepted plan to its branch: begin the work, go on after a stop, join what passed its gate, and tidy up."""

from collections.abc import Sequence
from functools import partial

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.kinds.work.consent import consent_question, standing_of
from agents.domain.decisions.kinds.work.escalation import escalate
from agents.domain.decisions.table import ask, open_questions
from agents.domain.errors import OverlordError
from agents.domain.events import Event
from agents.domain.ids import Account
from agents.domain.project.ground import Standing
from agents.domain.reason import Reason, Why
from agents.domain.task.fold import evolve
from agents.domain.task.reports import sign
from agents.domain.task.task import Task
from agents.domain.work import dispatching, stepping
from agents.domain.work.commit_style import READ, style_of
from agents.domain.work.git_names import Message
from agents.domain.work.work import SubtaskState, Work
from agents.flows.outcomes import keep_audit
from agents.flows.retrying import run_by_policy
from agents.flows.setup_proposal import find_ground, is_unread
from agents.ports import ForgeFailed, Ground, Later, Ports

AGAIN = 2.0  # seconds, after which it is looked again whether a phase was taken back


async def begin_work(event: Event, ports: Ports) -> None:
    """The task gets a branch of its own; the first subtasks start, once what the project needs is installed."""
    task = await ports.store.task(event.task)
    if not task.in_work or task.work.branch:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    into, base = await _find_start(task, ports)
    known = await ports.store.accounts(task.request.by) if task.plan.manners.co_author else ()
    origin = (Account(f"github:{task.request.origin.by}"),) if task.request.origin else ()
    co_author = ports.identity_of((*origin, *known)) if known else ""
    style = style_of(await ports.checkouts.messages(task.project or "", base, READ))
    ground = await find_ground(task, base, ports)
    unread = await is_unread(task, ground, ports)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not now.in_work or now.work.branch:
            return []
        if (unread or not ground.ready) and (waits := _before_work(now, ground, moment, unread)) is not None:
            return waits
        branch = now.plan.manners.branch(now.id, now.plan.draft.goal if now.plan.draft else now.request.text)
        begun = e.WorkBegun(
            task=now.id, at=moment.at, branch=branch, base=base, into=into, co_author=co_author, style=style
        )
        return open_questions(now, [begun, *dispatching.start_next(evolve(now, begun), moment)], moment)

    await ports.store.record(task.id, decide)


def _before_work(task: Task, ground: Ground, moment: Moment, unread: bool) -> Sequence[Event] | None:
    """What comes first where something is not installed yet; None where a person goes on without it."""
    match standing_of(task, moment.project(), ground.environment):
        case Standing.DECLINED:
            return None
        case _ if task.of_kind(Kind.CONSENT):
            return []
        case standing if unread or standing is Standing.ALLOWED:
            return [e.SetupWanted(task=task.id, at=moment.at)]
        case _:
            return ask(task, consent_question(ground.environment), moment)


async def _find_start(task: Task, ports: Ports) -> tuple[str, str]:
    """The branch that was shown with the plan, whatever is checked out by now, and the commit that it is at."""
    project = task.project or ""
    shown = task.plan.draft.into if task.plan.draft else ""
    try:
        into = shown or await ports.forge.base(project)
        base = await ports.checkouts.source(project, into)
    except ForgeFailed as problem:
        raise _no_code(task, f"{problem.what}. {problem.next_step}") from problem
    if not base:
        raise _no_code(task, f"{project} has no branch {into} any more. Bring it back, or ask for changes to the plan.")
    return into, base


def _no_code(task: Task, why: str) -> OverlordError:
    return OverlordError(f"There is no code to work on for {task.id}: {why}", next_step="Then press Retry.")


async def resume_work(event: Event, ports: Ports) -> None:
    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        return open_questions(now, dispatching.resume(now, moment), moment)

    await ports.store.record(event.task, decide)


async def integrate(event: Event, ports: Ports) -> None:
    assert isinstance(event, e.GatePassed)
    task = await ports.store.task(event.task)
    work = task.work.on(event.subtask)
    if _is_taken_back(task, event.subtask):  # it may be kept after all
        await ports.store.record_or_wait(task.id, lambda now, moment: Later(seconds=AGAIN))
        return
    asked_by = task.request.origin.by if task.request.origin else await ports.store.name(task.request.by)
    passed_by = [await ports.store.name(person) for person in event.by]
    told = sign(task, ports.texts.join_text(task, work.number, asked_by, passed_by))
    join = partial(_join, task, work, told, ports)
    tip = await run_by_policy(stepping.join_of(task, work), task, ports, join)

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        mine = now.work.on(event.subtask)
        if not now.in_work or mine.attempt != event.attempt or mine.state is not SubtaskState.EVALUATING:
            return []
        if tip is None:
            return open_questions(now, escalate(now, mine, Reason(code=Why.DOES_NOT_JOIN), moment), moment)
        return stepping.after_join(now, mine, tip, moment)

    await ports.store.record(task.id, decide)


async def _join(task: Task, work: Work, told: Message, ports: Ports) -> str | None:
    """What is no part beside others, to be taken back alone, is handed over as the commit that was judged."""
    where = (task.project or "", task.work.branch, task.work.base, work.commit)
    others = [each for each in task.work.subtasks if each is not work and not task.plan.is_closing(each.number)]
    whole = task.plan.is_closing(work.number) or not others
    return (await ports.checkouts.forward(*where) if whole else "") or await ports.checkouts.join(*where, told)


def _is_taken_back(task: Task, subtask: int) -> bool:
    return task.work.reverting is not None and subtask in task.work.reverting.subtasks


async def tidy(event: Event, ports: Ports) -> None:
    """The task is over: no folder of it stays. A minion that is still at it has been called off."""
    task = await ports.store.task(event.task)
    for work in task.work.subtasks:
        if work.branch:
            await ports.checkouts.discard(task.project or "", work.branch)
    await keep_audit(task, ports)
    await ports.store.record(task.id, lambda now, moment: [])
