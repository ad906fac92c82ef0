"""Finished work of a subtask, before it goes on."""

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.gate import GateOption
from agents.domain.decisions.subject import OfStep
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import DIFFERENTLY, KindCard, Label, no_lines
from bot.cards.reasons import risk_sentence
from bot.cards.work.commits import step_git_rows
from bot.messages import Style


def _title(task: Task, decision: Decision) -> str:
    """Which step it is, of how many; a plan that was changed since may not have it any more."""
    steps = task.plan.draft.subtasks if task.plan.draft else ()
    about = decision.subject.subtask if isinstance(decision.subject, OfStep) else 0
    step = next((each for each in steps if each.number == about), None)
    what = f"step {step.number} of {len(steps)}: {step.title}" if step else "all of it together"
    return f"{task.id}: review {what}"


def _text(task: Task, decision: Decision) -> str:
    about = decision.subject
    if decision.question or not isinstance(about, OfStep):
        return decision.question
    parts = [f"{task.id}.{about.subtask} passed its checks."]
    if decision.evidence:
        parts.append(risk_sentence(about.risk, decision.evidence))
    if about.unseen:
        which = " and ".join(f"{task.id}.{number}" for number in about.unseen)
        leaves = "and next it leaves this machine as a pull request: a person must let it."
        parts.append(f"{which} passed only because the time ran out, {leaves}")
    return " ".join(parts)


CARD = KindCard(
    kind=Kind.GATE,
    name="a step of medium risk",
    risky={RiskLevel.HIGH: "a step of high risk", RiskLevel.CRITICAL: "a step of critical risk"},
    title=_title,
    text=_text,
    lines=no_lines,
    labels={
        GateOption.PASS: Label("Continue", "Continued", Style.PRIMARY),
        GateOption.REJECT: Label("Ask for a fix", "Fix asked for", asks=DIFFERENTLY),
    },
    comments=GateOption.REJECT,
    rows=lambda task, d, bill: step_git_rows(task, d),
    checks=True,
)
