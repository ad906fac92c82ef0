"""What supervisors did and ask for, project by project, for the operator."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import ProjectId, TaskId
from agents.domain.knowledge.owners import Supervisor
from agents.domain.supervision.counting import is_over
from agents.domain.supervision.facts import Supervision, SupervisorRan, SupervisorSkipped
from bot.cards.supervision.reports import NAMES
from bot.services import Services
from store.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorRow:
    """One supervisor of one project. `every`: finished subtasks; 0: other occasions alone."""

    project: str
    supervisor: Supervisor
    name: str
    enabled: bool
    every: int
    since: int
    due: bool
    ran: int
    urgency: float
    asks: int  # directives that wait


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    project: str
    at: datetime
    supervisor: Supervisor
    name: str
    task: TaskId
    summary: str
    directives: int
    notes: int
    converging: bool
    skipped: str
    model: str
    tokens_in: int
    tokens_out: int
    cost: float  # dollars


@dataclass
class SupervisionQueries:
    _services: Services

    async def supervisors(self, project: str = "") -> Sequence[SupervisorRow]:
        def question(tx: Transaction) -> list[SupervisorRow]:
            found = [tx.log.project(id) for id in tx.log.projects()]
            return [
                self._row(each.name, supervisor, each.supervision)
                for each in found
                if each and project in ("", each.name)
                for supervisor in Supervisor
            ]

        return await self._services.database.read(question)

    async def runs(self, project: str = "", most: int = 50) -> Sequence[RunRow]:
        """The latest first."""

        def question(tx: Transaction) -> list[RunRow]:
            kinds = (SupervisorRan, SupervisorSkipped)
            wanted = [id for id in tx.log.projects() if project in ("", id.removeprefix("P-"))]
            facts = [each.event for id in wanted for each in tx.log.facts(id, last=most, kinds=kinds)]
            rows = [_run(fact) for fact in facts if isinstance(fact, SupervisorRan | SupervisorSkipped)]
            return sorted(rows, key=lambda row: row.at, reverse=True)[:most]

        return await self._services.database.read(question)

    def _row(self, project: str, supervisor: Supervisor, state: Supervision) -> SupervisorRow:
        settings, counter = self._services.supervisors, state.counter(supervisor)
        on = bool(settings.enabled) and settings.watches(supervisor)
        return SupervisorRow(
            project=project,
            supervisor=supervisor,
            name=NAMES[supervisor],
            enabled=on,
            every=settings.interval(supervisor) * counter.factor,
            since=counter.since,
            due=on and is_over(state, supervisor, settings),
            ran=counter.ran,
            urgency=round(state.urgency, 2),
            asks=sum(each.directive.source is supervisor for each in state.pending),
        )


def _run(fact: SupervisorRan | SupervisorSkipped) -> RunRow:
    ran = fact if isinstance(fact, SupervisorRan) else None
    return RunRow(
        project=ProjectId(fact.stream).removeprefix("P-"),
        at=fact.at,
        supervisor=fact.by,
        name=NAMES[fact.by],
        task=fact.task,
        summary=ran.summary if ran else "",
        directives=len(ran.directives) if ran else 0,
        notes=len(ran.notes) if ran else 0,
        converging=ran.converging if ran else False,
        skipped=fact.why if isinstance(fact, SupervisorSkipped) else "",
        model=ran.model if ran else "",
        tokens_in=ran.tokens_in if ran else 0,
        tokens_out=ran.tokens_out if ran else 0,
        cost=ran.cost if ran else 0.0,
    )
