"""What every part of the bot works with: the store, the clock, the limits and who may do what."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache

from agents.catalog.library import Catalog, Declared, load_catalog
from agents.domain.decisions.authority import Presser
from agents.domain.decisions.kind import Moment
from agents.domain.ids import Account, TaskId
from agents.domain.limits import Limits
from agents.domain.models.budget import Budgets
from agents.domain.project.retention import Retention
from agents.domain.text.redact import Redact, Redactor
from agents.domain.workflow.workflow import Workflow
from agents.ports import Clock, Show
from bot.live import Live
from bot.permissions import Permissions
from store.books import Books
from store.database import Database


def catalog_of(declared: "Declared | None") -> "Callable[[], Catalog]":
    """Read once, and not before it is needed: a start need not wait for it."""

    @cache
    def load() -> "Catalog":
        return load_catalog(declared)

    return load


packaged_catalog = catalog_of(None)


async def nothing_kept(name: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    database: Database
    permissions: Permissions
    clock: Clock
    limits: Limits
    budgets: Budgets = field(default_factory=Budgets)
    retention: Retention = field(default_factory=Retention)
    redact: Redact = field(default_factory=Redactor)  # what leaves the house goes through it
    catalog: "Callable[[], Catalog]" = packaged_catalog  # roles, contexts, the workflow; read when first needed
    public_url: str = ""  # where people reach the console; empty: nowhere but on this machine
    kept: Callable[[str], Awaitable[str | None]] = nothing_kept  # long texts by name: diffs, patches, logs
    live: Live = field(default_factory=Live)

    def moment(self, channel: str, cause: str) -> Moment:
        """Now, under the policy of the channel the work was asked for in."""
        policy = self.permissions.channel(channel)
        now, budget = self.clock.now(), self.budgets.task
        return Moment(at=now, cause=cause, channel=policy, limits=self.limits, budget=budget, workflow=self._workflow)

    def _workflow(self) -> Workflow:
        return self.catalog().workflow

    def show(self, task: TaskId, subtask: int) -> Show:
        """Implements agents.ports.Live."""
        return self.live.of(task, subtask, self.clock.now)

    def presser(self, account: Account, books: Books, memberships: tuple[str, ...] = ()) -> Presser:
        """The person behind an account, with the rights they have at this moment."""
        person = books.people.of(account)
        groups = self.permissions.groups_of(person.accounts, memberships)
        return Presser(person=person.id, known_as=person.known_as, groups=groups)
