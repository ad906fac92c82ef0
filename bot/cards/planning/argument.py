"""What reviewers say of a plan, how they argue, and how it ended."""

from agents.domain.planning.review import (
    Advice,
    Argument,
    Critic,
    Custodiet,
    Debate,
    Finding,
    Position,
    Review,
    Ruling,
    Side,
)
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.scene import rows_of
from bot.messages import Row

POSITION: dict[Position, str] = {Position.MAINTAIN: "keeps to it", Position.REVISE: "gives way"}
CRITIC = {
    Critic.PROCEED: "approves",
    Critic.REVISE: "asks for changes",
    Critic.HALT: "stops it",
    Critic.NO_VERDICT: "no usable verdict this time",
}
SCOPE_GUARD = {
    Custodiet.OK: "within the request",
    Custodiet.WARN: "concern",
    Custodiet.BLOCK: "stops it",
    Custodiet.NO_VERDICT: "no usable verdict this time",
}


def argument_rows(review: Review | None) -> list[Row]:
    if review is None:
        return []
    stops = dict(review.stops)
    left_out = f"{', '.join(review.unknown)}: no such principle, so it was left out" if review.unknown else ""
    return [
        Row(label="Critic", value=_critic(review)),
        *rows_of(("Assumed, not tested", _untested(review))),
        *_resolution(stops.get(Side.CRITIC)),
        Row(label="Scope guard", value=_custodiet(review)),
        *_resolution(stops.get(Side.CUSTODIET)),
        *_advice(review.advice),
        *rows_of(("Cited", left_out)),
    ]


def _resolution(stop: Finding | None) -> list[Row]:
    """Which principle a stop rests on, and what would lift it."""
    if stop is None:
        return []
    return [
        Row(label="Principle", value=str(stop.principle) or "none cited"),
        Row(label="To resolve it", value=cut(stop.fix, 300) or "say what should change"),
    ]


def _finding(issue: Finding) -> str:
    """“Nobody asked for a dashboard (A1) → leave it out”."""
    cited = f" ({issue.principle.id})" if issue.principle.id else ""
    return f"{issue.what}{cited}{f' → {issue.fix}' if issue.fix else ''}"


def debate_rows(debate: Debate | None, *, goes_on: bool = False) -> list[Row]:
    """What moved in each round, how it ended and what it cost."""
    if debate is None:
        return []
    rows = []
    for round in debate.rounds:
        rows.append(Row(label=f"Round {round.number}, critic", value=_point(round.critic)))
        rows.append(Row(label=f"Round {round.number}, scope guard", value=_point(round.custodiet)))
    return rows if goes_on else [*rows, Row(label="Debate", value=_ended(debate))]


def _ended(debate: Debate) -> str:
    cost = f"; arguing cost ${debate.cost:.2f}" if debate.cost else ""
    if not debate.is_settled:
        return f"they still disagree{cost}"
    went_on = debate.now.ruling is Ruling.APPROVED
    return f"they agree {'to go on' if went_on else 'that it must change'}{cost}"


def _point(argument: Argument) -> str:
    moved = POSITION[argument.position]
    cited = f" [{cut('; '.join(argument.evidence), 120)}]" if argument.evidence else ""
    cited += "" if argument.grounded and argument.evidence else " [no evidence found for it]"
    return f"{moved}: {one_line(argument.point, 200)}{cited}"


def _critic(review: Review) -> str:
    said = review.critic
    if said.verdict is Critic.HALT and said.issues:
        return f"{CRITIC[said.verdict]}: {cut('; '.join(issue.what for issue in said.issues), 400)}"
    points = said.why_none or cut("; ".join((*map(_finding, said.issues), *said.changes)), 500)
    return f"{CRITIC[said.verdict]}{f': {points}' if points else ''}"


def _untested(review: Review) -> str:
    """What the critic takes for granted, in a row of its own: it qualifies the verdict, and is no part of it."""
    halted = review.critic.verdict is Critic.HALT and review.critic.issues
    return "" if halted else cut("; ".join(review.critic.assumptions), 400)


def _custodiet(review: Review) -> str:
    """The issue, the principle it touches, and what would resolve it; of a stop those have rows of their own."""
    said = review.custodiet
    if said.verdict is Custodiet.BLOCK:
        return f"{SCOPE_GUARD[said.verdict]}: {said.issue}"
    touches = f"it touches: {said.principle}" if str(said.principle) else ""
    parts = (said.issue, touches, said.suggestion)
    points = said.why_none or "; ".join(part for part in parts if part)
    return f"{SCOPE_GUARD[said.verdict]}{f': {points}' if points else ''}"


def _advice(advice: tuple[Advice, ...]) -> list[Row]:
    """Specialists who say the same are heard once, and so is what kept them from saying anything."""
    said: dict[str, list[str]] = {}
    for each in advice:
        points = f"none: {each.why_none}" if each.why_none else "; ".join((*each.concerns, *each.suggestions))
        if points:
            said.setdefault(points, []).append(each.specialist)
    return [Row(label=f"Advice, {' and '.join(names)}", value=cut(points, 300)) for points, names in said.items()]


def is_contested(task: Task) -> bool:
    """A reviewer says stop, gave no verdict, or two of them could not agree."""
    if task.plan.debate is not None and not task.plan.debate.is_settled:
        return True
    return task.plan.review is not None and task.plan.review.ruling in (Ruling.BLOCKED, Ruling.ESCALATE_TO_HUMAN)
