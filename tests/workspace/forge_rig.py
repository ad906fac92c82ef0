"""What a forge is tested with: the forge itself, our copy of the project, and a look at the other side."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine

from agents.domain.text.redact import Redactor, Secret
from agents.ports import Forge, Pull
from agents.workspace.forge.github import GitHubForge
from agents.workspace.forge.github_api import GitHubApi
from agents.workspace.forge.local import LocalForge, Place
from agents.workspace.forge.remotes import Remote
from bot.services import SystemClock
from store import tables
from store.database import Database
from store.running.port_adapters import PullLog
from tests.fakes.github import TOKEN, FakeGitHub, running_github
from tests.workspace import repositories as repos

PROJECT = "shop"
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
REDACT = Redactor([SECRET])


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A pull request, as the other side shows it."""

    branch: str
    title: str
    body: str
    state: str
    comments: tuple[str, ...] = ()
    draft: bool = False


@dataclass(frozen=True, kw_only=True)
class Rig:
    forge: Forge
    far: Path  # the repository that work is for
    ours: Path  # our copy of it
    seen: Callable[[], list[Seen]]
    fake: FakeGitHub | None = None
    api: GitHubApi | None = None

    def pull(self, files: Mapping[str, str | None] | None = None, **changed: Any) -> Pull:
        return work_on(self.ours, files, **changed)


def work_on(ours: Path, files: Mapping[str, str | None] | None = None, **changed: Any) -> Pull:
    """Work on a branch, ready to be handed over."""
    head = repos.commit(ours, files or {"src/b.py": "b = 1\n"}, on=repos.tip(ours, "main"))
    given = {"key": "T-1.1", "branch": "ai/t-1-1-b", "head": head, "title": "Add b", "body": "It adds b.", **changed}
    return Pull(project=PROJECT, **given)


def local_forge(place: Path, far: Path, ours: Path) -> tuple[LocalForge, Database]:
    """A process's own forge, on the memory in this folder."""
    database = Database(f"sqlite:///{place / 'forge.db'}")
    where = {PROJECT: Place(repository=far, commits=ours)}
    book = PullLog(database, SystemClock())
    return LocalForge(where, book, REDACT, lambda project, number: f"/{project}/{number}"), database


def remembered(place: Path) -> list[Seen]:
    engine = create_engine(f"sqlite:///{place / 'forge.db'}")
    with engine.connect() as db:
        rows = db.execute(tables.pulls.select().order_by(tables.pulls.c.number)).all()
    engine.dispose()
    states = {"draft": "open"}
    return [
        Seen(
            branch=row.branch,
            title=row.title,
            body=row.body,
            state=states.get(row.state, row.state),
            draft=row.state == "draft",
        )
        for row in rows
    ]


async def _local(tmp_path: Path, far: Path) -> AsyncIterator[Rig]:
    ours = repos.bare(far, tmp_path / "ours")
    forge, database = local_forge(tmp_path, far, ours)
    try:
        yield Rig(forge=forge, far=far, ours=ours, seen=lambda: remembered(tmp_path))
    finally:
        database.close()


@asynccontextmanager
async def local_bare(tmp_path: Path) -> AsyncIterator[Rig]:
    far = repos.bare(repos.somebodys(tmp_path / "theirs"), tmp_path / "far")
    async for rig in _local(tmp_path, far):
        yield rig


@asynccontextmanager
async def local_checkout(tmp_path: Path) -> AsyncIterator[Rig]:
    async for rig in _local(tmp_path, repos.somebodys(tmp_path / "theirs")):
        yield rig


async def no_wait(seconds: float) -> None:
    """Waiting is the program's affair; tests have none of it."""


def github_forge(api_url: str, ours: Path, token: str = TOKEN) -> tuple[GitHubForge, GitHubApi]:
    api = GitHubApi(api_url, Secret(token), no_wait)
    remotes = {PROJECT: Remote(owner="acme", name="shop", commits=ours)}
    return GitHubForge(api, remotes, REDACT), api


def shown_on(fake: FakeGitHub) -> list[Seen]:
    found = [issue for issue in fake.world.repos["acme/shop"].issues if issue.pull]
    return [
        Seen(
            branch=issue.pull["head"],
            title=issue.title,
            body=issue.body,
            state="merged" if issue.pull["merged"] else issue.state,
            comments=tuple(str(comment["body"]) for comment in issue.comments),
            draft=bool(issue.pull["draft"]),
        )
        for issue in found
        if issue.pull
    ]


@asynccontextmanager
async def github(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running_github(tmp_path / "hub") as fake:
        repo = fake.world.add("acme", "shop", repos.somebodys(tmp_path / "theirs"), fake.folder)
        ours = repos.bare(repo.path, tmp_path / "ours")
        forge, api = github_forge(fake.api_url, ours)
        try:
            yield Rig(forge=forge, far=repo.path, ours=ours, seen=lambda: shown_on(fake), fake=fake, api=api)
        finally:
            await api.close()


RIGS: dict[str, Callable[[Path], AbstractAsyncContextManager[Rig]]] = {
    "local, bare": local_bare,
    "local, checked out": local_checkout,
    "GitHub": github,
}
