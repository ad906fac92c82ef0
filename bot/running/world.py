"""The world as one job sees it: its log, its models with the money they cost, and the projects."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from agents.catalog.library import Catalog
from agents.catalog.models import load_scripts, rehearsed_requests
from agents.catalog.policies import load_specialists, packaged_policy, packaged_principles
from agents.catalog.project_workflows import with_project
from agents.domain.checks.evaluation import GateCommands
from agents.domain.checks.risk import RiskPolicy, risk_of
from agents.domain.decisions.kind import Moment
from agents.domain.models.routing import describe_models
from agents.domain.task.task import Task
from agents.domain.text.redact import Redact
from agents.domain.workflow.workflow import Resolved, Workflow
from agents.llm.choice import choose_models, lacking, try_all
from agents.llm.client import JobLlm, Models, Notices
from agents.llm.gateway import Gateway
from agents.llm.prompts import Adds, Prompts
from agents.minions.engines import WINDOW
from agents.ports import CallBook, Ports, Projects, Specialist
from agents.workspace.projects import SAMPLE, GitProjects, lay_out_sample
from bot.cards.reasons import lacks_in_words
from bot.cards.work import outside
from bot.config.settings import Settings
from bot.running.workshop import Hub, Site, Workshop, WorkshopSettings, make_hub, make_workshop
from bot.services import Services
from manifests import packaged_path
from store.running.jobs import Job
from store.running.port_adapters import CallLog, JobLog, StepRetries

log = logging.getLogger("overlord.models")
READING = ("work", "answer", "decompose", "review")  # flows whose models talk with tools


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What all jobs share."""

    services: Services
    models: Models
    calls: CallBook
    projects: Projects
    specialists: Sequence[Specialist]
    workshop: Workshop
    risk: RiskPolicy
    hub: Hub | None = None  # GitHub, for the projects that are there
    sample: str = ""  # its folder, where nobody named a project
    rehearses: bool = False  # no model serves but the offline one
    offers: tuple[str, ...] = ()  # requests to begin with, where only those can be answered

    @property
    def serves(self) -> str:
        """Which models, for what, and why."""
        return describe_models(self.models.chosen)

    async def ports(self, job: Job) -> Ports:
        window = await self.models.window("primary") if job.flow in READING else None
        notices = Notices()
        store = JobLog(self.services.database, job, self._moment, also=notices.facts)
        llm = JobLlm(models=self.models, job=job.id, calls=self.calls, notices=notices, note=store.note)
        return Ports(
            store=store,
            projects=self.projects,
            llm=llm,
            specialists=self.specialists,
            limits=self.services.limits,
            checkouts=self.workshop.checkouts,
            minions=self.workshop.minions(llm, window or WINDOW),
            reader=self.workshop.reader(llm, window or WINDOW, self.projects.files),
            gates=self.workshop.gates,
            grounds=self.workshop.grounds,
            forge=self.workshop.forge,
            texts=outside,
            issues=self.workshop.issues,
            artefacts=self.workshop.artefacts,
            packs=self.workshop.packs.bounded_by(partial(self.models.window, "primary")),
            retries=StepRetries(
                self.services.database, self.services.clock, self.models.policies, self.services.limits, job
            ),
            live=self.services.show,
            risk=lambda changes, coverage: risk_of(changes, coverage, self.risk),
            identity_of=self.services.identity_of,
            workflow=self.services.workflow,
            worker_roles=self.services.catalog().worker_roles,
            principles=packaged_principles(),
            resolve=self.resolve_workflow,
        )

    async def get_ready(self) -> None:
        """What nobody waits for at the start."""
        await asyncio.gather(self.workshop.tidy(), self.try_servers())

    async def try_servers(self) -> None:
        """What servers of one's own can do is known before a task begins; what they cannot is in the log."""
        found = await try_all(self.models.gateway, self.models.chosen, own=True)
        for role, lacks in lacking(self.models.chosen, found).items():
            model = self.models.chosen[role].models[0]
            why = lacks_in_words(role, lacks, found[model].window)
            log.warning("%s may not do for %s: %s. `overlord doctor` tries it again.", model.name, role, why)

    async def resolve_workflow(self, task: Task, branch: str) -> Resolved:
        """The one that its plan is to be approved under, with what its project's own files add to it."""
        workflow = self.services.workflow(task)
        files = await self.projects.workflow_files(task.project or "", branch)
        if not files:
            return Resolved(workflow=workflow)
        return await asyncio.to_thread(with_project, workflow.name, files, self.services.catalog())

    async def close(self) -> None:
        if self.hub:
            await self.hub.close()

    def _moment(self, task: Task, cause: str) -> Moment:
        leaves = bool(self.hub and task.project in self.hub.places)
        return replace(self.services.moment(task.request.channel, cause), leaves=leaves)


