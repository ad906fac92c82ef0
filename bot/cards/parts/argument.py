"""What reviewers say of a plan and to each other, as a person reads it."""

from agents.domain.planning.debate import Argument, Debate
from agents.domain.planning.verdicts import Advice, Critic, Custodiet, Review, Ruling
from agents.domain.text.sanitize import cut, one_line
from bot.cards.parts import words
from bot.messages import Row

_CRITIC = {Critic.PROCEED: "approves", Critic.REVISE: "asks for changes", Critic.HALT: "stops it"}
_SCOPE_GUARD = {Custodiet.OK: "within the request", Custodiet.WARN: "concern", Custodiet.BLOCK: "stops it"}


def argument_rows(review: Review | None) -> list[Row]:
    if review is None:
        return []
    return [
        Row(label="Critic", value=_critic(review)),
        Row(label="Scope guard", value=_custodiet(review)),
        *_advice(review.advice),
    ]


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
    if not debate.settled:
        return f"they still disagree{cost}"
    went_on = debate.now.ruling is Ruling.APPROVED
    return f"they agree {'to go on' if went_on else 'that it must change'}{cost}"


def _point(argument: Argument) -> str:
    moved = words.POSITION[argument.position]
    cited = f" [{cut('; '.join(argument.evidence), 120)}]" if argument.evidence else " [no evidence]"
    return f"{moved}: {one_line(argument.point, 200)}{cited}"


def _critic(review: Review) -> str:
    said = review.critic
    if said.verdict is Critic.NO_VERDICT:
        return f"no usable verdict this time: {said.why_none}"
    points = (*said.issues, *said.changes, *(f"untested: {a}" for a in said.assumptions))
    return f"{_CRITIC[said.verdict]}{': ' + cut('; '.join(points), 500) if points else ''}"


def _custodiet(review: Review) -> str:
    """The issue, the principle it touches, and what would resolve it."""
    said = review.custodiet
    if said.verdict is Custodiet.NO_VERDICT:
        return f"no usable verdict this time: {said.why_none}"
    parts = (said.issue, f"it touches: {said.principle}" if said.principle else "", said.suggestion)
    points = "; ".join(part for part in parts if part)
    return f"{_SCOPE_GUARD[said.verdict]}{': ' + points if points else ''}"


def _advice(advice: tuple[Advice, ...]) -> list[Row]:
    """Specialists who say the same are heard once, and so is what kept them from saying anything."""
    said: dict[str, list[str]] = {}
    for each in advice:
        points = f"none: {each.why_none}" if each.why_none else "; ".join((*each.concerns, *each.suggestions))
        if points:
            said.setdefault(points, []).append(each.specialist)
    return [Row(label=f"Advice, {' and '.join(names)}", value=cut(points, 300)) for points, names in said.items()]
