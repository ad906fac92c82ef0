"""What minions, gates and the forge work with: folders, a sandbox, artefacts, GitHub. Made once, shared by all jobs."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from agents.catalog.models import packaged_engines
from agents.catalog.policies import packaged_hosts
from agents.catalog.skills import packaged_skills, read_skills
from agents.domain.checks.evaluation import GateCommands
from agents.domain.models.failure import POLICIES, RetryPolicy
from agents.domain.project.environment import WrittenEnvironment
from agents.domain.project.packages import PackageHosts
from agents.domain.skills.skill import Skill
from agents.domain.text.redact import Redact
from agents.domain.work.dispatching import branch_of
from agents.domain.workflow.roles import Base, EngineName, Role
from agents.llm.personas.role_words import instructions
from agents.llm.prompts import Prompts
from agents.llm.tokens import Tokens
from agents.minions.by_role import PROGRAMS, EngineMinions
from agents.minions.code_reader import CodeTalks, ListFiles
from agents.minions.engines import EngineServices, HandIn, NotesOf, ProgramServices, RoleWords, no_notes
from agents.minions.engines.cli.errands import ProgramAnswers
from agents.minions.engines.cli.starting import remove_leftovers
from agents.minions.pack import Packer, WorkPacks
from agents.minions.reading import Counts
from agents.ports import AskProgram, Brief, Checkout, CodeReader, Forge, Issues, Lender, Minions, Talker, Workspace
from agents.workspace.environments.grounds import GroundSite, GroundTools, ProjectGrounds
from agents.workspace.environments.tree_environment import environment
from agents.workspace.files.artefacts import FileArtefacts, file_name
from agents.workspace.files.safe_open import Tree
from agents.workspace.forge.github import GitHubForge
from agents.workspace.forge.github_api import GitHubApi
from agents.workspace.forge.issue_intake import GitHubIntake, IssueDesk, NoIssues
from agents.workspace.forge.local import Forges, LocalForge, Place
from agents.workspace.forge.remotes import Clones, Pushing, Remote, owner_and_name
from agents.workspace.forge.sample import SampleForge
from agents.workspace.gates import detect
from agents.workspace.gates.gate_runner import GateTools
from agents.workspace.gates.judge import GateConfig, SandboxGates
from agents.workspace.gates.ways import ways_of
from agents.workspace.git.checkouts import GitCheckouts, always_fresh, copy_of
from agents.workspace.git.leftovers import leftovers
from agents.workspace.git.objects import committed_files, of_checkout
from agents.workspace.programs.finding import Programs
from agents.workspace.projects import SAMPLE
from agents.workspace.sandbox.sandbox_choice import ChosenSandbox
from agents.workspace.sandbox.walls import CLI, MINION, NOBODY
from agents.workspace.skill_files import Shelf
from bot.config.settings import Settings
from bot.running.looks.blind_look import BlindLook
from bot.running.looks.first_look import FirstLook
from bot.services import Services
from store.running.port_adapters import PullLog, TurnLog
from store.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """`places`: where the clone of each project is. Nobody works in it; it stands for the user's own repository."""

    api: GitHubApi
    places: Mapping[str, Path]
    clones: Clones
    forge: GitHubForge
    intake: GitHubIntake
    issues: IssueDesk

    async def close(self) -> None:
        await self.api.close()


def make_hub(settings: Settings, redact: Redact) -> Hub | None:
    """None where no project is on GitHub, or there is no token for it."""
    remotes = on_github(settings)
    if settings.github.token is None or not remotes:
        return None
    api = GitHubApi(settings.github.api_url, settings.github.token)
    places = {project: settings.home / "clones" / f"{file_name(project)}.git" for project in remotes}
    clones = {project: replace(remote, commits=places[project]) for project, remote in remotes.items()}
    forge = GitHubForge(api, remotes, redact)
    return Hub(
        api=api,
        places=places,
        clones=Clones(clones, Pushing(api.url, api.token)),
        forge=forge,
        intake=GitHubIntake(api, remotes, settings.github.label),
        issues=IssueDesk(api, forge, settings.github.label),
    )


