"""Finished work of a subtask that passed its checks: let it go on, or ask for a fix."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import APPROVERS, LEADS, TEAMS, Kind, Requester, Rule, Silence
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfStep
from agents.domain.task.task import Task
from agents.domain.work.runs import about_run, run_again, run_at
from agents.domain.work.work import SubtaskState

_MEDIUM = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS, silence=Silence.PASSES)
RULES: dict[RiskLevel, Rule] = {
    RiskLevel.LOW: _MEDIUM,  # never asked: it passes by itself
    RiskLevel.MEDIUM: _MEDIUM,
    RiskLevel.HIGH: Rule(who=LEADS, requester=Requester.UNLESS_CHANNEL_FORBIDS),
    RiskLevel.CRITICAL: Rule(who=TEAMS, requester=Requester.NEVER, people=2),
}


class GateOption(StrEnum):
    PASS = "pass"
    REJECT = "reject"


def apply(task: Task, subject: OfStep, chosen: Chosen, moment: Moment) -> Facts:
    work = run_at(task, subject, SubtaskState.EVALUATING)
    if work is None:
        return []
    if chosen.option.value == GateOption.PASS:
        return [e.GatePassed(**about_run(task, work, moment.at), by=chosen.by, by_time=not chosen.by)]
    return [run_again(task, work, (f"A person did not let it pass: {chosen.words}",), moment.at, afresh=True)]


GATE = DecisionKind(
    name=Kind.GATE,
    subject=OfStep,
    rule=RULES,
    apply=apply,
    options=GateOption,
    approves=frozenset({GateOption.PASS}),
    needs_words=frozenset({GateOption.REJECT}),
)
