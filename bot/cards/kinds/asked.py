"""A question as people read it: whole, with why it matters, what waits for the answer, and what silence means."""

from collections.abc import Iterator

from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfRun
from agents.domain.decisions.table import closed_by_silence
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.kinds.kind_card import show_request
from bot.cards.parts.bill import Bill
from bot.messages import Row


def is_short(question: str) -> bool:
    """The title says all of it."""
    return one_line(question) == question


def whole_question(decision: Decision) -> str:
    """What is too long for a title; empty where the title says it."""
    return "" if is_short(decision.question) else decision.question


def ask_whole(task: Task, decision: Decision) -> str:
    whole, about = whole_question(decision), show_request(task, decision)
    return f"{whole}\n\n{about}" if whole else about


def no_lines(decision: Decision) -> tuple[str, ...]:
    """Its evidence is why it matters, which is in the rows."""
    return ()


def why_rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    yield from (Row(label="Why it matters", value=each) for each in decision.evidence)
    yield from effect_rows(task, decision, bill)


def effect_rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    yield Row(label="Affects", value=_affected(task, decision))
    if closed_by_silence(decision) or decision.held_by:
        return
    if decision.due is None:
        yield Row(label="If nobody answers", value="it waits")
    else:
        yield Row(label="If nobody answers, it waits, and I remind you", at=decision.due)


def _affected(task: Task, decision: Decision) -> str:
    about = decision.subject
    if not isinstance(about, OfRun) or not task.work.subtasks or not task.plan.draft:
        return "nothing is planned before there is an answer"
    others = ", ".join(f"{task.id}.{each}" for each in task.plan.draft.dependents(about.subtask))
    waiting = f", and so {'do' if ',' in others else 'does'} {others}" if others else ""
    return f"{task.id}.{about.subtask} waits for the answer{waiting}; everything else goes on"
