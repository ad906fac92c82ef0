"""What every part of the bot works with: the store, the clock, the limits and who may do what."""

from dataclasses import dataclass, field

from agents.domain.asking import Moment
from agents.domain.authority import Presser
from agents.domain.ids import Account
from agents.domain.limits import Limits
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
    redact: Redact = field(default_factory=Redactor)  # what leaves the house goes through it

    def moment(self, channel: str, cause: str) -> Moment:
        """Now, under the policy of the channel the work was asked for in."""
        policy = self.permissions.channel(channel)
        return Moment(at=self.clock.now(), cause=cause, channel=policy, limits=self.limits)

    def presser(self, account: Account, books: Books, memberships: tuple[str, ...] = ()) -> Presser:
        """The person behind an account, with the rights they have at this moment."""
        person = books.people.of(account)
        groups = self.permissions.groups_of(person.accounts, memberships)
        return Presser(person=person.id, known_as=person.known_as, groups=groups)
