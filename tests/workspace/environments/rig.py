"""A project with its grounds: a real repository, a real sandbox, and an index on loopback."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.domain.checks.evaluation import GateCommands
from agents.domain.project.environment import WrittenEnvironment
from agents.domain.project.packages import PackageHosts
from agents.ports import EndedBy, Ran, Sandbox
from agents.workspace.environments.grounds import GroundSite, GroundTools, ProjectGrounds
from agents.workspace.environments.registries import Sources, read_sources
from agents.workspace.environments.tree_environment import environment
from agents.workspace.files.artefacts import FileArtefacts
from agents.workspace.git import objects
from agents.workspace.git.clean_checkout import CleanCheckout
from agents.workspace.sandbox.walls import GATE
from tests.conformance.sandbox_rig import RIGS
from tests.workspace.repositories import bare, git, somebodys


@dataclass(slots=True, kw_only=True)
class Rig:
    home: Path  # the state folder
    user: Path
    commit: str
    grounds: ProjectGrounds
    artefacts: FileArtefacts
    sandbox: Sandbox
    name: str = "shop"

    async def set_up(self) -> str:
        """What went wrong; empty if nothing did."""
        ended = await self.grounds.set_up(self.name, self.commit)
        return f"{ended.problem}. {ended.next_step}" if ended.problem else ""

    async def log(self) -> str:
        found = await self.grounds.find(self.name, self.commit)
        return await self.artefacts.read(f"setup-{self.name}-{found.key[:12]}") or ""

    async def run(self, *command: str) -> Ran:
        """Offline, in a fresh tree of the commit, as gates run their commands."""
        attached = await self.grounds.attach(self.name, self.commit)
        around = environment(self.user, GateCommands(), attached=attached)
        repository = self.home / "repos" / f"{self.name}.git"
        wanted = list((await objects.entries(repository, self.commit)).values())
        async with CleanCheckout(self.home / "gates").write_tree(repository, wanted) as folder:
            around.furnish(folder)
            return await self.sandbox.once(around.workspace_for(folder), GATE, command)

    async def says(self, *command: str) -> str:
        ran = await self.run(*command)
        assert ran.ended_by is EndedBy.EXIT
        assert ran.exit_code == 0, ran.output
        return ran.output.strip()


@dataclass(slots=True, kw_only=True)
class Wish:
    """How a project and its machine are to be."""

    files: Mapping[str, str]
    written: WrittenEnvironment = field(default_factory=WrittenEnvironment)
    environ: Mapping[str, str] = field(default_factory=dict)  # of the operator
    secrets: Mapping[str, str] = field(default_factory=dict)
    hosts: PackageHosts = field(default_factory=dict)
    tag: str = ""
    sandbox: str = "bubblewrap"
    ignored: Mapping[str, str] = field(default_factory=dict)  # files of the user's folder that no commit holds
    sources: Callable[[], Sources] | None = None  # None: of a user who configured nothing but `environ`
    shipped: PackageHosts = field(default_factory=dict)


def make(tmp_path: Path, wish: Wish, name: str = "shop") -> Rig:
    user = somebodys(tmp_path / name, wish.files)
    for path, text in wish.ignored.items():
        (user / path).parent.mkdir(parents=True, exist_ok=True)
        (user / path).write_text(text)
    if wish.tag:
        git(user, "tag", wish.tag)
    home = tmp_path / "home"
    (home / "repos").mkdir(parents=True, exist_ok=True)
    repository = bare(user, home / "repos" / f"{name}.git")
    sandbox = RIGS[wish.sandbox]()
    artefacts = FileArtefacts(home)

    async def found() -> Sandbox:
        return sandbox

    def sources() -> Sources:
        return read_sources(wish.environ, tmp_path / "nobody", tmp_path / "no-etc")

    tools = GroundTools(
        sandbox=found, artefacts=artefacts, hosts=wish.hosts, shipped=wish.shipped, sources=wish.sources or sources
    )
    site = GroundSite(repository=repository, checkout=user, written=wish.written, secrets=wish.secrets)
    grounds = ProjectGrounds({name: site}, home, tools)
    return Rig(
        home=home, user=user, commit=git(user, "rev-parse", "HEAD"), grounds=grounds, artefacts=artefacts,
        sandbox=sandbox, name=name,
    )  # fmt: skip
