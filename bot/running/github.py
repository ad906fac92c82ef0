"""GitHub as the program uses it: which projects are there, their clones, the forge, the issues that ask for work."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.text.redact import Redact
from agents.workspace.files.names import file_name
from agents.workspace.forge.clones import Clones
from agents.workspace.forge.github import GitHubForge
from agents.workspace.forge.github_api import GitHubApi
from agents.workspace.forge.intake import GitHubIntake, IssueDesk
from agents.workspace.forge.remotes import Pushing, Remote, named_by
from agents.workspace.git.checkouts import copy_of
from bot.config.settings import Settings


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
    named = {project.name: named_by(project.url, settings.github.api_url) for project in settings.projects}
    return {
        project: Remote(owner=found[0], name=found[1], commits=copy_of(settings.home, project))
        for project, found in named.items()
        if found
    }
