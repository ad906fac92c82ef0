"""Existing tests that the work changed, as its approved plan says: accept them as they are now, or ask for a fix."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import APPROVAL, OWNERS, RISKY, Kind, Rule
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfStep
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, run_at, send_back
from agents.domain.work.work import SubtaskState

# As the step's own risk asks for, an approver's at least; time accepts nothing.
ACCEPT_RULES: dict[RiskLevel, Rule] = {RiskLevel.LOW: APPROVAL, RiskLevel.MEDIUM: APPROVAL, **RISKY}


class AcceptOption(StrEnum):
    ACCEPT = "accept"
    FIX = "fix"


def apply_accept_tests(task: Task, subject: OfStep, chosen: Chosen, moment: Moment) -> Facts:
    """What was accepted is what was shown; the step is due again, and judges by that."""
    work = run_at(task, subject, SubtaskState.EVALUATING)
    if work is None or work.tests_shown is None or work.tests_shown.commit != subject.commit:
        return []
    about, shown = about_run(task, work, moment.at), work.tests_shown
    if chosen.option.value == AcceptOption.FIX:
        return [send_back(task, work, moment.at)]  # their words are a wish
    accepted = e.TestsAccepted(**about, step=shown.step, names=shown.names, keys=shown.keys, by=chosen.by)
    return [accepted, e.StepDue(**about, step=shown.step, visit=work.visits.get(shown.step, 1))]


ACCEPT_TESTS = DecisionKind(
    name=Kind.ACCEPT_TESTS,
    subject=OfStep,
    rule=ACCEPT_RULES,
    apply=apply_accept_tests,
    options=AcceptOption,
    approves=frozenset({AcceptOption.ACCEPT}),
    needs_words=frozenset({AcceptOption.FIX}),
    wider={AcceptOption.FIX: Rule(who=OWNERS)},
)
