"""The request was edited after its plan was approved: ask for that change, or keep what was approved."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule
from agents.domain.decisions.decision import Refusal, Refused
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, Withdrawal, withdraw
from agents.domain.decisions.subject import OfStep
from agents.domain.task.task import Task
from agents.domain.work.dispatching import change_whole
from agents.domain.work.work import SubtaskState


class CorrectionOption(StrEnum):
    CHANGE = "change"
    KEEP = "keep"


def apply_correction(task: Task, subject: None, chosen: Chosen, moment: Moment) -> Facts:
    """At the merge the whole is worked on again; before it the minions are told."""
    if chosen.option.value == CorrectionOption.KEEP or not task.in_work:
        return []
    words = f"The request was edited after the plan was approved. It now says: {chosen.decision.question}"
    if merge := task.of_kind(Kind.MERGE):
        return [*withdraw([merge], Withdrawal.CHANGES, moment), change_whole(task, words, moment.at)]
    last = task.work.subtasks[-1]
    match last.state:
        case SubtaskState.EVALUATING:  # only checks are left, which no minion hears
            gates = [d for d in task.open if isinstance(d.subject, OfStep) and d.subject.subtask == last.number]
            return [*withdraw(gates, Withdrawal.CHANGES, moment), change_whole(task, words, moment.at)]
        case SubtaskState.DONE:
            raise Refused(Refusal.MERGING, task=task.id)
        case _:
            by = chosen.person
            return [e.RemarkMade(task=task.id, at=moment.at, by=by, text=words, entitled=True, urgent=True)]


CORRECTION: DecisionKind[None] = DecisionKind(
    name=Kind.CORRECTION, rule=Rule(who=OWNERS), apply=apply_correction, options=CorrectionOption, waits=False
)
