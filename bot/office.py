"""What every part of the bot works with: the store, the clock, the limits and who may do what."""

from dataclasses import field

from agents.domain.asking import Moment
from agents.domain.authority import Presser
from agents.domain.budget import Budgets
from agents.domain.ids import Account
from agents.domain.limits import Limits
from agents.domain.records import dataclass
from agents.domain.redact import Redact, Redactor
from agents.ports import Clock
from bot.permissions import Permissions
from store.books import Books
from store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    database: Database
    permissions: Permissions
    clock: Clock
    limits: Limits
    budgets: Budgets = field(default_factory=Budgets)
    redact: Redact = field(default_factory=Redactor)  # what leaves the house goes through it

    def moment(self, channel: str, cause: str) -> Moment:
        """Now, under the policy of the channel the work was asked for in."""
        policy = self.permissions.channel(channel)
        now, budget = self.clock.now(), self.budgets.task
        return Moment(at=now, cause=cause, channel=policy, limits=self.limits, budget=budget)

    def presser(self, account: Account, books: Books, memberships: tuple[str, ...] = ()) -> Presser:
        """The person behind an account, with the rights they have at this moment."""
        person = books.people.of(account)
        groups = self.permissions.groups_of(person.accounts, memberships)
        return Presser(person=person.id, known_as=person.known_as, groups=groups)