async def make_world(settings: Settings, services: Services, secret: bytes, console: str) -> World:
    """What jobs work with: the projects, or the sample where none is named, and the models that serve."""
    hub = make_hub(settings, services.redact)
    there = hub.places if hub else {}
    paths = {project.name: project.path or there.get(project.name) for project in settings.projects}
    if not paths:
        paths = {SAMPLE: await lay_out_sample(packaged_path("samples", "shortlinks"), settings.home)}
    fresh = hub.clones.recent if hub else None
    projects = GitProjects(paths, lambda channel: services.permissions.channel(channel).project, fresh, settings.home)
    catalog = await asyncio.to_thread(services.catalog)
    prompts = make_prompts(secret, projects, catalog, services.workflow, services.redact)
    chosen = await choose_models(settings.models.to_written(), settings.keys)
    scripts = await asyncio.to_thread(load_scripts)  # long to read, and people are served already
    panel = await asyncio.to_thread(
        load_specialists, packaged_path("policies", "specialists.yaml"), settings.specialists
    )
    rehearses, sites = chosen["primary"].models[0].rehearsal, _sites(settings, paths)
    config = _workshop_settings(settings, console, hub, rehearses=rehearses)
    workshop = make_workshop(services, prompts, sites, config)
    risk = settings.risk if settings.risk else await asyncio.to_thread(packaged_policy)
    return World(
        services=services,
        models=Models(
            chosen=chosen,
            prompts=prompts,
            clock=services.clock,
            limits=services.limits,
            policies=settings.retries,
            gateway=Gateway(scripts=scripts),
        ),
        calls=CallLog(services.database, services.clock, settings.budgets, lambda task: task.money.budget),
        projects=projects,
        specialists=panel,
        workshop=workshop,
        risk=risk,
        hub=hub,
        sample="" if settings.projects else str(paths[SAMPLE]),
        rehearses=rehearses,
        offers=tuple(request for request, _ in rehearsed_requests(scripts)) if rehearses else (),
    )


def _workshop_settings(settings: Settings, console: str, hub: Hub | None, *, rehearses: bool) -> WorkshopSettings:
    return WorkshopSettings(
        home=settings.home,
        sandbox=settings.sandbox,
        console=console,
        hub=hub,
        rehearses=rehearses,
        packages=settings.packages,
    )


def make_prompts(
    secret: bytes,
    projects: GitProjects,
    catalog: Catalog,
    workflow_of: Callable[[Task], Workflow],
    redact: Redact = str,
) -> Prompts:
    """With what the roles say about them, and the step of a task's workflow that plans."""

    def room(task: Task) -> int:
        plan = workflow_of(task).plan
        return catalog.context(plan.role, plan.context_scope).files_room

    def words(persona: str) -> str:
        return catalog.role(persona).additions

    adds = Adds(room=room, words=words, read=projects.read, redact=redact)
    return Prompts(secret, files=projects.files, templates=projects.templates, adds=adds)


def _sites(settings: Settings, paths: Mapping[str, Path | None]) -> dict[str, Site]:
    """Projects that are here, with what is set about their work."""
    known = {project.name: project for project in settings.projects}
    plain = Site(path=Path(), commands=GateCommands())
    sites = {
        name: replace(plain, commands=p.gates, skills=p.skills, environment=p.environment, secrets=p.secrets)
        for name, p in known.items()
    }
    plain = replace(plain, measured=False)  # the sample comes with the program, and its checks are known to pass
    return {name: replace(sites.get(name, plain), path=path) for name, path in paths.items() if path is not None}
