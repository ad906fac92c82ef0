"""The world as one job sees it: its log, its models with the money they cost, and the projects."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.catalog.rehearsal import load_scripts, rehearsed
from agents.catalog.specialists import load_panel
from agents.domain import events as e
from agents.domain.asking import Moment
from agents.domain.budget import Budget
from agents.domain.events import Event
from agents.domain.models import said
from agents.domain.task import Task
from agents.llm.choice import choose_models
from agents.llm.client import Models
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from agents.ports import Ask, CallBook, Llm, Ports, Projects, Shape, Specialists, Spent
from agents.workspace import sample
from agents.workspace.projects import GitProjects
from bot.office import Office
from bot.settings import Settings
from manifests import packaged
from store.call_log import CallLog
from store.job_log import JobLog
from store.jobs import Job


@dataclass(slots=True, kw_only=True)
class WatchedLlm:
    """Implements agents.ports.Llm, and remembers which budgets ran low on the way."""

    inner: Llm
    low: list[Budget] = field(default_factory=list)

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        answer, spent = await self.inner.ask(asked, shape)
        if spent.warned:
            self.low.append(spent.warned)
        return answer, spent

    def facts(self, task: Task, moment: Moment) -> Sequence[Event]:
        """C20: said once, at 80 %."""
        return [
            e.BudgetWarned(task=task.id, at=moment.at, budget=low.name, limit=low.limit or 0.0, spent=low.spent)
            for low in self.low
            if low.name not in task.budgets_warned and not task.ended
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What all jobs share."""

    office: Office
    models: Models
    calls: CallBook
    projects: Projects
    specialists: Specialists
    offers: tuple[str, ...] = ()  # requests to begin with, where only those can be answered

    @property
    def serves(self) -> str:
        """Which models, for what, and why."""
        return said(self.models.chosen)

    def ports(self, job: Job) -> Ports:
        llm = WatchedLlm(inner=self.models.for_job(job.id, self.calls))
        return Ports(
            store=JobLog(self.office.database, job, self._moment, also=llm.facts),
            projects=self.projects,
            llm=llm,
            specialists=self.specialists,
            limits=self.office.limits,
        )

    def _moment(self, task: Task, cause: str) -> Moment:
        return self.office.moment(task.channel, cause)


async def make_world(settings: Settings, office: Office, secret: bytes) -> World:
    """What jobs work with: the projects, or the sample where none is named, and the models that serve."""
    paths = {project.name: project.path for project in settings.projects}
    if not paths:
        paths = {sample.NAME: await sample.lay_out(packaged("samples", "shortlinks"), settings.home)}
    projects = GitProjects(paths, lambda channel: office.permissions.channel(channel).project)
    prompts = Prompts(secret, files=projects.files, folder=paths.get)
    chosen = await choose_models(settings.models.written(), settings.keys)
    scripts = await asyncio.to_thread(load_scripts)  # long to read, and people are served already
    panel = await asyncio.to_thread(load_panel, packaged("policies", "specialists.yaml"))
    rehearses = chosen["primary"].models[0].rehearsal
    return World(
        office=office,
        models=Models(
            chosen=chosen,
            prompts=prompts,
            clock=office.clock,
            limits=office.limits,
            gateway=Gateway(scripts=scripts),
        ),
        calls=CallLog(office.database, office.clock, settings.budgets, lambda task: task.budget),
        projects=projects,
        specialists=panel,
        offers=tuple(request for request, _ in rehearsed(scripts)) if rehearses else (),
    )
