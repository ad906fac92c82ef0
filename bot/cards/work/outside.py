"""What forges show of a task: pull requests and comments. What commits say is in `commits.py`."""

from collections.abc import Iterator

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.events import Event
from agents.domain.skills.drafting import LABEL, touches_skills
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.work import DROPPED, Degraded, Ending
from agents.ports import History
from bot.cards.kinds import CARDS, label
from bot.cards.kinds.kind_card import subtask_of
from bot.cards.knowledge.notes import notes_text as notes_text
from bot.cards.progress import evaluation_rows
from bot.cards.reasons import put
from bot.cards.scene import duration_in_words
from bot.cards.work.audit import audit_text as audit_text
from bot.cards.work.commits import (
    asked_for,
    commit_text as commit_text,
    done_lines,
    join_text as join_text,
    merge_text as merge_text,
    pull_title,
    revert_text as revert_text,
)

PROBLEM = 1_000  # characters
_LESS = {Degraded.CORE: " (core only)", Degraded.STUB: " (a stub with TODOs)"}
_AGAIN = "\n\nPut the label back to ask again."
_ENDED: dict[Ending, str] = {
    Ending.ERRORS: "Its tools failed again and again. ",
    Ending.TURNS: "It came to the end of its turns. ",
    Ending.TIMEOUT: "It took too long. ",
    Ending.TOO_LONG: "It needs more room than its model has. ",
}
# Decisions that shaped the work. The others steered the conversation, and are nobody's business outside.
TOLD = frozenset(
    {
        *(Kind.INTAKE, Kind.CLARIFICATION, Kind.NO_PLAN, Kind.PLAN, Kind.DEBATE, Kind.CHANGE, Kind.CORRECTION),
        Kind.SKILL_DRAFT,
        *(
            Kind.BUDGET,
            Kind.CONSENT,
            Kind.START_SCOPE,
            Kind.SCOPE,
            Kind.INTERFACE,
            Kind.QUESTION,
            Kind.AGAINST_PLAN,
            Kind.GATE,
        ),
        *(Kind.ACCEPT_TESTS, Kind.CHECKS, Kind.ESCALATION, Kind.TAKEN, Kind.OUTSIDE_REVIEW, Kind.MERGE, Kind.UNMERGED),
        *(Kind.PHASE, Kind.UNREVERTED),
    }
)


def pull_text(task: Task, history: History) -> tuple[str, str]:
    """Title and body, from facts: what, why, how it was checked, what people decided, and what it cost."""
    assert task.plan.draft is not None
    decided = list(_decided(task, history))
    parts = {
        "What": [task.plan.draft.goal, "", *done_lines(task), *_left_out(task)],
        "Why": list(_why(task, history)),
        "How it was checked": list(_checked(task)),
        "Decisions by people": decided or ["- None yet"],
        "Cost": [_cost(task, history)],
    }
    if touches_skills(task):
        parts["Label"] = [f"{LABEL}: it changes what minions are told to do, so a person merges it"]
    return pull_title(task), "\n\n".join(f"## {name}\n" + "\n".join(lines) for name, lines in parts.items())


def _left_out(task: Task) -> Iterator[str]:
    """What is less than the plan says."""
    for work in task.work.subtasks:
        title = one_line(task.plan.subtask(work.number).title, 120)
        if work.state in DROPPED:
            yield f"- Dropped: {title}"
        elif work.degraded:
            yield f"- Less than planned: {title}{_LESS[work.degraded]}"


def _why(task: Task, history: History) -> Iterator[str]:
    request, origin = f"“{one_line(task.request.text, 300)}”", task.request.origin
    by = asked_for(task, origin.by if origin else history.names.get(task.request.by, ""))
    yield f"{by or 'Asked for'}: {request}"
    assert task.plan.draft is not None
    yield from (f"- {one_line(step.why, 300)}" for step in task.plan.draft.steps if step.why)


