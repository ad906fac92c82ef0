"""Projects on GitHub: which repository each is, how git reaches it with a token nobody else sees, and our clones."""

import asyncio
import base64
import re
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from agents.domain.models.program_end import ProgramEnd, failure_of_program
from agents.domain.text.redact import Secret
from agents.domain.text.sanitize import clean, one_line
from agents.ports import ForgeFailed
from agents.workspace.files.untrusted import remove
from agents.workspace.forge.repository import Repository, require_branch
from agents.workspace.git.git import FETCH, Said

TRIES = 3
PUSH_MOST = 600.0  # seconds
_SSH = re.compile(r"(?:ssh://)?git@(?P<host>[\w.-]+)[:/](?P<path>.+)")
_NAME = re.compile(r"(?P<owner>[A-Za-z0-9][A-Za-z0-9-]*)/(?P<name>[A-Za-z0-9._-]+?)(?:\.git)?/?")
NOTHING_SAID = Said(code=0, out=b"", err="")
REFUSED = "[remote rejected]"  # by a rule of the repository
RECENT = 30.0  # seconds for which a list of files is recent enough to plan with


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A repository on GitHub, and our own copy of it in which minions' commits are made."""

    owner: str
    name: str
    commits: Path

    @property
    def full(self) -> str:
        return f"{self.owner}/{self.name}"


def web_of(api_url: str) -> str:
    """Where people and git go, from where the API is: another host on github.com, a path elsewhere."""
    parts = urlsplit(api_url)
    host = parts.netloc.removeprefix("api.") if parts.netloc == "api.github.com" else parts.netloc
    return f"{parts.scheme}://{host}"


def owner_and_name(url: str, api_url: str) -> tuple[str, str] | None:
    """Owner and name, where a git address is of this GitHub; None where it is not."""
    if found := _SSH.fullmatch(url):
        host, path = found["host"], found["path"]
    else:
        parts = urlsplit(url)
        host, path = parts.netloc.rpartition("@")[2], parts.path.lstrip("/")
    named = _NAME.fullmatch(path)
    if host.casefold() != urlsplit(web_of(api_url)).netloc.casefold() or not named or named["name"] in (".", ".."):
        return None
    return named["owner"], named["name"]


def page_of(url: str) -> str:
    """Where people read a repository of github.com; empty where a git address is of another place."""
    found = owner_and_name(url, "https://api.github.com")
    return f"https://github.com/{found[0]}/{found[1]}" if found else ""


