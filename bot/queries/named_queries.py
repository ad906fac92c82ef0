"""What is named in the settings, and who changed it, as the console shows it."""

from collections.abc import Callable

from agents.domain.ids import Account
from bot.queries import NamedPage
from bot.services import Services
from store.transaction import Transaction

ACTS_SHOWN = 50


def read_named(tx: Transaction, services: Services, name: Callable[[Account], str]) -> NamedPage:
    """`name`: what to call whoever has an account."""
    known = services.named
    return NamedPage(
        projects=tuple(known.projects),
        people=services.permissions.who_can_approve(),
        models=tuple(known.models),
        acts=tuple((act, name(act.actor)) for act in tx.acts.latest(ACTS_SHOWN)),
    )