def _checked(task: Task) -> Iterator[str]:
    whole = task.work.subtasks[-1].evaluation if task.work.subtasks else None
    if whole is None:
        yield "The checks of the whole have not ended."
    else:
        yield f"I ran these checks on commit {whole.commit[:10]}, whatever the minions say:"
        yield from (f"- {row.label}: {row.value}" for row in evaluation_rows(whole) if row.label != "Changed")
    for work in task.work.subtasks:
        if work.waived:
            yield f"- {task.id}.{work.number} not checked: {', '.join(waiver.check for waiver in work.waived)}"


def _decided(task: Task, history: History) -> Iterator[str]:
    """Who decided what; the words that they chose stay in the chat."""
    for each in history.decisions:
        if each.kind in TOLD and each.state is DecisionState.DECIDED and each.decided_by:
            who = " and ".join(one_line(history.names.get(person, "somebody"), 80) for person in each.decided_by)
            yield f"- {_outcome(each)} by {who}{_about(task, each)}"


def _outcome(decision: Decision) -> str:
    shown = label(decision, decision.option(decision.outcome)) if decision.outcome else None
    return shown.closed if shown and shown.closed else "Answered"


def _about(task: Task, decision: Decision) -> str:
    name, of = CARDS[decision.kind].name_of(decision), subtask_of(decision)
    return "" if decision.kind is Kind.PLAN else f" ({name}{'' if of == task.id else f', {of}'})"


def _cost(task: Task, history: History) -> str:
    took = f"{duration_in_words(task.changed_at - task.request.at)} since it was asked for"
    spent = "nothing, as this is a rehearsal" if task.plan.rehearsal else f"${history.spent:.2f} on models"
    return f"{spent}, {took} ({task.id})"


def issue_comment(task: Task, fact: Event) -> str:
    """What is said on the issue that a task came from."""
    match fact:
        case e.PullOpened(url=url):
            return f"{task.id} is done and waits for a person to merge it: {url}"
        case e.MinionFailed(ending=Ending.BLOCKED, problem=problem):
            return f"{_name(task, fact)} cannot be done as it was asked for: {cut(problem, PROBLEM)}{_AGAIN}"
        case e.MinionFailed(ending=ending, problem=problem):
            return f"{_name(task, fact)} needs a person. {_ENDED.get(ending, '')}{cut(problem, PROBLEM)}"
        case e.SubtaskEscalated(why=why):
            return f"{_name(task, fact)} needs a person: {cut(put(why), PROBLEM)}"
        case e.JobParked():  # a problem of the machine is not public
            return f"{task.id} got stuck and needs a person. The card in chat says why."
        case e.TaskCancelled(reason=reason):
            return f"{task.id} was cancelled: {cut(reason, PROBLEM)}{_AGAIN}"
        case e.TaskFailed(reason=reason):
            return f"{task.id} failed: {cut(put(reason), PROBLEM)}{_AGAIN}"
        case _:
            raise AssertionError(f"{type(fact).__name__} is not told")


def pull_comment(task: Task, fact: Event) -> str:
    """What is said on the pull request. What was said in chat stays there."""
    if isinstance(fact, e.PullOpened):
        whole = task.work.subtasks[-1].evaluation
        passed = [gate.name for gate in whole.gates if not gate.skipped] if whole else []
        checks = f" Checks that passed: {', '.join(passed)}." if passed else ""
        return f"There is a new round of {task.id}, at {fact.head[:10]}, after changes were asked for.{checks}"
    how = "A person goes on with it by hand" if isinstance(fact, e.TaskHandedOver) else "It was given up"
    return f"Nothing more comes of {task.id} by itself. {how}; this pull request is left as it is."


def _name(task: Task, fact: e.AboutWork) -> str:
    return f"{task.id}.{fact.subtask} ({one_line(task.plan.subtask(fact.subtask).title, 100)})"
