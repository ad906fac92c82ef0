"""What a decision is about, to be read before it is made: a diff of all of it or of one step, or a set-up's log."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import same_option
from agents.domain.decisions.subject import OfRun, OfSetup, OfStep
from agents.domain.task.task import Task
from agents.domain.work.work import run_key
from bot.cards.decisions import button, checked_run
from bot.cards.kinds import CARDS
from bot.cards.scene import SETUP_LOG, Ways, with_kept
from bot.messages import Button, Card


def evidence_of(task: Task, decision: Decision) -> tuple[str, str]:
    """The name of what was kept of it, and what its link says; empty where there is nothing to read."""
    if decision.kind is Kind.MERGE:
        return f"{task.id}.diff", "Show the diff"
    match decision.subject:
        case OfRun(subtask=number) if checked_run(task, decision) and task.work.on(number).patch:
            return task.work.on(number).patch, "Show the patch"
        case OfSetup() if decision.evidence and task.ground.log:  # it failed, so the log is what to read
            return task.ground.log, SETUP_LOG
        case OfStep(subtask=number, attempt=attempt):
            return f"{run_key(task.id, number, attempt)}.patch", "Show the diff"
        case _:
            return "", ""


def with_evidence(card: Card, task: Task, decision: Decision, ways: Ways) -> Card:
    name, label = evidence_of(task, decision)
    return with_kept(card, task, name, label, ways) if name else card


def comment_button(decision: Decision) -> Button | None:
    """What comments on lines of its diff are sent with; None where they would say nothing to anybody."""
    option = same_option(decision, CARDS[decision.kind].comments)
    return button(decision, option) if option else None