class Pushing:
    """Git over HTTPS. The token is in the environment of git alone: in no argument, no address, no file."""

    def __init__(self, api_url: str, token: Secret) -> None:
        self._web = web_of(api_url)
        self._token = token

    async def push(self, remote: Remote, branch: str, head: str, replaces: str = "") -> None:
        """The branch is there, at this commit, pushed at most once. What others put there is not overwritten; only
        from the commit `replaces`, which we put there, may it go elsewhere than forward."""
        ours, ref, said = Repository(remote.commits), f"refs/heads/{branch}", NOTHING_SAID
        for _ in range(TRIES):
            there = await self.at(remote, branch)
            if there == head:
                return
            if there and there != replaces and not (await ours.has(there) and await ours.leads_to(there, head)):
                raise ForgeFailed(
                    f"The branch {branch} of {remote.full} has commits that I did not make",
                    next_step="Rename or delete it on GitHub, then try again.",
                )
            quiet = ("--quiet", "--no-verify", "--no-follow-tags", "--recurse-submodules=no", "--no-signed")
            lease = f"--force-with-lease={ref}:{there}"
            wish = ("push", *quiet, lease, "--", self._address(remote), f"{head}:{ref}")
            pushed = await ours.ask(*wish, env=self._environment(), most=PUSH_MOST)
            said = pushed
        if await self.at(remote, branch) != head:
            raise self._failed(remote, f"push {branch} to", said)

    async def at(self, remote: Remote, branch: str) -> str:
        """The commit that a branch is at on GitHub; empty if it is not there."""
        return (await self._listed(remote, "--refs", f"refs/heads/{branch}")).split("\t")[0].strip()

    async def head(self, remote: Remote) -> tuple[str, str]:
        """The branch that people work from on GitHub, and the commit it is at; both empty in an empty repository."""
        lines = (await self._listed(remote, "--symref", "HEAD")).splitlines()
        told = [line.partition("\t")[0] for line in lines if line.endswith("\tHEAD")]
        named = next((line for line in told if line.startswith("ref: ")), "")
        return named.removeprefix("ref: refs/heads/"), next((line for line in told if line != named), "")

    async def fetch(self, remote: Remote, what: str) -> None:
        """A commit, a branch or a refspec, and what it needs, into our copy."""
        asked = (*FETCH, "--", self._address(remote), what)
        said = await Repository(remote.commits).ask(*asked, env=self._environment(), most=PUSH_MOST)
        if said.code != 0:
            raise self._failed(remote, "fetch from", said)

    async def _listed(self, remote: Remote, how: str, what: str) -> str:
        """What the server has; asked twice, for networks have moods."""
        asked = ("ls-remote", how, "--", self._address(remote), what)
        said = await Repository(remote.commits).ask(*asked, env=self._environment())
        if said.code != 0:
            said = await Repository(remote.commits).ask(*asked, env=self._environment())
        if said.code != 0:
            raise self._failed(remote, "read", said)
        return said.text

    def _failed(self, remote: Remote, what: str, said: Said) -> ForgeFailed:
        told = one_line(clean(said.err), 300).replace(self._token.reveal(), "[secret]")
        step = "Check that the token may write contents there, and that no rule protects the branch."
        failure = failure_of_program(ProgramEnd(program="git", exit_code=said.code, errors=said.err))
        error = "" if failure is None or REFUSED in said.err else failure.error.value
        what = f"git could not {what} {remote.full} ({told or 'it said nothing'})"
        return ForgeFailed(what, next_step=step, error=error)

    def _address(self, remote: Remote) -> str:
        return f"{self._web}/{remote.full}.git"

    def _environment(self) -> dict[str, str]:
        """Only this server hears the token, even if it sends us elsewhere."""
        basic = base64.b64encode(f"x-access-token:{self._token.reveal()}".encode()).decode()
        settings = {
            f"http.{self._web}/.extraHeader": f"Authorization: Basic {basic}",
            "http.followRedirects": "false",
            "http.lowSpeedLimit": "1",
            "http.lowSpeedTime": "60",
        }
        numbered = dict[str, str]()
        for at, (key, value) in enumerate(settings.items()):
            numbered |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
        only = {"GIT_ALLOW_PROTOCOL": urlsplit(self._web).scheme}
        return {**only, "GIT_CONFIG_COUNT": str(len(settings)), **numbered}


class Clones:
    """`remotes` name each project's repository, with `commits` as the place of its clone."""

    def __init__(self, remotes: Mapping[str, Remote], git: Pushing) -> None:
        self._remotes = remotes
        self._git = git
        self._locks = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._looked = dict[str, float]()  # when each was last brought up to date

    async def refresh(self, project: str, branch: str = "") -> None:
        """Bring what is on GitHub here; nothing for a project that is elsewhere. Raises ForgeFailed.

        `branch`: this one too, beside the one that people work from.
        """
        if remote := self._remotes.get(project):
            async with self._locks[project]:
                await self._refresh(remote, branch)
                self._looked[project] = time.monotonic()

    async def recent(self, project: str) -> None:
        """For reading: as it was a moment ago is good enough, and what there is is better than nothing."""
        remote = self._remotes.get(project)
        if remote is None or time.monotonic() - self._looked.get(project, -RECENT) < RECENT:
            return
        try:
            await self.refresh(project)
        except ForgeFailed:
            if not (remote.commits.is_dir() and await Repository(remote.commits).commit_at("HEAD")):
                raise

    async def _refresh(self, remote: Remote, other: str) -> None:
        clone = Repository(remote.commits)
        if not remote.commits.is_dir():
            await _make(remote.commits)
        named, commit = await self._git.head(remote)
        if other and other != named:
            await self._bring(remote, require_branch(other), await self._git.at(remote, other))
        if not commit:
            return
        ref = f"refs/heads/{require_branch(named)}"
        await self._bring(remote, named, commit)
        if (await clone.ask("symbolic-ref", "--quiet", "HEAD")).text.strip() != ref:
            await clone.tell("symbolic-ref", "HEAD", ref)

    async def _bring(self, remote: Remote, branch: str, commit: str) -> None:
        """The branch as it is on GitHub, or none if it is not there."""
        clone, ref = Repository(remote.commits), f"refs/heads/{branch}"
        here = await clone.commit_at(ref)
        if here and not commit:
            await clone.tell("update-ref", "-d", ref)
        elif here != commit:
            await self._git.fetch(remote, f"+{ref}:{ref}")


async def _make(place: Path) -> None:
    """Made under another name first, so that it is there whole or not at all."""
    fresh = place.with_suffix(".new")
    remove(fresh)
    fresh.mkdir(parents=True)
    await Repository(fresh).tell("init", "--quiet", "--bare")
    fresh.rename(place)
