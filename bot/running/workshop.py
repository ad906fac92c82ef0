"""What minions, gates and the forge work with: folders, a sandbox, artefacts. Made once, shared by all jobs."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from agents.catalog.skills import Skills, packaged_skills, read_skills
from agents.domain.checks.gates import GateCommands
from agents.domain.context.packing import Delta, ReviewPack
from agents.domain.learning.skill import Skill, suggested
from agents.domain.task.pull_report import plan_text
from agents.domain.task.task import Task
from agents.domain.text.redact import Redact
from agents.domain.work.dispatching import branch_of
from agents.domain.work.work import Ending, Work
from agents.llm.prompts import Prompts
from agents.llm.tokens import Tokens
from agents.minions.builtin import BuiltIn
from agents.minions.counts import Counts
from agents.minions.pack import Packer
from agents.ports import (
    Brief,
    Checkout,
    Forge,
    GaveUp,
    Issues,
    Listener,
    Minions,
    Outcome,
    Profile,
    Ran,
    Room,
    Sandbox,
    Show,
    Talker,
    Trial,
    Watch,
    Workspace,
    unseen,
)
from agents.ports.recent import Recent
from agents.workspace.files.artefacts import FileArtefacts
from agents.workspace.files.beneath import Tree
from agents.workspace.forge.choice import Forges
from agents.workspace.forge.local import LocalForge, Place
from agents.workspace.gates.bench import Means
from agents.workspace.gates.environment import environment
from agents.workspace.gates.judge import SandboxGates, Yardstick
from agents.workspace.git.checkouts import Environment, GitCheckouts, always_fresh
from agents.workspace.git.listing import of_checkout
from agents.workspace.sandbox import choice
from agents.workspace.sandbox.walls.errors import SandboxUnusable
from agents.workspace.sandbox.walls.profile import MINION
from agents.workspace.sandbox.walls.tools import NOBODY
from agents.workspace.skills import committed_files
from bot.running.github import Hub, NoIssues
from bot.services import Office
from store.books import Books
from store.running.pull_log import PullLog
from store.running.turns import TurnLog

SKILLS_KEPT = 16  # commits whose skills are kept ready


class LateSandbox:
    """Implements agents.ports.Sandbox: the first whose walls all hold when they are tried (C28)."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self._trial: asyncio.Task[Sandbox] | None = None

    @property
    def name(self) -> str:
        trial = self._trial
        return trial.result().name if trial and trial.done() and not trial.exception() else "no sandbox yet"

    async def tried(self) -> Sandbox:
        """Raises SandboxUnusable. What did not hold is tried again when it is next needed: it may be there by then."""
        if self._trial is None or (self._trial.done() and self._trial.exception()):
            self._trial = asyncio.create_task(self._try())
        return await asyncio.shield(self._trial)

    async def _try(self) -> Sandbox:
        return await choice.tried(self._wanted)

    @asynccontextmanager
    async def open(self, workspace: Workspace, profile: Profile) -> AsyncIterator[Room]:
        async with (await self.tried()).open(workspace, profile) as room:
            yield room

    async def once(
        self,
        workspace: Workspace,
        profile: Profile,
        command: Sequence[str],
        on_output: Listener | None = None,
    ) -> Ran:
        return await (await self.tried()).once(workspace, profile, command, on_output)


@dataclass(frozen=True, slots=True)
class Caged:
    """Implements agents.ports.Minions: without a sandbox that holds, none is let loose (C28, M229)."""

    inner: BuiltIn
    sandbox: LateSandbox

    @property
    def name(self) -> str:
        return self.inner.name

    async def prepare(self) -> None:
        """Try the sandbox's walls: done while people make up their minds, and not at each start of the program."""
        with suppress(SandboxUnusable):
            await self.sandbox.tried()

    async def run(self, brief: Brief, watch: Watch, show: Show = unseen) -> Outcome:
        try:
            await self.sandbox.tried()
        except SandboxUnusable as problem:
            return GaveUp(ending=Ending.NO_SANDBOX, problem=f"{problem.what}. {problem.next_step}")
        return await self.inner.run(brief, watch, show)


