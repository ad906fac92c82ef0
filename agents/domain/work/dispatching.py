"""Runs of subtasks: which may start now, what each may write, and trying once more."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import TypedDict

from agents.domain import events as e
from agents.domain.checks.scope import Scope, ScopeMode, limited_to, pattern_of
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.kind import Facts, Follows, Moment, Question, Withdrawal, ending_with, withdraw
from agents.domain.decisions.subject import OfRun, OfStep, OfSubtask
from agents.domain.events import Event
from agents.domain.ids import DecisionId, PersonId, TaskId, project_id
from agents.domain.planning.decomposition import Subtask
from agents.domain.reason import Reason, Why
from agents.domain.supervision.calling import after_drop
from agents.domain.supervision.directive import Became, Directive, in_order
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task, TaskState
from agents.domain.work.remaining import amend_for, is_left_to_judge
from agents.domain.work.surroundings import found_out
from agents.domain.work.work import DROPPED, SubtaskState, Work, run_key
from agents.domain.workflow.workflow import DEFAULT

ACTIVE = (SubtaskState.RUNNING, SubtaskState.EVALUATING, SubtaskState.NEEDS_HUMAN, SubtaskState.PAUSED)


def scope_of(task: Task, subtask: Subtask) -> Scope | None:
    """From the approved subtask's own list of files. None: nobody knows, so a person must say."""
    assert task.plan.draft is not None
    if task.plan.draft.is_closing(subtask.number):
        return _scope_of_all(task, task.plan.draft.paths)
    if not subtask.files:
        return Scope(mode=ScopeMode.EXPLICIT) if subtask.spike else None
    return _listed(subtask.files)


def _listed(files: Iterable[str]) -> Scope:
    return limited_to(map(pattern_of, files))


def _scope_of_all(task: Task, files: Iterable[str]) -> Scope:
    """The whole is judged by what the plan names and by what people allowed its parts beyond that."""
    allowed = [work.scope for work in task.work.subtasks if work.state is SubtaskState.DONE]
    if any(scope.mode is ScopeMode.UNRESTRICTED for scope in allowed):
        return Scope(mode=ScopeMode.UNRESTRICTED)
    return _listed((*files, *(pattern for scope in allowed for pattern in scope.patterns)))


def start_next(task: Task, moment: Moment) -> Follows:
    """Start whatever may start now; when nothing is left, the whole is complete."""
    if task.work.subtasks and not task.work.reverting and all(work.is_settled for work in task.work.subtasks):
        return [e.WorkCompleted(task=task.id, at=moment.at)]
    return _start_all(task, moment)


def came_to_nothing(task: Task) -> bool:
    """Every step was dropped: there is nothing to judge as a whole."""
    return all(work.state in DROPPED for work in task.work.subtasks if not task.plan.is_closing(work.number))


def _start_all(task: Task, moment: Moment) -> Follows:
    """Nothing begins while the task rests; it does when it is resumed. Nor while supervisors look at what was done, or
    a phase is taken back."""
    if not task.is_working or task.supervision.holds or task.work.reverting:
        return []
    if (polishing := _polish(task, moment)) is not None:
        return polishing
    limits = moment.limits
    wanted = startable(task, limits.first_wave, limits.side_by_side)
    return [fact for work in wanted for fact in _start(task, work, moment)]


def _polish(task: Task, moment: Moment) -> Follows | None:
    """Before the whole is judged: cleanups that were asked for, and nothing else. None: there is nothing to do."""
    state = task.supervision
    if task.state is TaskState.POLISHING:
        works = [task.work.on(number) for number in state.polishing]
        if not all(work.is_settled for work in works):
            return None
        done = sum(work.state is SubtaskState.DONE for work in works)
        ended = e.PolishingEnded(task=task.id, at=moment.at, done=done, of=len(works))
        return [ended, *_start_all(evolve(task, ended), moment)]
    if state.polished or not is_left_to_judge(task) or not (asked := cleanups(task, moment)):
        return None
    if task.of_kind(Kind.POLISH):
        return []
    if task.plan.may_add:
        return begin_polishing(task, (), moment)
    return [Question(kind=Kind.POLISH, evidence=tuple(each.description for each in asked), cause="polish")]


def cleanups(task: Task, moment: Moment) -> tuple[Directive, ...]:
    """That its work gave rise to, as many as one phase may have."""
    watching = moment.watching(task)
    most = watching.settings.polish_subtasks if watching.settings.enabled else 0
    return tuple(each for each in in_order(watching.state.directives_of(task.id)) if each.is_cleanup)[:most]


