"""What a card is made from: the fact that asks for it, and the present of the task it is about."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agents.domain.decisions.decision import Decision, NameOf
from agents.domain.ids import Account, DecisionId, PersonId, Thread
from agents.domain.task.task import Task
from bot.cards.links import Ways
from bot.cards.parts.bill import Bill
from bot.messages import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    task: Task
    decision: Callable[[DecisionId], Decision | None]
    name: NameOf
    accounts: Callable[[PersonId], tuple[Account, ...]]
    deciders: Callable[[Decision], tuple[Account, ...]] = lambda decision: ()  # who should be pinged to decide
    next_approver: Callable[[int], Account | None] = lambda number: None
    ways: Ways = field(default_factory=Ways)  # to what is too long for a card
    bill: Callable[[], Bill] = Bill  # summed up when a card asks for it
    shown: Callable[[str], Card | None] = lambda key: None  # what the message of this key shows, if there is one
    message: Callable[[str], str] = lambda key: ""  # the platform's id of the message of this key
    nobody: Callable[[Decision], str] = lambda decision: ""  # what to say when nobody is named who may decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """A card and the key it goes under: the same key is the same message."""

    key: str
    card: Card
    thread: Thread | None = None  # None: the task's own
