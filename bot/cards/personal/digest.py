"""The digest as people read it, and what is said when they set its hour or their quiet hours."""

from collections.abc import Sequence
from datetime import datetime

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import risk_of
from agents.domain.hours import Hours, clock_face
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.cards.kinds import kind_in_words
from bot.cards.scene import duration_in_words
from bot.messages import Card, Row

SHOWN = 5  # decisions that a digest shows with their buttons; the others are named
_FIRST = (RiskLevel.CRITICAL, RiskLevel.HIGH, RiskLevel.MEDIUM, RiskLevel.LOW)
_NAME = {RiskLevel.CRITICAL: "critical risk", RiskLevel.HIGH: "high risk"}
HOW = "Say `digest off` to me here to end these, or `quiet 18:00-8:00` for hours in which I say nothing."
NOT_HERE = "Say it to me in a direct message"
NOT_HERE_STEP = "then I know where to write to you alone."

Asked = Sequence[tuple[Task, Decision]]


def in_order(asked: Asked) -> list[tuple[Task, Decision]]:
    """The riskiest first, then the oldest."""
    return sorted(asked, key=lambda pair: (_rank(pair[1]), pair[1].opened_at))


def _rank(decision: Decision) -> int:
    risk = risk_of(decision.subject)
    return _FIRST.index(risk) if risk else len(_FIRST)


def digest_card(asked: Asked, total: int, now: datetime) -> Card:
    """What waits for one person, in their order; the first of them follow with their buttons."""
    lines = [_line(task, decision, now) for task, decision in asked]
    if total > len(lines):
        lines.append(f"… and {total - len(lines)} more: say `what needs me`")
    return Card(title=f"{total} thing{'s need' if total > 1 else ' needs'} you", lines=tuple(lines), footer=HOW)


def _line(task: Task, decision: Decision, now: datetime) -> str:
    risk = _NAME.get(risk_of(decision.subject) or RiskLevel.LOW, "")
    waits = f"waits for {duration_in_words(now - decision.opened_at)}"
    parts = ", ".join(part for part in (kind_in_words(decision), risk, waits) if part)
    return f"{task.id} · {one_line(task.request.text, 60)}: {parts}"


def hours_card(hours: Hours, due: datetime | None) -> Card:
    """What holds for one person now."""
    quiet = f"{clock_face(hours.quiet[0])} to {clock_face(hours.quiet[1])}" if hours.quiet else "none"
    rows = [
        Row(label="Digest", value=f"every day at {clock_face(hours.digest)}" if hours.digest is not None else "off"),
        Row(label="Quiet hours", value=quiet),
        Row(label="Time zone", value=hours.zone),
    ]
    rows += [Row(label="Next digest", at=due)] if due else []
    text = "A digest lists what waits for you, by risk and age. Nothing is sent when nothing waits."
    return Card(
        title="When I write to you", text=text, rows=tuple(rows), footer="digest on 9:00 Europe/Vienna · digest off"
    )
