"""What is wrong with a form before it is sent, where code can tell; the inbox looks again when it is."""

from agents.domain.decisions.decision import DecisionState
from agents.domain.planning.plan_faults import Fault
from bot.cards.kinds import CARDS
from bot.messages import Choice
from store.transaction import Transaction


def check_form(token: str, words: str, tx: Transaction) -> tuple[Fault, ...]:
    """Empty: nothing, or it is for the inbox to say."""
    choice = Choice.of(token)
    decision = tx.ledger.find(choice.decision) if choice else None
    if choice is None or decision is None or decision.state is not DecisionState.OPEN:
        return ()
    chosen = next((option for option in decision.options if option.letter == choice.letter), None)
    table = CARDS[decision.kind].tables.get(chosen.value) if chosen else None
    return table.check(tx.log.in_thread(decision.task), words) if table else ()