def begin_polishing(task: Task, by: tuple[PersonId, ...], moment: Moment) -> Follows:
    """`by`: who chose it; nobody, where it was allowed with the plan."""
    wanted = cleanups(task, moment)
    wanted = wanted if by else wanted[: task.plan.may_add]
    amended = amend_for(task, wanted, by, moment.at)
    person = by[0] if by else None
    begun = e.PolishingBegun(task=task.id, at=moment.at, subtasks=amended.added, by=person)
    ended = [
        e.DirectiveEnded(
            task=task.id,
            project=project_id(task.project or ""),
            at=moment.at,
            directive=directive.id,
            became=Became.SUBTASK,
            subtask=number,
            by=person,
        )
        for directive, number in zip(wanted, amended.added, strict=True)
    ]
    return [amended, begun, *ended, *start_next(evolve_all(task, [amended, begun]), moment)]


def startable(task: Task, first_wave: int, side_by_side: int = 50) -> list[Work]:
    """All it waits for is settled, and it writes nothing that somebody else is at."""
    assert task.plan.draft is not None
    blocking, settled = task.plan.draft.blocking(), {work.number for work in task.work.subtasks if work.is_settled}
    busy = [task.plan.subtask(work.number) for work in task.work.subtasks if work.queued or work.state in ACTIVE]
    room = min(side_by_side, first_wave if not settled else len(task.work.subtasks))
    chosen: list[Work] = []
    for work in task.work.subtasks:
        new = work.state is SubtaskState.PENDING and not work.queued and not work.has_begun
        if not new or not settled.issuperset(blocking[work.number]):
            continue
        subtask = task.plan.subtask(work.number)
        others = [*busy, *(task.plan.subtask(each.number) for each in chosen)]
        if len(others) < room and not any(conflict(subtask, other) for other in others):
            chosen.append(work)
    return chosen


def conflict(one: Subtask, other: Subtask) -> bool:
    """Unknown files conflict with everything; what writes nothing conflicts with nothing."""
    if any(each.spike and not each.files for each in (one, other)):
        return False
    if not one.files or not other.files:
        return True
    return any(_overlap(a, b) for a in one.files for b in other.files)


def _overlap(one: str, other: str) -> bool:
    """A folder or a pattern covers all that lies below where it begins to vary."""
    (a, a_wide), (b, b_wide) = _stem(one), _stem(other)
    return one == other or (a_wide and b.startswith(a)) or (b_wide and a.startswith(b))


def _stem(path: str) -> tuple[str, bool]:
    """Where a path begins to vary, and whether it does."""
    return path.partition("*")[0], "*" in path or path.endswith("/")


def _start(task: Task, work: Work, moment: Moment) -> Follows:
    subtask = task.plan.subtask(work.number)
    if scope := scope_of(task, subtask):
        return [start(task, work, scope, moment.at)]
    return _ask_for_scope(task, subtask)


def start(task: Task, work: Work, scope: Scope, at: datetime) -> e.SubtaskReady:
    """Its first run; another first one, where a person had it begin anew."""
    again = work.first > 1
    return e.SubtaskReady(
        task=task.id, at=at, subtask=work.number, attempt=work.first, scope=scope, afresh=again, anew=again
    )


def _ask_for_scope(task: Task, subtask: Subtask) -> Follows:
    """Unknown files are asked for, with a suggestion; everything is an explicit choice of a person."""
    subject = OfSubtask(subtask=subtask.number)
    if any(d.subject == subject for d in task.open):
        return []
    assert task.plan.draft is not None
    suggested = sorted({f"{path.partition('/')[0]}/**" for path in task.plan.draft.paths if "/" in path}) or ["**"]
    cause = f"scope:{subtask.number}"
    return [Question(kind=Kind.START_SCOPE, evidence=tuple(suggested), subject=subject, cause=cause)]


def resume(task: Task, moment: Moment) -> Follows:
    """After a stop: each run that was stopped goes on where it was, then whatever may start."""
    if not task.is_working:
        return []
    stopped = [work for work in task.work.subtasks if work.state is SubtaskState.PAUSED]
    return [*(continue_run(task, work, moment.at) for work in stopped), *_start_all(task, moment)]


def notes_for(task: Task, subtask: Subtask) -> tuple[str, ...]:
    """What those it needs, or is told of, left for it."""
    wanted = {need.number for need in subtask.needs}
    left = ((w, found_out(task, w) or w.note) for w in task.work.subtasks if w.number in wanted)
    return tuple(f"{task.id}.{w.number}: {note}" for w, note in left if note)


def branch_of(task: Task, work: Work) -> str:
    """The branch that a run works on: the one it has, or the one it will get."""
    if work.branch:
        return work.branch
    named = task.plan.manners.branch(task.id, task.plan.subtask(work.number).title, work.number)
    return f"{named}-{work.attempt}" if work.attempt > 1 else named


def persons_branch(task: Task, work: Work) -> str:
    """Where a person goes on with it. The closing subtask may have no branch of its own, for it judges the whole."""
    return work.branch or task.work.branch


