"""What every part of the bot works with: the store, the clock, leases, the limits and who may do what."""

import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache

from agents.catalog.library import Catalog, Declared, load_catalog, with_asked_role
from agents.domain.decisions.authority import Presser
from agents.domain.decisions.kind import Moment
from agents.domain.ids import Account, TaskId
from agents.domain.limits import Limits, Retention
from agents.domain.metrics.adaptive import NOT_ADAPTIVE, Adaptive
from agents.domain.models.money import Budgets
from agents.domain.supervision.tuning import OFF, SupervisorSettings
from agents.domain.task.task import Task
from agents.domain.text.redact import Redact, Redactor
from agents.domain.work.git_names import PLAIN, GitManners
from agents.domain.workflow.workflow import Workflow
from agents.ports import Clock, Show
from bot.config.settings import Named
from bot.live import Live
from bot.permissions import Permissions
from store.database import Database
from store.running.leases import Lease, is_dead, this_process
from store.transaction import Transaction


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
class Services:
    database: Database
    permissions: Permissions
    clock: Clock
    limits: Limits
    budgets: Budgets = field(default_factory=Budgets)
    retention: Retention = field(default_factory=Retention)
    redact: Redact = field(default_factory=Redactor)  # what leaves the house goes through it
    catalog: "Callable[[], Catalog]" = packaged_catalog  # roles, contexts, the workflow; read when first needed
    project_workflows: dict[str, str] = field(default_factory=dict)  # by project, where it has its own
    manners: GitManners = PLAIN  # how git is used, for projects that do not differ
    project_manners: dict[str, GitManners] = field(default_factory=dict)  # by project, where it does
    identity_of: Callable[[Sequence[Account]], str] = lambda accounts: ""  # how git is told of somebody, if it may be
    public_url: str = ""  # where people reach the console; empty: nowhere but on this machine
    kept: Callable[[str], Awaitable[str | None]] = nothing_kept  # long texts by name: diffs, patches, logs
    live: Live = field(default_factory=Live)
    named: Named = field(default_factory=Named)  # projects and models, to be listed
    supervisors: SupervisorSettings = OFF
    adaptive: Adaptive = NOT_ADAPTIVE
    supervised: set[str] = field(default_factory=set)  # requests of the rehearsal that show supervisors

    def moment(self, channel: str, cause: str) -> Moment:
        """Now, under the policy of the channel the work was asked for in."""
        policy = self.permissions.channel(channel)
        now, budget = self.clock.now(), self.budgets.task
        return Moment(
            at=now,
            cause=cause,
            channel=policy,
            limits=self.limits,
            budget=budget,
            workflow=self.workflow,
            manners=self.manners_of,
            supervision=self.supervision,
        )

    def supervision(self, task: Task) -> SupervisorSettings:
        """Whether and when supervisors look at a task. A rehearsal shows them where its script has them."""
        shown = task.plan.rehearsal and task.request.text in self.supervised
        return replace(self.supervisors, enabled=True) if shown else self.supervisors

    def manners_of(self, task: Task) -> GitManners:
        return self.project_manners.get(task.project or "", self.manners)

    def workflow(self, task: Task) -> Workflow:
        """That a plan of this task is approved under: the one that its request names, where that may be; else its
        project's, its channel's, or the general one."""
        name = self.project_workflows.get(task.project or "") or self.permissions.channel(task.request.channel).workflow
        catalog = self.catalog()
        return with_asked_role(catalog.choose(name, task.request.workflow), catalog, task.request.role)

    def show(self, task: TaskId, subtask: int) -> Show:
        """Implements agents.ports.Live."""
        return self.live.of(task, subtask, self.clock.now)

    def presser(self, account: Account, tx: Transaction, memberships: tuple[str, ...] = ()) -> Presser:
        """The person behind an account, with the rights they have at this moment."""
        person = tx.people.of(account)
        groups = self.permissions.groups_of(person.accounts, memberships)
        return Presser(person=person.id, known_as=person.known_as, groups=groups)


class SystemClock:
    """Implements agents.ports.Clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def real_seconds(self, seconds: float) -> float:
        return max(0.0, seconds)


class Leases:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._owner = f"{this_process()}/{secrets.token_hex(4)}"  # two programs in one process are two holders
        self._dead: tuple[str, ...] = ()

    def look_for_the_dead(self, tx: Transaction) -> None:
        """Find holders on this host that no longer run, so that nobody waits for their leases to run out."""
        owners = tx.jobs.lease_owners() | tx.posts.lease_owners()
        self._dead = tuple(sorted(owner for owner in owners if owner != self._owner and is_dead(owner)))

    def for_seconds(self, seconds: float, busy: Iterable[str] = ()) -> Lease:
        """`busy` is what this holder is at work on now."""
        now = self._clock.now()
        until = now + timedelta(seconds=seconds)
        return Lease(owner=self._owner, at=now, until=until, dead=self._dead, busy=tuple(busy))
