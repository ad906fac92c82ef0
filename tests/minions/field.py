"""Where minions are tried: a real worktree of the sample project, the real sandbox, a real store, a scripted model."""

import shutil
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.limits import Limits
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.skills.skill import Skill
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish
from agents.domain.work.work import Work
from agents.llm.prompts import Prompts
from agents.minions.by_role import EngineMinions
from agents.minions.engines import EngineServices
from agents.ports import Brief, Checkout, Outcome, Profile, Progress, Sandbox, Talker, Trial, Turns, Workspace
from agents.workspace.files.safe_open import Tree
from agents.workspace.gates.rules import outside
from agents.workspace.git.putting_back import put_back
from agents.workspace.sandbox.walls import MB, MINION, toolchain
from bot.services import SystemClock
from manifests import packaged_path
from store.database import Database
from store.running.port_adapters import TurnLog
from tests.builders.wishes import wish
from tests.fakes.llm import ScriptedTalker
from tests.llm.rig import SECRET, files, task
from tests.sandbox.yard import bubblewrap, git

OFFLINE = replace(MINION, memory=512 * MB, processes=128, disk=64 * MB)
SUBTASK = Subtask(
    number=1, title="Store an expiry", why="others need it", kind=WorkKind.FEATURE,
    files=("shortlinks/store.py",), test="pytest passes",
)  # fmt: skip
_IS_DONE = {"summary": "It is done.", "handoff_note": "Nothing to know."}
DONE = [("task_complete", _IS_DONE)]
DONE_AND_BACK = [("task_complete", {**_IS_DONE, "put_back": True})]


def directory(*patterns: str) -> Scope:
    return Scope(mode=ScopeMode.DIRECTORY, patterns=patterns)


@dataclass(kw_only=True)
class Field:
    """One subtask's field. `run` plays a script on it from the beginning, or from where the last one stopped."""

    checkout: Checkout
    turns: Turns
    sandbox: Sandbox
    scope: Scope = field(default_factory=lambda: directory("shortlinks/**", "tests/**"))
    profile: Profile = OFFLINE
    limits: Limits = field(default_factory=Limits)
    skills: tuple[Skill, ...] = ()
    task: Task = field(default_factory=task)
    subtask: Subtask = SUBTASK
    attempt: int = 1
    window: int = 120_000
    trials: Sequence[Trial] = ()  # by which work is tried before it is taken
    refused: list[str] = field(default_factory=list)  # why it cannot be committed, each time that is asked
    watches_scope: bool = False  # files out of scope are found as the program finds them
    progress: list[Progress] = field(default_factory=list)
    heard: list[list[str]] = field(default_factory=list)  # what people say after each turn
    packs: int = 0

    @property
    def root(self) -> Path:
        return self.checkout.workspace.path

    def brief(self, **work: Any) -> Brief:
        rest = {name: work.pop(name) for name in ("since", "notes", "interrupted") if name in work}
        made = Work(number=self.subtask.number, **{"attempt": self.attempt, "scope": self.scope, **work})
        return Brief(task=self.task, subtask=self.subtask, work=made, checkout=self.checkout, **rest)

    def engine(self, talker: Talker, **changes: Any) -> EngineMinions:
        return EngineMinions(services=self.services(talker, **changes))

    def services(self, talker: Talker, **changes: Any) -> EngineServices:
        """As the program gives them to an engine."""

        async def sandbox() -> Sandbox:
            return self.sandbox

        async def pack(brief: Brief) -> str:
            self.packs += 1
            return f"pack {self.packs}: shortlinks/store.py"

        async def skills_of(checkout: Checkout) -> Sequence[Skill]:
            return self.skills

        given: dict[str, Any] = {
            "talker": talker,
            "sandbox": sandbox,
            "profile": self.profile,
            "turns": self.turns,
            "limits": self.limits,
            "files": Tree,
            "render": Prompts(SECRET, files=files).text,
            "pack": pack,
            "skills_of": skills_of,
            "hand_in": lambda brief: FieldCheck(self),
            "window": self.window,
            **changes,
        }
        return EngineServices(**given)

    async def watch(self, progress: Progress) -> Sequence[Wish]:
        self.progress.append(progress)
        return [wish(words, 100 + len(self.progress)) for words in self.heard.pop(0)] if self.heard else []

    async def run(self, *script: Any, **work: Any) -> tuple[Outcome, ScriptedTalker]:
        talker = ScriptedTalker(*script)
        return await self.engine(talker).run(self.brief(**work), self.watch), talker

    async def told(self, *calls: tuple[str, Any]) -> list[str]:
        """What each of the calls is answered with; then the run is over."""
        _, talker = await self.run(list(calls), DONE)
        self.attempt += 1
        return [message["content"] for message in talker.heard[-1] if message["role"] == "tool"]


def differing(root: Path) -> list[str]:
    """Paths that differ from the commit. The folder may be another user's, so git is told where all is."""
    named = (f"--git-dir={root.parent}/repository/.git/worktrees/tree", f"--work-tree={root}")
    listed = git(root, *named, "status", "--porcelain", "--no-renames", "--untracked-files=all")
    return [line[3:] for line in listed.splitlines()]


@dataclass(frozen=True)
class FieldCheck:
    """Work is looked at as the test says; files out of scope as they lie there."""

    field: Field

    async def strays(self) -> Mapping[str, str]:
        if not self.field.watches_scope:
            return {}
        return outside(differing(self.field.root), self.field.scope)

    async def put_back(self, paths: Sequence[str]) -> Sequence[str]:
        checkout = self.field.checkout
        assert checkout.workspace.git is not None
        return await put_back(checkout.workspace.git, self.field.root, checkout.base, paths)

    async def why_not_yet(self) -> str:
        return self.field.refused.pop(0) if self.field.refused else ""

    async def trials(self) -> Sequence[Trial]:
        return self.field.trials


def sample_checkout(base: Path, found: bool = False) -> Checkout:
    """A worktree as branches get them, made with plain git; its repository is not ours to write."""
    repository = base / "repository"
    if not found:
        _make_worktree(base, repository)
    head = git(repository, "rev-parse", "HEAD").strip()
    workspace = Workspace(
        path=(base / "tree").resolve(),
        git=(repository / ".git").resolve(),
        readable=toolchain(Path(sys.prefix)),
        environ={"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    return Checkout(project="sample", branch="overlord/t-1-1", base=head, head=head, workspace=workspace)


def _make_worktree(base: Path, repository: Path) -> None:
    shutil.copytree(packaged_path("samples", "shortlinks"), repository, ignore=shutil.ignore_patterns("__pycache__"))
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "first")
    git(repository, "worktree", "add", "--quiet", "-b", "overlord/t-1-1", str(base / "tree"))


@asynccontextmanager
async def laid_out(base: Path, found: bool = False) -> AsyncIterator[Field]:
    database = Database(f"sqlite:///{base / 'overlord.db'}")
    try:
        turns = TurnLog(database, SystemClock())
        yield Field(checkout=sample_checkout(base, found), turns=turns, sandbox=bubblewrap())
    finally:
        database.close()
