"""Every word that people read about a kind of decision, and the one table of them.

A kind is in one file; kinds of one concept share it.
"""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from bot.cards.kinds.kind_card import KindCard, Label
from bot.cards.kinds.plans import CHANGE, CLARIFICATION, DEBATE, NO_PLAN, PLAN
from bot.cards.kinds.proposals import PROPOSAL
from bot.cards.kinds.requests import CORRECTION, INTAKE, MEANT, PROJECT, SECOND
from bot.cards.kinds.tasks import BUDGET, CANCEL, CONTROLS, SNOOZED, STOPPED, STUCK
from bot.cards.kinds.work import ESCALATION, GATE, MERGE, QUESTION, SCOPE, START_SCOPE, TAKEN, UNMERGED

# Where several are open while a task is at work, the first one says its state.
_ALL: tuple[KindCard, ...] = (
    *(MERGE, UNMERGED, STUCK, ESCALATION, TAKEN, QUESTION, SCOPE, START_SCOPE, GATE, PROPOSAL),
    *(CLARIFICATION, NO_PLAN, CHANGE, PLAN, DEBATE),
    *(INTAKE, PROJECT, BUDGET, CORRECTION, STOPPED, SNOOZED, CANCEL, CONTROLS, MEANT, SECOND),
)
CARDS: dict[Kind, KindCard] = {card.kind: card for card in _ALL}


def kind_in_words(decision: Decision) -> str:
    """What is to be decided."""
    return CARDS[decision.kind].name_of(decision)


def label(decision: Decision, option: Option) -> Label:
    return CARDS[decision.kind].label(decision, option)


def label_of(decision: Decision, option: Option) -> str:
    """What the button of an option says."""
    return label(decision, option).text


def prompt(decision: Decision, option: Option) -> str:
    """What its form asks; empty where it takes no words."""
    if not option.needs_words:
        return ""
    asks = CARDS[decision.kind].asks
    return asks(decision) if asks else label(decision, option).asks


def outcome_label(decision: Decision) -> str:
    """What was decided, in words."""
    if not decision.outcome:
        return decision.words
    text = label_of(decision, decision.option(decision.outcome))
    return f"{text}: {decision.words}" if decision.words else text
