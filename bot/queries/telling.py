"""Which of a task's facts are worth a line where people read what happened."""

from collections.abc import Sequence

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import decision_id
from agents.domain.events import AboutDecision, DecisionOpened, Event, MinionProgressed, StepDue
from store.codec import Recorded


def worth_telling(facts: Sequence[Recorded]) -> list[Recorded]:
    """Without the furniture and what is only about to begin, and of a minion's many turns only the last."""
    last = {
        (fact.event.subtask, fact.event.attempt): fact for fact in facts if isinstance(fact.event, MinionProgressed)
    }
    turns = {id(fact) for fact in last.values()}
    return [
        fact
        for fact in facts
        if not isinstance(fact.event, StepDue)
        and not _is_about_controls(fact.event)
        and (not isinstance(fact.event, MinionProgressed) or id(fact) in turns)
    ]


def _is_about_controls(event: Event) -> bool:
    """The standing buttons are furniture: nobody wants to read that they were put up."""
    match event:
        case DecisionOpened(decision=decision):
            return decision.kind in (Kind.CONTROLS, Kind.REROUTE)
        case AboutDecision(task=task, decision=id):
            return id == decision_id(task, Kind.CONTROLS, "")
        case _:
            return False