def on_github(settings: Settings) -> dict[str, Remote]:
    """Projects whose url is one of this GitHub; minions' commits are pushed from our own copy."""
    named = {project.name: owner_and_name(project.url, settings.github.api_url) for project in settings.projects}
    return {
        project: Remote(owner=found[0], name=found[1], commits=copy_of(settings.home, project))
        for project, found in named.items()
        if found
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    services: Services
    prompts: Prompts
    sandbox: ChosenSandbox
    checkouts: GitCheckouts
    gates: SandboxGates
    grounds: ProjectGrounds
    forge: Forge
    issues: Issues
    artefacts: FileArtefacts
    packs: WorkPacks
    counts: Counts
    sites: Mapping[str, "Site"]
    programs: Programs
    retries: Mapping[str, RetryPolicy]
    notes_of: NotesOf = no_notes

    async def tidy(self) -> None:
        """Get ready, and remove what a kill left behind of work that is over."""
        await asyncio.to_thread(self.counts, "")  # its list of words is slow to load
        wanted = await self.services.database.read(_wanted)
        await self.checkouts.sweep(wanted)
        await self.gates.sweep()
        await self.grounds.tidy()
        await self.artefacts.move_old()
        await asyncio.to_thread(remove_leftovers)

    def minions(self, talker: Talker, window: int, lender: Lender) -> Minions:
        """For one job: a talker and a lender pay for one. `window`: tokens that its model takes."""
        catalog = self.services.catalog()
        programs = ProgramServices(find=self.programs.find, lender=lender, profile=CLI, policy=self._policy)
        engine = replace(
            self._engine(talker, window),
            programs=programs,
            role_of=lambda name: catalog.role_for(name, Base.IMPLEMENTER),
        )
        return EngineMinions(services=engine)

    def _policy(self, name: str) -> RetryPolicy:
        """As it is written now; a task may keep a workflow whose own policy is gone since."""
        return self.retries.get(name, self.retries["default"]).under(self.services.limits)

    def reader(self, talker: Talker, window: int, list_files: ListFiles) -> CodeReader:
        """The same for a question about the code."""
        return CodeTalks(services=self._engine(talker, window), lend=self.checkouts.lend, list_files=list_files)

    def answers(self) -> AskProgram:
        """Programs that plan and judge, for all jobs."""

        def flags(persona: str, engine: str) -> Sequence[str]:
            role = self.services.catalog().roles.get(persona)
            return role.flags if role and role.engine == engine else ()

        return ProgramAnswers(
            programs={cli.name.value: cli for cli in PROGRAMS},
            find=self.programs.find,
            sandbox=self.sandbox,
            profile=CLI,
            lend=self.checkouts.lend,
            render=self.prompts.text,
            flags=flags,
        )

    def _hand_in(self, brief: Brief) -> HandIn:
        if brief.checkout.blind:
            return BlindLook(self.checkouts, self.gates, self.sandbox, brief)
        return FirstLook(self.checkouts, self.gates, brief)

    def _engine(self, talker: Talker, window: int) -> EngineServices:
        async def takes() -> int:
            return window

        return EngineServices(
            window=window,
            talker=talker,
            sandbox=self.sandbox,
            profile=MINION,
            turns=TurnLog(self.services.database, self.services.clock),
            limits=self.services.limits,
            files=Tree,
            render=self.prompts.text,
            pack=self.packs.bounded_by(takes).for_work,
            skills_of=self.packs.skills_for,
            hand_in=self._hand_in,
            redact=self.services.redact,
            role_of=self.services.catalog().role,
            notes_of=self.notes_of,
            words_of=self._words_of,
        )

    def _words_of(self, role: Role) -> RoleWords:
        return RoleWords(instructions=instructions(role, self.services.catalog().prompts), guidance=role.guidance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A project as its work needs it."""

    path: Path  # the user's own repository
    commands: GateCommands
    skills: str = ".overlord/skills"
    measured: bool = True  # whether its checks are tried before any work
    environment: WrittenEnvironment = field(default_factory=WrittenEnvironment)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # of its set-up


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkshopSettings:
    """Where the workshop stands."""

    home: Path
    sandbox: str  # which one is wanted
    console: str  # its address
    hub: Hub | None = None  # GitHub, for the sites that are there
    rehearses: bool = False  # the offline model plays: each request on the sample starts from its first commit
    packages: PackageHosts | None = None  # hosts that set-up may reach; None: as they come with the program
    engines: Mapping[EngineName, str] = field(default_factory=dict)  # where a program is that is not to be searched
    retries: Mapping[str, RetryPolicy] = field(default_factory=lambda: POLICIES)


def make_workshop(
    services: Services, prompts: Prompts, sites: Mapping[str, Site], config: WorkshopSettings
) -> Workshop:
    home, hub = config.home, config.hub
    redact: Redact = services.redact
    artefacts, sandbox = FileArtefacts(home, redact), ChosenSandbox(config.sandbox)
    checkouts = GitCheckouts(
        {name: site.path for name, site in sites.items()},
        home,
        lambda *of: furnish(*of),  # it needs the checkouts itself
        fresh=hub.clones.refresh if hub else always_fresh,
        owner=NOBODY if os.geteuid() == 0 else None,
    )
    grounds = make_grounds(sites, checkouts, config, GroundTools(sandbox=sandbox, artefacts=artefacts))
    furnish = Furnisher(sites=sites, checkouts=checkouts, grounds=grounds)
    counts = Counts(Tokens(), home / "token-counts")
    packer = Packer(open_tree=Tree, list_files=of_checkout, counts=counts, redact=redact)
    return Workshop(
        services=services,
        prompts=prompts,
        sandbox=sandbox,
        checkouts=checkouts,
        gates=SandboxGates(
            make_gate_configs(sites, checkouts),
            home,
            GateTools(sandbox=sandbox, artefacts=artefacts, redact=redact),
            lambda role: services.catalog().role(role).gates,
            grounds.attach,
        ),
        grounds=grounds,
        forge=_forges(services, sites, checkouts, config),
        issues=hub.issues if hub else NoIssues(),
        artefacts=artefacts,
        packs=WorkPacks(packer, checkouts, lambda *of: services.catalog().context(*of), partial(_read_skills, sites)),
        counts=counts,
        sites=sites,
        programs=Programs(home=home, known=packaged_engines(), paths=config.engines),
        retries=config.retries,
    )


def make_gate_configs(sites: Mapping[str, Site], checkouts: GitCheckouts) -> dict[str, GateConfig]:
    return {
        name: GateConfig(
            repository=checkouts.repository(name),
            commands=site.commands,
            checkout=site.path,
            measured=site.measured,
            shelf=Shelf(folder=site.skills, read=partial(_read_for_gates, name), packaged=packaged_skills().skills),
        )
        for name, site in sites.items()
    }


def _forges(services: Services, sites: Mapping[str, Site], checkouts: GitCheckouts, config: WorkshopSettings) -> Forges:
    """Each project is handed over where it is."""
    far = dict[str, Forge](dict.fromkeys(config.hub.places, config.hub.forge)) if config.hub else {}
    near = {name: site for name, site in sites.items() if name not in far}
    make = SampleForge if config.rehearses and list(near) == [SAMPLE] else LocalForge
    local = make(
        {name: Place(repository=site.path, commits=checkouts.repository(name)) for name, site in near.items()},
        PullLog(services.database, services.clock),
        services.redact,
        lambda project, number: f"{config.console}/pulls/{project}/{number}",
    )
    return Forges({**dict.fromkeys(near, local), **far})


def _wanted(tx: Transaction) -> set[tuple[str, str]]:
    """Branches whose folders somebody goes on with, or is about to make: another process may be at it."""
    tasks = tx.log.tasks(ended=False)
    return {(task.project or "", branch_of(task, work)) for task in tasks for work in task.work.subtasks}


def make_grounds(
    sites: Mapping[str, Site], checkouts: GitCheckouts, config: WorkshopSettings, tools: GroundTools
) -> ProjectGrounds:
    known = {
        name: GroundSite(
            repository=checkouts.repository(name),
            checkout=site.path,
            written=site.environment,
            secrets=site.secrets,
            venv=site.commands.environment,
        )
        for name, site in sites.items()
    }
    shipped = packaged_hosts()
    return ProjectGrounds(known, config.home, replace(tools, hosts=config.packages or shipped, shipped=shipped))


@dataclass(frozen=True, slots=True, kw_only=True)
class Furnisher:
    """What a minion's commands find: the same programs and files as the gates that will judge them."""

    sites: Mapping[str, Site]
    checkouts: GitCheckouts
    grounds: ProjectGrounds

    async def __call__(self, project: str, base: str, folder: Path) -> Workspace:
        site, attached = self.sites[project], await self.grounds.attach(project, base)
        await asyncio.to_thread(attached.furnish, folder)
        look = await detect.look(self.checkouts.repository(project), base)
        copied = [path for _, path in attached.copies]
        await asyncio.to_thread(self.checkouts.ignore, project, copied, leftovers(look.paths))
        around = await asyncio.to_thread(environment, site.path, site.commands, None, attached)
        return replace(around.workspace_for(folder), ways=ways_of(look, site.commands, around))


def _read_for_gates(
    project: str, files: Mapping[str, bytes]
) -> tuple[Sequence[Skill], Sequence[tuple[str, Sequence[str]]]]:
    found = read_skills(files, project)
    return found.skills, [(each.path, each.problems) for each in found.broken]


async def _read_skills(sites: Mapping[str, Site], checkout: Checkout) -> Sequence[Skill]:
    """The project's own, as committed, win over ours."""
    assert checkout.workspace.git is not None
    files = await committed_files(checkout.workspace.git, sites[checkout.project].skills, checkout.base)
    return (await asyncio.to_thread(lambda: read_skills(files, checkout.project).over(packaged_skills()))).skills
