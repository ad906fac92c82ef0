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
    card, value = CARDS[decision.kind], chosen.value if chosen else ""
    task = tx.log.in_thread(decision.task)
    if table := card.tables.get(value):
        return table.check(task, words)
    form = card.forms.get(value)
    return tuple(Fault(what=what, field=name) for name, what in form.check(task, words).items()) if form else ()
