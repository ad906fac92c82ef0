"""The world as one job sees it: its log, its models with the money they cost, and the projects."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from agents.catalog.library import Catalog, with_asked_role
from agents.catalog.models import PROGRAMS, load_learning, load_questions, load_scripts, rehearsed_requests
from agents.catalog.policies import load_specialists, packaged_policy, packaged_principles
from agents.catalog.project_workflows import with_project
from agents.domain.checks.evaluation import GateCommands
from agents.domain.checks.risk import RiskPolicy, risk_of
from agents.domain.context.papers import matching
from agents.domain.decisions.kind import Moment
from agents.domain.metrics.adaptive import Adaptive
from agents.domain.models.routing import Model, Served, by_program, describe_models, with_named
from agents.domain.task.task import Task
from agents.domain.workflow.roles import EngineName
from agents.domain.workflow.workflow import Resolved, Workflow
from agents.knowledge.repository_notes import RepositoryNotes
from agents.llm.choice import choose_models, lacking, try_all
from agents.llm.client import JobLlm, Models, Notices
from agents.llm.gateway import Gateway
from agents.llm.personas.role_words import with_guidance
from agents.llm.prompts import Adds, Prompts
from agents.llm.relay.lender import Lendings
from agents.llm.relay.program_models import ProgramModels
from agents.llm.rendering import Fence
from agents.llm.tokens import Tokens
from agents.minions.engines import WINDOW
from agents.ports import NO_KNOWLEDGE, CallBook, Knowledge, Lender, Ports, Projects, Specialist
from agents.workspace.projects import SAMPLE, GitProjects, lay_out_sample
from bot.cards.reasons import lacks_in_words
from bot.cards.work import outside
from bot.config.settings import Settings
from bot.intake.engine_choices import read_choices
from bot.running.catalogs.project_catalogs import ProjectCatalogs
from bot.running.skill_shelf import ProjectShelves
from bot.running.workshop import Hub, Site, Workshop, WorkshopSettings, make_hub, make_workshop
from bot.services import Services
from manifests import packaged_path
from store.running.jobs import Job
from store.running.port_adapters import CallLog, JobLog, StepRetries

log = logging.getLogger("overlord.models")
NOTHING_MORE = Adds()
READING = ("work", "answer", "decompose", "review")  # flows whose models talk with tools
BY_ROLES = (*READING, "run_step", "check_edit")  # flows in which somebody works as a role


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
    catalogs: ProjectCatalogs
    knowledge: Knowledge = NO_KNOWLEDGE
    lent: Mapping[EngineName, Model] = field(default_factory=dict)  # to engines that are programs of others
    hub: Hub | None = None  # GitHub, for the projects that are there
    sample: str = ""  # its folder, where nobody named a project
    rehearses: bool = False  # no model serves but the offline one
    offers: tuple[str, ...] = ()  # requests to begin with, where only those can be answered

    def _lender(self, job: Job, notices: Notices) -> Lender:
        return Lendings(prices=self.models.gateway, calls=self.calls, job=job.id, models=self.lent, notices=notices)

    @property
    def serves(self) -> str:
        """Which models, for what, and why."""
        return describe_models(self.models.chosen)

    async def ports(self, job: Job) -> Ports:
        if job.flow in BY_ROLES:
            await self._enter(await self.services.database.read(lambda tx: tx.log.task(job.task)))
        window = await self.models.window("primary") if job.flow in READING else None
        notices = Notices()
        store = JobLog(self.services.database, job, self._moment, also=notices.facts)
        lender = self._lender(job, notices)
        llm = JobLlm(models=self.models, job=job.id, calls=self.calls, notices=notices, note=store.note, lender=lender)
        return Ports(
            store=store,
            projects=self.projects,
            llm=llm,
            specialists=self.specialists,
            limits=self.services.limits,
            checkouts=self.workshop.checkouts,
            minions=self.workshop.minions(llm, window or WINDOW, lender),
            reader=self.workshop.reader(llm, window or WINDOW, self.projects.files),
            gates=self.workshop.gates,
            grounds=self.workshop.grounds,
            forge=self.workshop.forge,
            texts=outside,
            issues=self.workshop.issues,
            artefacts=self.workshop.artefacts,
            skills=ProjectShelves(sites=self.workshop.sites),
            packs=self.workshop.packs.bounded_by(partial(self.models.window, "primary")),
            retries=StepRetries(
                self.services.database, self.services.clock, self.models.policies, self.services.limits, job
            ),
            live=self.services.show,
            risk=lambda changes, coverage: risk_of(changes, coverage, self.risk),
            identity_of=self.services.identity_of,
            workflow=self.services.workflow,
            worker_roles=self.services.catalog().worker_roles,
            unfit=self.services.catalog().unfit,
            gates_of=self.services.catalog().gates_of,
            principles=packaged_principles(),
            knowledge=self.knowledge,
            resolve=self.resolve_workflow,
        )

    async def _enter(self, task: Task) -> tuple[str, ...]:
        """With the engines that were chosen for roles, as far as they can run here."""
        adaptive = self.services.adaptive
        if not adaptive.enabled:
            return await self.catalogs.enter(task)
        chosen = await self.services.database.read(read_choices)
        here = await asyncio.to_thread(self.engines_here)
        engines = {role: each.engine for role, each in chosen.items() if not each.undone and each.engine in here}
        return await self.catalogs.enter(task, {**engines, **adaptive.locked_assignments})

    def engines_here(self) -> frozenset[EngineName]:
        """That can run: installed, and with a model to ask."""
        return frozenset({EngineName.BUILTIN, *(each for each in self.lent if self.workshop.programs.has(each))})

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
        told = await self._enter(task)
        workflow = self.services.workflow(task)
        files = await self.projects.workflow_files(task.project or "", branch)
        if not files:
            return Resolved(workflow=workflow, left_out=told)
        catalog = self.services.catalog()
        found = await asyncio.to_thread(with_project, workflow.name, files, catalog)
        workflow = with_asked_role(found.workflow, catalog, task.request.role)
        return Resolved(workflow=workflow, left_out=(*told, *found.left_out))

    async def close(self) -> None:
        if self.hub:
            await self.hub.close()

    def _moment(self, task: Task, cause: str) -> Moment:
        leaves = bool(self.hub and task.project in self.hub.places)
        return replace(self.services.moment(task.request.channel, cause), leaves=leaves)


async def make_world(settings: Settings, services: Services, secret: bytes, console: str) -> World:
    """What jobs work with: the projects, or the sample where none is named, and the models that serve."""
    hub = make_hub(settings, services.redact)
    paths = {each.name: each.path or (hub.places if hub else {}).get(each.name) for each in settings.projects}
    if not paths:
        paths = {SAMPLE: await lay_out_sample(packaged_path("samples", "shortlinks"), settings.home)}
    fresh = hub.clones.recent if hub else None
    projects = GitProjects(paths, lambda channel: services.permissions.channel(channel).project, fresh, settings.home)
    knowledge = RepositoryNotes(projects.branch_tip, projects.knowledge_files, services.redact, Tokens())
    adds = Adds(redact=services.redact, notes=knowledge.choose)
    catalog = await asyncio.to_thread(services.catalog)
    catalogs = ProjectCatalogs(usual=services.catalog, projects=projects)
    services = replace(services, catalog=catalogs.now)
    prompts = make_prompts(secret, projects, services.catalog, services.workflow, adds)
    lent = await asyncio.to_thread(settings.engines.models, settings.keys)
    named = {**models_to_choose(settings.adaptive, lent), **catalog.models}
    chosen = with_named(await choose_models(settings.models.to_written(), settings.keys), named)
    scripts = await asyncio.to_thread(load_scripts)  # long to read, and people are served already
    known = packaged_path("policies", "specialists.yaml")
    panel = await asyncio.to_thread(load_specialists, known, settings.specialists)
    rehearses, sites = chosen["primary"].models[0].rehearsal, _sites(settings, paths)
    config = _workshop_settings(settings, console, hub, rehearses=rehearses)
    workshop = replace(make_workshop(services, prompts, sites, config), notes_of=knowledge.all_notes)
    risk = settings.risk if settings.risk else await asyncio.to_thread(packaged_policy)
    return World(
        services=services,
        models=_models(settings, services, prompts, chosen, _gateway(scripts, workshop, lent)),
        calls=CallLog(services.database, services.clock, settings.budgets, lambda task: task.money.budget),
        projects=projects,
        specialists=panel,
        workshop=workshop,
        risk=risk,
        knowledge=knowledge,
        lent=lent,
        catalogs=catalogs,
        hub=hub,
        sample="" if settings.projects else str(paths[SAMPLE]),
        rehearses=rehearses,
        offers=_offers(scripts) if rehearses else (),
    )


def _offers(scripts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A request first, then a question: there are both."""
    first, *others = (request for request, _ in rehearsed_requests(scripts))
    return (first, *(str(each["request"]) for each in load_questions()), *others)


