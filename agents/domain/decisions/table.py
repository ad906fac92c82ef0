"""The one table of kinds, and what follows from a decision's kind while it is open."""

from datetime import datetime
from typing import Any

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind, Rule, Silence
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import OUTLIVES, DecisionKind, risk_of
from agents.domain.decisions.kinds.plan.change import CHANGE
from agents.domain.decisions.kinds.plan.clarification import CLARIFICATION
from agents.domain.decisions.kinds.plan.debate import DEBATE
from agents.domain.decisions.kinds.plan.no_plan import NO_PLAN
from agents.domain.decisions.kinds.plan.plan import PLAN
from agents.domain.decisions.kinds.task.budget import BUDGET
from agents.domain.decisions.kinds.task.cancel import CANCEL
from agents.domain.decisions.kinds.task.controls import CONTROLS
from agents.domain.decisions.kinds.task.correction import CORRECTION
from agents.domain.decisions.kinds.task.intake import INTAKE
from agents.domain.decisions.kinds.task.meant import MEANT
from agents.domain.decisions.kinds.task.project import PROJECT
from agents.domain.decisions.kinds.task.second import SECOND
from agents.domain.decisions.kinds.task.snoozed import SNOOZED
from agents.domain.decisions.kinds.task.stopped import STOPPED
from agents.domain.decisions.kinds.task.stuck import STUCK
from agents.domain.decisions.kinds.work.escalation import ESCALATION
from agents.domain.decisions.kinds.work.gate import GATE
from agents.domain.decisions.kinds.work.merge import MERGE
from agents.domain.decisions.kinds.work.proposal import PROPOSAL
from agents.domain.decisions.kinds.work.question import QUESTION
from agents.domain.decisions.kinds.work.scope import SCOPE
from agents.domain.decisions.kinds.work.start_scope import START_SCOPE
from agents.domain.decisions.kinds.work.taken import TAKEN
from agents.domain.decisions.kinds.work.unmerged import UNMERGED
from agents.domain.task.task import Task

_ALL: tuple[DecisionKind[Any], ...] = (
    *(INTAKE, PROJECT, STUCK, BUDGET, CORRECTION, STOPPED, SNOOZED, CANCEL, CONTROLS, MEANT, SECOND),
    *(CLARIFICATION, NO_PLAN, CHANGE, PLAN, DEBATE),
    *(QUESTION, SCOPE, START_SCOPE, GATE, ESCALATION, TAKEN, MERGE, UNMERGED, PROPOSAL),
)
KINDS: dict[Kind, DecisionKind[Any]] = {kind.name: kind for kind in _ALL}

# Rules by name: a kind's own, or one for each risk of it.
RULES: dict[str, Rule] = {
    **{kind.name: kind.row(None) for kind in _ALL},
    **{f"{kind.name}_{risk}": kind.row(risk) for kind in _ALL if not isinstance(kind.rule, Rule) for risk in RiskLevel},
}


def kind_of(decision: Decision) -> DecisionKind[Any]:
    return KINDS[decision.kind]


def rule_of(decision: Decision) -> Rule:
    return kind_of(decision).row(risk_of(decision.subject))


def rule_name(decision: Decision) -> str:
    """The row of RULES that it is decided by."""
    risk = risk_of(decision.subject)
    return f"{decision.kind}_{risk}" if risk else decision.kind.value


def rights_to(decision: Decision, option: Option | None) -> tuple[Rule, Rule | None]:
    """The rule for taking an option, and a wider one where it grants nothing."""
    if option and option.right:
        return RULES[option.right], None
    return rule_of(decision), kind_of(decision).wider.get(option.value) if option else None


def questions(task: Task) -> tuple[Decision, ...]:
    """Open decisions that work waits for."""
    return tuple(d for d in task.open if KINDS[d.kind].waits)


def approvable(task: Task) -> tuple[Decision, ...]:
    """Open decisions that a person may be asked to approve."""
    return (*questions(task), *(d for d in task.open if d.kind in OUTLIVES))


def closed_by_silence(decision: Decision) -> bool:
    """Whether a clock runs that closes it; a reminder closes nothing."""
    silence = rule_of(decision).silence
    if decision.due is None or silence is Silence.WAITS:
        return False
    return silence is Silence.EXPIRES or (bool(decision.default) and decision.held_by is None)


def can_be_held(decision: Decision) -> bool:
    return closed_by_silence(decision) and rule_of(decision).silence is not Silence.EXPIRES


def lapsed(decision: Decision, at: datetime) -> bool:
    """Whether its time is over and silence closes it."""
    return decision.due is not None and decision.due <= at and closed_by_silence(decision)
