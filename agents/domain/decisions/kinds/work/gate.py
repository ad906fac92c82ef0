"""Finished work of a subtask that passed its checks: let it go on, or ask for a fix. Low risk is never asked about."""

from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import APPROVAL, RISKY, Kind, Rule, Silence
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment
from agents.domain.decisions.subject import OfStep
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, run_at, send_back
from agents.domain.work.work import SubtaskState

_OR_TIME = replace(APPROVAL, silence=Silence.PASSES)
GATE_RULES: dict[RiskLevel, Rule] = {RiskLevel.LOW: _OR_TIME, RiskLevel.MEDIUM: _OR_TIME, **RISKY}


class GateOption(StrEnum):
    PASS = "pass"
    REJECT = "reject"


def apply_gate(task: Task, subject: OfStep, chosen: Chosen, moment: Moment) -> Facts:
    work = run_at(task, subject, SubtaskState.EVALUATING)
    if work is None:
        return []
    if chosen.option.value == GateOption.PASS:
        return [e.GatePassed(**about_run(task, work, moment.at), by=chosen.by, by_time=not chosen.by)]
    return [send_back(task, work, moment.at, passed=True)]  # their words are a wish


GATE = DecisionKind(
    name=Kind.GATE,
    subject=OfStep,
    rule=GATE_RULES,
    apply=apply_gate,
    options=GateOption,
    approves=frozenset({GateOption.PASS}),
    needs_words=frozenset({GateOption.REJECT}),
)
