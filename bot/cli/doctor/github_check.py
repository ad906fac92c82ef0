"""Whether GitHub takes the token, and lets it do what the projects there need."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping

from agents.domain.errors import OverlordError
from agents.ports import ForgeFailed
from agents.workspace.forge.github_api import GitHubApi, expect_status
from agents.workspace.forge.github_shapes import Repo, User, read
from agents.workspace.forge.remotes import Remote
from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn
from bot.running.github import on_github

NEEDS = "contents, issues and pull requests: read and write"
_ENOUGH = ("repo", "public_repo")  # scopes of a classic token


def github(settings: Settings) -> Iterator[Check]:
    """Nothing where no project is on GitHub. One without a token is told with the other settings."""
    remotes = on_github(settings)
    if settings.github.token is None or not remotes:
        return
    yield from asyncio.run(_all(GitHubApi(settings.github.api_url, settings.github.token), remotes))


async def _all(api: GitHubApi, remotes: Mapping[str, Remote]) -> list[Check]:
    try:
        return [check async for check in _checks(api, remotes)]
    finally:
        await api.close()


async def _checks(api: GitHubApi, remotes: Mapping[str, Remote]) -> AsyncIterator[Check]:
    try:
        yield await _token(api)
    except OverlordError as problem:
        yield fail("github token", problem.what, problem.next_step)
        return
    for project, remote in remotes.items():
        name = f"github of {project}"
        try:
            yield await _repository(api, name, remote)
        except OverlordError as problem:
            yield fail(name, problem.what, problem.next_step)


async def _token(api: GitHubApi) -> Check:
    try:
        reply = await api.get("/user")
    except ForgeFailed as problem:
        if "forbids" not in problem.what:
            raise
        return ok("github token", "of an app: it is known by what it may do")
    login = read(User, expect_status(reply, "the token's user").data, "the token's user").login
    scopes = [scope.strip() for scope in reply.headers.get("x-oauth-scopes", "").split(",") if scope.strip()]
    if scopes and not set(scopes) & set(_ENOUGH):
        seen = f"it is {login}'s and may only do: {', '.join(scopes)}"
        return fail("github token", seen, f"Give it the scope `repo`, or make a fine-grained one with {NEEDS}.")
    return ok("github token", f"{login}'s, at {api.url}")


async def _repository(api: GitHubApi, name: str, remote: Remote) -> Check:
    shown = read(Repo, expect_status(await api.get(f"/repos/{remote.full}"), remote.full).data, remote.full)
    if shown.permissions.get("push") is False:
        return fail(name, f"the token may only read {remote.full}", f"Give it rights on this repository: {NEEDS}.")
    if not shown.has_issues:
        step = "Switch issues on in its settings on GitHub, or ask for work in chat only."
        return warn(name, f"{remote.full} has no issues, so no label can ask for work", step)
    return ok(name, f"{remote.full}, branch {shown.default_branch}")
