"""What a round of debate does to a review."""

from collections.abc import Collection
from dataclasses import replace

from agents.domain.planning.review import Argument, Critic, Custodiet, Debate, Position, Review, Round, Stance
from agents.domain.reason import Cause, Reason, Why


def after_round(debate: Debate, round: Round) -> Debate:
    """A side that concedes takes the other's stance. A point without evidence is marked, and loses by nothing else."""
    critic_moves = round.critic.position is Position.REVISE
    custodiet_moves = round.custodiet.position is Position.REVISE
    if critic_moves and custodiet_moves:  # both give way: they end on the more cautious of the two, a change
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


def with_grounds(argument: Argument, request: str, paths: Collection[str]) -> Argument:
    """`paths`: of the project, as it is where the work begins, whether or not the plan names them."""
    said = " ".join(request.casefold().split())
    return replace(argument, grounded=any(_is_evidence(cited, said, paths) for cited in argument.evidence))


def _is_evidence(cited: str, request: str, paths: Collection[str]) -> bool:
    quote = " ".join(cited.strip().strip("\"'“”`").casefold().split())
    path, _, line = quote.partition(":")
    known = any(path == p.casefold() for p in paths) and (not line or line.strip().isdigit())
    return known or (len(quote) >= 8 and quote in request)


def disagreement(debate: Debate) -> Cause:
    """Why they disagree: in the words of one of them, if it wrote one sentence as asked; else what each says."""
    return debate.tension or Reason(code=Why.DISAGREEMENT, names=debate.points)