@dataclass(frozen=True, slots=True)
class Discreet:
    """Implements agents.ports.Artefacts: what is kept holds no secret that we know the shape of (P23)."""

    inner: FileArtefacts
    redact: Redact

    async def keep(self, name: str, text: str) -> str:
        return await self.inner.keep(name, await asyncio.to_thread(self.redact, text))

    async def read(self, name: str) -> str | None:
        return await self.inner.read(name)

    async def move_old(self) -> int:
        return await self.inner.move_old()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    office: Office
    prompts: Prompts
    sandbox: LateSandbox
    checkouts: GitCheckouts
    gates: SandboxGates
    forge: Forge
    issues: Issues
    artefacts: Discreet
    turns: TurnLog
    packer: Packer
    counts: Counts
    sites: Mapping[str, "Site"]
    skills: Recent[tuple[str, str], Sequence[Skill]] = field(default_factory=lambda: Recent(SKILLS_KEPT))

    async def tidy(self) -> None:
        """Get ready, and remove what a kill left behind of work that is over."""
        await asyncio.to_thread(self.counts, "")  # its list of words is slow to load
        wanted = await self.office.database.read(_wanted)
        await self.checkouts.sweep(wanted)
        await self.gates.sweep()
        await self.artefacts.move_old()

    @property
    def copies(self) -> Sequence[Path]:
        """Bare repositories that nobody but us writes to."""
        return tuple(self.checkouts.repository(name) for name in self.sites)

    def yards(self, clones: Sequence[Path]) -> Iterator[tuple[str, Path, Path | None]]:
        """Each project with our copy of it and, where it is on this machine, a person's own repository."""
        for name, site in self.sites.items():
            yield name, self.checkouts.repository(name), None if site.path in clones else site.path

    def originals(self, clones: Sequence[Path]) -> Sequence[Path]:
        """People's own repositories, which work is brought to."""
        return tuple(site.path for site in self.sites.values() if site.path not in clones)

    def minions(self, talker: Talker, window: int) -> Minions:
        """For one job: a talker pays for one. `window`: tokens that its model takes."""
        return Caged(self._built_in(talker, window), self.sandbox)

    def _built_in(self, talker: Talker, window: int) -> BuiltIn:
        return BuiltIn(
            window=window,
            talker=talker,
            sandbox=self.sandbox,
            profile=MINION,
            turns=self.turns,
            limits=self.office.limits,
            files=Tree,
            render=self.prompts.text,
            pack=self._pack,
            skills_of=self._skills,
            trial_of=self._trial,
            refused_of=lambda brief: self.checkouts.refused(brief.checkout),
            redact=self.office.redact,
            role_of=self.office.catalog().role,
        )

    async def for_review(self, task: Task, work: Work, commit: str, role: str) -> ReviewPack:
        """Implements agents.ports.Packs."""
        project = task.project or ""
        diff, left = await self.checkouts.difference(project, work.base, commit)
        delta = Delta(
            plan=plan_text(task),
            before=work.base,
            after=commit,
            diff=diff,
            cut=left,
            changes=tuple(await self.checkouts.changes(project, work.base, commit)),
        )
        async with self.checkouts.lent(project, commit) as workspace:
            shown = Checkout(project=project, branch=work.branch, base=work.base, head=commit, workspace=workspace)
            return await self.packer.for_review(shown, delta, self.office.catalog().role(role).context)

    async def _pack(self, brief: Brief) -> str:
        role = self.office.catalog().role(brief.step.role)
        return await self.packer.for_work(brief.checkout, brief.subtask, role.context)

    async def _trial(self, brief: Brief) -> Trial | None:
        checkout = brief.checkout
        return await self.gates.trial(checkout.project, checkout.base, checkout.workspace.path)

    async def _skills(self, brief: Brief) -> Sequence[Skill]:
        """The project's own win over ours; what the subtask calls for comes first."""
        subtask, found = brief.subtask, await self._skills_at(brief.checkout)
        first = suggested(found, f"{brief.task.request} {subtask.title} {subtask.why}", subtask.files)
        return [*first, *(skill for skill in found if skill not in first)]

    async def _skills_at(self, checkout: Checkout) -> Sequence[Skill]:
        key = (checkout.project, checkout.base)
        if known := self.skills.get(key):
            return known
        assert checkout.workspace.git is not None
        folder = self.sites[checkout.project].skills
        files = await committed_files(checkout.workspace.git, folder, checkout.base)
        return self.skills.keep(key, (await asyncio.to_thread(_read_skills, files, checkout.project)).skills)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A project as its work needs it."""

    path: Path  # the user's own repository
    commands: GateCommands
    skills: str = ".overlord/skills"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Where the workshop stands."""

    home: Path
    sandbox: str  # which one is wanted
    console: str  # its address
    hub: Hub | None = None  # GitHub, for the sites that are there


