"""How a decision changes: the fold of the facts about it."""

from collections.abc import Iterable
from dataclasses import replace

from agents.domain.decisions import facts as e
from agents.domain.decisions.decision import Decision, DecisionState, Vote
from agents.domain.errors import IllegalMove
from agents.domain.fact import AboutDecision, Event
from agents.domain.ids import DecisionId

CLOSES: dict[type[AboutDecision], DecisionState] = {
    e.DecisionMade: DecisionState.DECIDED,
    e.DecisionExpired: DecisionState.EXPIRED,
    e.DecisionSuperseded: DecisionState.SUPERSEDED,
    e.DecisionWithdrawn: DecisionState.WITHDRAWN,
}


def evolve(decision: Decision, event: AboutDecision) -> Decision:
    """Apply one fact. A decision that is closed stays as it is, for ever."""
    if decision.state is not DecisionState.OPEN:
        raise IllegalMove(
            f"decision {decision.id} is {decision.state}, so {type(event).__name__} cannot happen to it",
            next_step="Say `status` to see where the task stands.",
        )
    if state := CLOSES.get(type(event)):
        decision = replace(decision, state=state, closed_at=event.at, due=None)
    match event:
        case e.DecisionVoted(option=letter, by=person):
            return replace(decision, votes=(*decision.votes, Vote(by=person, option=letter, at=event.at)))
        case e.DecisionMade(option=letter, by=people, words=words):
            return replace(decision, outcome=letter, decided_by=people, words=words)
        case e.DecisionWithdrawn(why=why):
            return replace(decision, words=why)
        case e.DecisionHeld(by=person, next_due=due, because=words):
            return replace(decision, held_by=person, held_because=words, due=due)
        case e.DecisionReminded(next_due=due) | e.DecisionDeferred(next_due=due):
            number = event.number if isinstance(event, e.DecisionReminded) else decision.reminders
            return replace(decision, reminders=number, due=due)
        case _:
            return decision


def still_open(known: tuple[Decision, ...], event: e.DecisionOpened | AboutDecision) -> tuple[Decision, ...]:
    """The open decisions of a stream after one more fact about one of them."""
    about = event.decision.id if isinstance(event, e.DecisionOpened) else event.decision
    before = next((d for d in known if d.id == about), None)
    if isinstance(event, e.DecisionOpened) and before is None:
        return (*known, event.decision)
    if before is None or isinstance(event, e.DecisionOpened):
        state = "not open" if before is None else "open already"
        raise IllegalMove(
            f"decision {about} is {state}, so {type(event).__name__} cannot happen to it",
            next_step="Say `status` to see where the task stands.",
        )
    now = evolve(before, event)
    after = (now if d.id == about else d for d in known)
    return tuple(d for d in after if d.state is DecisionState.OPEN)


def replay(history: Iterable[Event]) -> dict[DecisionId, Decision]:
    """Every decision of a task as its facts leave it."""
    decisions: dict[DecisionId, Decision] = {}
    for event in history:
        match event:
            case e.DecisionOpened(decision=opened):
                decisions[opened.id] = opened
            case AboutDecision(decision=id):
                decisions[id] = evolve(decisions[id], event)
    return decisions
