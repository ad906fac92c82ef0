"""Two reviewers who disagree: each answers the other with evidence, at most twice."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.domain.planning.verdicts import Critic, Custodiet, Review, Ruling, Stance

MAX_ROUNDS = 2


class Position(StrEnum):
    MAINTAIN = "maintain"
    REVISE = "revise"


class Side(StrEnum):
    CRITIC = "critic"
    CUSTODIET = "custodiet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """What one side says in one round. Evidence is a quote of the request, a path of the plan, or a line of one."""

    side: Side
    position: Position
    point: str
    evidence: tuple[str, ...] = ()

    def grounded(self, request: str, paths: Collection[str]) -> bool:
        said = " ".join(request.casefold().split())
        return any(_is_evidence(cited, said, paths) for cited in self.evidence)


def _is_evidence(cited: str, request: str, paths: Collection[str]) -> bool:
    quote = " ".join(cited.strip().strip("\"'“”`").casefold().split())
    path, _, line = quote.partition(":")
    known = any(path == p.casefold() for p in paths) and (not line or line.strip().isdigit())
    return known or (len(quote) >= 8 and quote in request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    number: int
    critic: Argument
    custodiet: Argument
    cost: float = 0.0  # dollars


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """The review it began with, each round, and the review it ended with."""

    began: Review
    rounds: tuple[Round, ...] = ()
    now: Review
    cost: float = 0.0
    most: int = MAX_ROUNDS  # rounds there may be

    @property
    def settled(self) -> bool:
        return not self.now.conflict

    @property
    def over(self) -> bool:
        return self.settled or len(self.rounds) >= self.most

    @property
    def next_round(self) -> int:
        return len(self.rounds) + 1

    @property
    def ruling(self) -> Ruling:
        return self.now.ruling if self.settled else Ruling.ESCALATE_TO_HUMAN

    @property
    def tension(self) -> str:
        """What is left open, in one sentence."""
        last = self.rounds[-1] if self.rounds else None
        critic = last.critic.point if last else "; ".join(self.now.critic.issues)
        custodiet = last.custodiet.point if last else self.now.custodiet.issue
        return f"The critic says: {_short(critic)}; the scope guard says: {_short(custodiet)}."


def _short(point: str) -> str:
    return " ".join(point.split()).rstrip(".") or "nothing more"


def after_round(debate: Debate, round: Round, request: str, paths: Collection[str]) -> Debate:
    """A side that revises takes the other's stance. A position without evidence loses to one with."""
    critic_moves = round.critic.position is Position.REVISE
    custodiet_moves = round.custodiet.position is Position.REVISE
    if not critic_moves and not custodiet_moves:
        grounds = round.critic.grounded(request, paths), round.custodiet.grounded(request, paths)
        critic_moves, custodiet_moves = grounds == (False, True), grounds == (True, False)
    elif critic_moves and custodiet_moves:  # both give way: they end on the more cautious of the two, a change
        critic_moves = debate.now.critic_stance is Stance.GO
        custodiet_moves = not critic_moves
    now = _moved(debate.now, critic=critic_moves, custodiet=custodiet_moves)
    return replace(debate, rounds=(*debate.rounds, round), now=now, cost=debate.cost + round.cost)


def _moved(review: Review, *, critic: bool, custodiet: bool) -> Review:
    if critic:
        verdict = Critic.PROCEED if review.custodiet_stance is Stance.GO else Critic.REVISE
        return replace(review, critic=replace(review.critic, verdict=verdict))
    if custodiet:
        agrees = review.critic_stance is Stance.GO
        verdict_ = Custodiet.OK if agrees else Custodiet.WARN
        changed = replace(review.custodiet, verdict=verdict_, asks_for_change=not agrees)
        return replace(review, custodiet=changed)
    return review
