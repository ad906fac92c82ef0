"""Checks of the forge that have not ended in time: look again, go on without them, ask for a fix, or end it here."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.remote import remote_names
from agents.domain.decisions.authority import APPROVAL, OWNERS, RISKY, STEERING, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, hand_over
from agents.domain.decisions.subject import OfStep
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, run_at, send_back
from agents.domain.work.work import SubtaskState

# To go on without a check is to waive it: an approver's at least, and whose the risk of the change asks for.
CHECKS_RULES: dict[RiskLevel, Rule] = {RiskLevel.LOW: APPROVAL, RiskLevel.MEDIUM: APPROVAL, **RISKY}


class ChecksOption(StrEnum):
    AGAIN = "again"
    WITHOUT = "without"
    FIX = "fix"
    LEAVE = "leave"
    CANCEL = "cancel"


def apply_late_checks(task: Task, subject: OfStep, chosen: Chosen, moment: Moment) -> Facts:
    work = run_at(task, subject, SubtaskState.EVALUATING)
    if work is None or work.awaits is None or work.awaits.commit != subject.commit:
        return []
    about, awaited = about_run(task, work, moment.at), work.awaits
    match chosen.option.value:
        case ChecksOption.AGAIN:
            return [e.ChecksAwaited(**about, step=awaited.step, commit=awaited.commit, checked=awaited.checked)]
        case ChecksOption.WITHOUT:
            checks = remote_names(awaited.waiting)
            waived = e.ChecksWaived(**about, step=awaited.step, checks=checks, by=chosen.by, why=chosen.words)
            return [waived, e.StepDue(**about, step=awaited.step, visit=work.visits.get(awaited.step, 1))]
        case ChecksOption.FIX:
            return [send_back(task, work, moment.at)]  # their words are a wish
        case _:
            return hand_over(task, chosen, moment)


LATE_CHECKS = DecisionKind(
    name=Kind.CHECKS,
    subject=OfStep,
    rule=CHECKS_RULES,
    apply=apply_late_checks,
    options=ChecksOption,
    approves=frozenset({ChecksOption.WITHOUT}),
    needs_words=frozenset({ChecksOption.WITHOUT, ChecksOption.FIX}),
    wider={
        ChecksOption.AGAIN: Rule(who=OWNERS),
        ChecksOption.FIX: Rule(who=OWNERS),
        ChecksOption.CANCEL: STEERING,
    },
)