def make_workshop(office: Office, prompts: Prompts, sites: Mapping[str, Site], ground: Ground) -> Workshop:
    home, hub = ground.home, ground.hub
    redact: Redact = office.redact
    artefacts, sandbox = Discreet(FileArtefacts(home), redact), LateSandbox(ground.sandbox)
    checkouts = GitCheckouts(
        {name: site.path for name, site in sites.items()},
        home,
        lambda name: _environment(sites[name]),
        fresh=hub.clones.refresh if hub else always_fresh,
        owner=NOBODY if os.geteuid() == 0 else None,
    )
    counts = Counts(Tokens(), home / "token-counts")
    return Workshop(
        office=office,
        prompts=prompts,
        sandbox=sandbox,
        checkouts=checkouts,
        gates=SandboxGates(
            _yardsticks(sites, checkouts),
            home,
            Means(sandbox=sandbox.tried, artefacts=artefacts, redact=redact),
            lambda role: office.catalog().role(role).gates,
        ),
        forge=_forges(office, sites, checkouts, ground),
        issues=hub.issues if hub else NoIssues(),
        artefacts=artefacts,
        turns=TurnLog(office.database, office.clock),
        packer=Packer(open_tree=Tree, list_files=of_checkout, counts=counts, redact=redact),
        counts=counts,
        sites=sites,
    )


def _yardsticks(sites: Mapping[str, Site], checkouts: GitCheckouts) -> dict[str, Yardstick]:
    return {
        name: Yardstick(repository=checkouts.repository(name), commands=site.commands, checkout=site.path)
        for name, site in sites.items()
    }


def _forges(office: Office, sites: Mapping[str, Site], checkouts: GitCheckouts, ground: Ground) -> Forges:
    """Each project is handed over where it is."""
    far = dict[str, Forge](dict.fromkeys(ground.hub.places, ground.hub.forge)) if ground.hub else {}
    near = {name: site for name, site in sites.items() if name not in far}
    local = LocalForge(
        {name: Place(repository=site.path, commits=checkouts.repository(name)) for name, site in near.items()},
        PullLog(office.database, office.clock),
        office.redact,
        lambda project, number: f"{ground.console}/pulls/{project}/{number}",
    )
    return Forges({**dict.fromkeys(near, local), **far})


def _wanted(books: Books) -> set[tuple[str, str]]:
    """Branches whose folders somebody goes on with, or is about to make: another process may be at it."""
    tasks = books.log.tasks(ended=False)
    return {(task.project or "", branch_of(task, work)) for task in tasks for work in task.works}


def _environment(site: Site) -> Environment:
    """What a minion's commands find: the same programs as the gates that will judge them."""
    shown = environment(site.path, site.commands).shown(Path(os.devnull))
    return Environment(readable=shown.readable, environ=shown.environ)


def _read_skills(files: Mapping[str, bytes], project: str) -> Skills:
    return read_skills(files, project).over(packaged_skills())