def drop(task: Task, work: Work, by: PersonId, moment: Moment, but: DecisionId) -> Follows:
    """What waits for it cannot be done either, so it goes too."""
    failed, blocked = SubtaskState.FAILED, SubtaskState.BLOCKED
    why = Reason(code=Why.DROPPED, details=(work.problem,) if work.problem else ())
    facts: Facts = [e.SubtaskDropped(**about_run(task, work, moment.at), by=by, why=why, outcome=failed)]
    assert task.plan.draft is not None
    for number in task.plan.draft.dependents(work.number):
        other = task.work.on(number)
        if other.state is SubtaskState.PENDING and not other.queued:
            why = Reason(code=Why.NEEDS_DROPPED, names=(f"{task.id}.{work.number}",))
            facts.append(e.SubtaskDropped(**about_run(task, other, moment.at), by=by, why=why, outcome=blocked))
    after = task
    for fact in facts:
        after = evolve(after, fact)
    if came_to_nothing(after):
        failed_task = e.TaskFailed(task=task.id, at=moment.at, reason=Reason(code=Why.NOTHING_LEFT))
        called = after_drop(evolve(after, failed_task), work, moment.watching(after))
        return [*facts, failed_task, *called, *withdraw(ending_with(task, but=but), Withdrawal.FAILED, moment)]
    called = after_drop(after, work, moment.watching(after))
    return [*facts, *called, *start_next(evolve_all(after, called), moment)]


def evolve_all(task: Task, facts: Iterable[Event]) -> Task:
    """The task after facts, some of which are on the stream of its project."""
    return reduce(evolve, (fact for fact in facts if not isinstance(fact, e.OnProject)), task)


class About(TypedDict):
    """What a fact of work is about, as keyword arguments."""

    task: TaskId
    at: datetime
    subtask: int
    attempt: int


def about_run(task: Task, work: Work, at: datetime) -> About:
    return {"task": task.id, "at": at, "subtask": work.number, "attempt": work.attempt}


def run_at(task: Task, subject: OfRun | OfStep, state: SubtaskState) -> Work | None:
    """The run that a decision is about, if it still stands where it stood."""
    if not task.in_work:
        return None
    work = task.work.on(subject.subtask)
    return work if work.attempt == subject.attempt and work.state is state else None


def waiting_run(task: Task, subject: OfRun) -> Work | None:
    """The run that waits for a person's decision; none, if it has moved on."""
    return run_at(task, subject, SubtaskState.NEEDS_HUMAN)


def run_again(
    task: Task, work: Work, feedback: tuple[str, ...], at: datetime, *, afresh: bool = False
) -> e.SubtaskReady:
    """Another attempt on the same branch."""
    return replace(continue_run(task, work, at), attempt=work.attempt + 1, feedback=feedback, afresh=afresh)


def send_back(
    task: Task, work: Work, at: datetime, feedback: tuple[str, ...] = (), *, passed: bool = False
) -> e.SubtaskReady:
    """Another attempt, for a person asked for one: by whoever can mend what was refused. `passed`: the step that the
    work is at passed, and what comes after it is refused."""
    workflow = task.plan.workflow or DEFAULT
    worker = workflow.mender(task.plan.part(work.number), work.step, passed=passed)
    return replace(run_again(task, work, feedback, at, afresh=True), step=worker.name)


def hand_on(task: Task, work: Work, step: str, at: datetime) -> e.SubtaskReady:
    """The next worker's turn, on the same branch."""
    return replace(run_again(task, work, (), at), step=step, onward=True)


def continue_run(task: Task, work: Work, at: datetime) -> e.SubtaskReady:
    """The same attempt: its transcript and its branch are there."""
    return e.SubtaskReady(**about_run(task, work, at), scope=work.scope, feedback=work.feedback)


def change_whole(task: Task, at: datetime) -> e.SubtaskReady:
    """The closing subtask sees all of it, so it is the one that does what a person wishes of the whole."""
    last = replace(task.work.subtasks[-1], scope=_scope_of_whole(task))
    return send_back(task, replace(last, step=""), at)


def heed_in_whole(task: Task, moment: Moment) -> Facts:
    """A wish that changes what was approved. Minions at work are told; where they are done, the whole is worked on
    again. Raises Refused once it is being merged."""
    last = task.work.subtasks[-1]
    asked = [d for d in task.open if d.kind in (Kind.MERGE, Kind.OUTSIDE_REVIEW)]
    if last.state is SubtaskState.EVALUATING:  # only checks are left, which no minion hears
        asked = [d for d in task.open if isinstance(d.subject, OfStep) and d.subject.subtask == last.number]
    elif last.state is SubtaskState.DONE and not asked:
        raise Refused(Refusal.MERGING, task=task.id)
    elif last.state is not SubtaskState.DONE:
        return []
    return [*withdraw(asked, Withdrawal.CHANGES, moment), change_whole(task, moment.at)]


def _scope_of_whole(task: Task) -> Scope:
    scopes = [work.scope for work in task.work.subtasks]
    if any(each.mode is ScopeMode.UNRESTRICTED for each in scopes):
        return Scope(mode=ScopeMode.UNRESTRICTED)
    return limited_to(pattern for each in scopes for pattern in each.patterns)


def key_of(task: Task, work: Work) -> str:
    return run_key(task.id, work.number, work.attempt)