def _gateway(scripts: Sequence[Mapping[str, Any]], workshop: Workshop, lent: Mapping[EngineName, Model]) -> Gateway:
    """To models of providers, to those that a program asks, and to the one that plays."""
    programs = ProgramModels(ask=workshop.answers(), names=PROGRAMS, models=lent)
    return Gateway(scripts=(*scripts, *load_learning(), *load_questions()), programs=programs)


def models_to_choose(adaptive: Adaptive, lent: Collection[EngineName]) -> dict[str, str]:
    """What planners and reviewers ask on an engine that success, or a lock, may give them."""
    engines = {*lent, *adaptive.locked_assignments.values()} - {EngineName.BUILTIN} if adaptive.enabled else set()
    return {by_program(engine, ""): "of whoever does best on it" for engine in sorted(engines)}


def _models(
    settings: Settings, services: Services, prompts: Prompts, chosen: Mapping[str, Served], gateway: Gateway
) -> Models:
    return Models(
        chosen=chosen,
        model_of=lambda persona: services.catalog().model_of(persona),
        prompts=prompts,
        clock=services.clock,
        limits=services.limits,
        policies=settings.retries,
        gateway=gateway,
    )


def _workshop_settings(settings: Settings, console: str, hub: Hub | None, *, rehearses: bool) -> WorkshopSettings:
    return WorkshopSettings(
        home=settings.home,
        sandbox=settings.sandbox,
        console=console,
        hub=hub,
        rehearses=rehearses,
        packages=settings.packages,
        engines=settings.engines.paths,
        retries=settings.retries,
    )


def make_prompts(
    secret: bytes,
    projects: GitProjects,
    catalog: Callable[[], Catalog],
    workflow_of: Callable[[Task], Workflow],
    adds: Adds = NOTHING_MORE,
) -> Prompts:
    """With what the roles say about them, and the step of a task's workflow that plans."""

    def room(task: Task) -> int:
        plan = workflow_of(task).plan
        return catalog().context(plan.role, plan.context_scope).files_room

    def words(persona: str, fence: Fence) -> str:
        return with_guidance(catalog().role(persona), catalog().prompts, fence)

    def by_name(task: Task, files: Sequence[str]) -> Sequence[str]:
        plan = workflow_of(task).plan
        return matching(catalog().context(plan.role, plan.context_scope), files)

    adds = replace(adds, room=room, words=words, wanted=by_name, read=projects.read)
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
