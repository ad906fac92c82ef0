"""What follows when a person, or silence, decides something about work under way."""

from collections.abc import Callable
from dataclasses import replace

from agents.domain import events as e
from agents.domain.decisions.asking import Chosen, Facts, Moment, Question, ask, ending_with, withdraw
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task
from agents.domain.work import dispatching, working
from agents.domain.work.scope import Scope, ScopeMode, odd_pattern
from agents.domain.work.work import SubtaskState, Work
from agents.domain.work.working import about_run

NOBODY_ANSWERED = "Nobody answered in time, so your default holds: "


def question(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """A minion's question; only a verified press or reply comes here (attack 27)."""
    work = _waiting(task, decision)
    if work is None:
        return []
    said = chosen.words or chosen.option.label or chosen.option.value
    answer = said if chosen.by else f"{NOBODY_ANSWERED}{said}"
    return [e.MinionAnswered(**about_run(task, work, moment), answer=answer, by=chosen.by)]


def scope(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if decision.subject.startswith("start:"):
        return _scope_to_begin_with(task, decision, chosen, moment)
    work = _waiting(task, decision)
    if work is None:
        return []
    granted = chosen.option.value == "allow"
    wider = _wider(work.scope, decision.evidence) if granted else work.scope
    answer = (
        f"You may now write these too: {', '.join(decision.evidence)}"
        if granted
        else f"No, stay within what you may write. {chosen.words}".strip()
    )
    return [e.ScopeSettled(**about_run(task, work, moment), scope=wider, answer=answer, by=chosen.by[0])]


def _scope_to_begin_with(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    work = task.work.on(int(decision.subject.partition(":")[2])) if task.in_work else None
    if work is None or work.state is not SubtaskState.PENDING or work.queued:
        return []
    match chosen.option.value:
        case "unrestricted":
            allowed = Scope(mode=ScopeMode.UNRESTRICTED)
        case "paths":
            allowed = _wider(Scope(mode=ScopeMode.EXPLICIT), paths_in(chosen.words))
        case _:
            allowed = Scope(mode=ScopeMode.DIRECTORY, patterns=decision.evidence)
    ready = e.SubtaskReady(task=task.id, at=moment.at, subtask=work.number, attempt=1, scope=allowed)
    return [ready]


def gate(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    work = _run(task, decision, SubtaskState.EVALUATING)
    if work is None:
        return []
    if chosen.option.value == "pass":
        return [e.GatePassed(**about_run(task, work, moment), by=chosen.by, by_time=not chosen.by)]
    return [working.again(task, work, (f"A person did not let it pass: {chosen.words}",), moment, afresh=True)]


def merge(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if not task.in_work:
        return []
    match chosen.option.value:
        case "merge":
            return [e.MergeApproved(task=task.id, at=moment.at, head=decision.subject, by=chosen.by)]
        case "changes":
            return work_again_on_the_whole(task, chosen.words, moment)
        case _:
            return hand_over(task, decision, chosen, moment)


def work_again_on_the_whole(task: Task, words: str, moment: Moment) -> Facts:
    """The closing subtask sees all of it, so it is the one that mends what a person found."""
    last = task.work.subtasks[-1]
    feedback = (f"A person read the whole and asks for changes: {words}",)
    return [working.again(task, replace(last, scope=_whole(task)), feedback, moment, afresh=True)]


def _whole(task: Task) -> Scope:
    scopes = [work.scope for work in task.work.subtasks]
    if any(each.mode is ScopeMode.UNRESTRICTED for each in scopes):
        return Scope(mode=ScopeMode.UNRESTRICTED)
    patterns = tuple(dict.fromkeys(pattern for each in scopes for pattern in each.patterns))
    loose = any("*" in pattern for pattern in patterns)
    return Scope(mode=ScopeMode.DIRECTORY if loose else ScopeMode.EXPLICIT, patterns=patterns)


def escalation(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """A subtask that the rules could not settle, one that a person works on, or a merge that did not fit."""
    if decision.subject == "merge":
        return _not_merged(task, decision, chosen, moment)
    work = _waiting(task, decision)
    facts = _NEXT[chosen.option.value](task, work, chosen, moment) if work else []
    if any(isinstance(fact, e.TaskFailed) for fact in facts):
        facts = [*facts, *withdraw(ending_with(task, but=decision.id), "the task failed", moment)]
    return facts


def _not_merged(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == "again":
        return [e.MergeApproved(task=task.id, at=moment.at, head=task.delivery.head, by=chosen.by)]
    return hand_over(task, decision, chosen, moment)


def _hint(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    feedback = (*work.feedback, f"A person says: {chosen.words}") if chosen.words else work.feedback
    again = working.again(task, work, feedback, moment, afresh=True)
    return [replace(again, anew=True) if work.spoilt else again]


def _expand(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    """Whoever may steer a task may not widen what it writes: that is an approver's."""
    paths = paths_in(chosen.words)
    if not paths:
        return working.escalate(task, work, "No path was named that could be allowed", moment)
    question = Question(
        kind=Kind.SCOPE,
        options=dispatching.SCOPE_OPTIONS,
        text=f"Let {task.id}.{work.number} write more than the plan names?",
        evidence=paths,
        subject=f"run:{work.number}:{work.attempt}",
    )
    return ask(task, question, replace(moment, cause=f"{moment.cause}:expand"))


def _take(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    taken = e.SubtaskTaken(**about_run(task, work, moment), by=chosen.by[0])
    question = Question(
        kind=Kind.ESCALATION,
        options=working.TAKEN_OPTIONS,
        text=f"{task.id}.{work.number} is yours: commit on {dispatching.persons_branch(task, work)}",
        evidence=("When you are done, hand it in: I judge it like any other work.",),
        subject=f"work:{work.number}:{work.attempt}",
    )
    return [taken, *ask(task, question, replace(moment, cause=f"{moment.cause}:taken"))]


def _hand_in(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    by = chosen.by[0]
    handed = e.WorkHandedIn(**about_run(task, work, moment), commit="", summary="finished by hand", by=by)
    return [handed]


def _drop(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Facts:
    """What waits for it cannot be done either, so it goes too."""
    by, failed, blocked = chosen.by[0], SubtaskState.FAILED, SubtaskState.BLOCKED
    why = f"dropped: {work.problem}" if work.problem else "dropped by a person"
    facts: Facts = [e.SubtaskDropped(**about_run(task, work, moment), by=by, why=why, outcome=failed)]
    for number in dispatching.dependents(task, work.number):
        other = task.work.on(number)
        if other.state is SubtaskState.PENDING and not other.queued:
            why = f"it waits for {task.id}.{work.number}, which was dropped"
            facts.append(e.SubtaskDropped(**about_run(task, other, moment), by=by, why=why, outcome=blocked))
    after = task
    for fact in facts:
        after = evolve(after, fact)
    if dispatching.came_to_nothing(after):
        return [*facts, e.TaskFailed(task=task.id, at=moment.at, reason="every subtask failed or was dropped")]
    return [*facts, *dispatching.start_next(after, moment)]


_NEXT: dict[str, Callable[[Task, Work, Chosen, Moment], Facts]] = {
    "hint": _hint,
    "expand": _expand,
    "take": _take,
    "hand_in": _hand_in,
    "drop": _drop,
}


def hand_over(task: Task, decision: Decision, chosen: Chosen, moment: Moment) -> Facts:
    """A person goes on with what there is."""
    ended = e.TaskHandedOver(task=task.id, at=moment.at, by=chosen.by[0])
    return [ended, *withdraw(ending_with(task, but=decision.id), "somebody took it over", moment)]


def paths_in(words: str) -> tuple[str, ...]:
    """Paths a person named, a line or a comma apart; a folder covers what is in it. What is no path is left out."""
    named = (part.strip().strip("`\"'") for line in words.splitlines() for part in line.split(","))
    patterns = (f"{path}**" if path.endswith("/") else path for path in named if path)
    return tuple(dict.fromkeys(pattern for pattern in patterns if not odd_pattern(pattern)))


def _wider(scope: Scope, paths: tuple[str, ...]) -> Scope:
    patterns = tuple(dict.fromkeys((*scope.patterns, *paths)))
    if scope.mode is ScopeMode.UNRESTRICTED:
        return Scope(mode=ScopeMode.UNRESTRICTED, patterns=patterns)
    loose = any("*" in pattern for pattern in patterns)
    return Scope(mode=ScopeMode.DIRECTORY if loose else ScopeMode.EXPLICIT, patterns=patterns)


def _waiting(task: Task, decision: Decision) -> Work | None:
    """The subtask whose run waits for this decision; none, if it has moved on."""
    return _run(task, decision, SubtaskState.NEEDS_HUMAN)


def _run(task: Task, decision: Decision, state: SubtaskState) -> Work | None:
    """The run that a decision is about (`what:subtask:attempt`), if it still stands where it stood."""
    match decision.subject.split(":")[1:3]:
        case [number, attempt] if task.in_work:
            work = task.work.on(int(number))
            return work if work.attempt == int(attempt) and work.state is state else None
        case _:
            return None
