"""A question as people read it: whole, with why it matters, what waits for the answer, and what silence means."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, numbers
from agents.domain.decisions.subject import OfRun
from agents.domain.decisions.table import closed_by_silence
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.domain.work import dispatching
from bot.messages import Row

ASKED = (Kind.QUESTION, Kind.CLARIFICATION, Kind.NO_PLAN, Kind.CHANGE)


def is_short(decision: Decision) -> bool:
    """Its title says all of it."""
    return one_line(decision.question) == decision.question


def whole_question(decision: Decision) -> str:
    """What is too long for a title; empty where the title says it."""
    if decision.kind not in ASKED or is_short(decision):
        return ""
    _, colon, question = decision.question.partition(": ")
    return question if colon and decision.kind is Kind.QUESTION else decision.question


def numbered_lines(decision: Decision) -> tuple[str, ...]:
    """Options whose buttons have no room for them."""
    known = numbers(decision)
    return tuple(f"{known[each.letter]}. {each.label}" for each in decision.options if each.letter in known)


def evidence_lines(decision: Decision) -> tuple[str, ...]:
    return () if says_why(decision) else decision.evidence


def says_why(decision: Decision) -> bool:
    """Whether its evidence is why the question matters; where there is no plan, it is why there is none."""
    return decision.kind in ASKED and decision.kind is not Kind.NO_PLAN


def question_rows(task: Task, decision: Decision) -> list[Row]:
    if decision.kind not in ASKED:
        return []
    why = decision.evidence if says_why(decision) else ()
    rows = [Row(label="Why it matters", value=each) for each in why]
    rows.append(Row(label="Affects", value=_affected(task, decision)))
    if not closed_by_silence(decision) and not decision.held_by:
        rows.append(_silence(decision))
    return rows


def _affected(task: Task, decision: Decision) -> str:
    about = decision.subject
    if not isinstance(about, OfRun) or not task.work.subtasks:
        return "nothing is planned before there is an answer"
    others = ", ".join(f"{task.id}.{each}" for each in sorted(dispatching.dependents(task, about.subtask)))
    waiting = f", and so {'do' if ',' in others else 'does'} {others}" if others else ""
    return f"{task.id}.{about.subtask} waits for the answer{waiting}; everything else goes on"


def _silence(decision: Decision) -> Row:
    if decision.due is None:
        return Row(label="If nobody answers", value="it waits")
    return Row(label="If nobody answers, it waits, and I remind you", at=decision.due)
