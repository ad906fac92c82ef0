"""What overlord.yaml may say of projects and channels."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from agents.catalog.validation import Odd, did_you_mean
from agents.domain.checks.gates import GateCommands, slug
from agents.domain.decisions.authority import ChannelPolicy
from agents.domain.work.scope import odd_path
from bot.config.accounts import Channel

_GIT_URL = r"(https|ssh)://(?![^/]*:[^/]*@)\w[\w.@:-]*/\S+|file:///\S+|\w[\w.-]*@\w[\w.-]*:[\w.~/-]+"


def _inside(written: str) -> str:
    if problem := odd_path(written.rstrip("/")):
        raise ValueError(f"`{written}` is no folder of the project: {problem}. Write one such as `.overlord/skills`.")
    return written.rstrip("/")


def _refuse_twins(gates: GateCommands) -> GateCommands:
    names = [gate.name for gate in gates.extra]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two of its extra gates are named `{twice}`. Give one another name.")
    return gates


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPart:
    """A project as it is written."""

    name: Annotated[str, AfterValidator(slug)]
    path: str = ""  # a folder of this machine, or
    url: str = ""  # where git finds it
    channel: Channel | None = None  # requests made there are for this project
    skills: Annotated[str, AfterValidator(_inside)] = ".overlord/skills"  # the folder of its own skills
    gates: Annotated[GateCommands, AfterValidator(_refuse_twins)] = field(default_factory=GateCommands)


def _check_place(project: ProjectPart) -> ProjectPart:
    if bool(project.path) == bool(project.url):
        raise ValueError("it needs either a `path` or a `url`. Write one of them: `path: ~/src/shop`.")
    if project.url and not re.fullmatch(_GIT_URL, project.url):
        raise ValueError(
            "its `url` is not one that git may be given here. "
            "Write https://host/owner/repo or git@host:owner/repo, with no password in it."
        )
    return project


WrittenProject = Annotated[ProjectPart, AfterValidator(_check_place)]


def odd_projects(projects: Sequence[ProjectPart]) -> Iterator[Odd]:
    """Names and channels used twice, and folders that are not there."""
    names = [project.name for project in projects]
    homes = [project.channel for project in projects]
    for at, project in enumerate(projects):
        if project.name in names[:at]:
            yield ("projects", at, "name"), f"there are two projects named `{project.name}`", "Give one another name."
        if project.channel and project.channel in homes[:at]:
            other = names[homes.index(project.channel)]
            what = f"`{project.channel}` is the channel of `{other}` already"
            yield ("projects", at, "channel"), what, "Give each project a channel of its own, or none."
        if project.path and not Path(project.path).is_dir():
            yield ("projects", at, "path"), f"there is no folder {project.path}", "Check the path, or clone it there."
        if project.gates.environment and not Path(project.gates.environment, "pyvenv.cfg").is_file():
            what = f"{project.gates.environment} is no Python environment"
            step = f"Make it: python -m venv {project.gates.environment}."
            yield ("projects", at, "gates", "environment"), what, step


def odd_channels(channels: Mapping[str, ChannelPolicy], projects: Sequence[ProjectPart]) -> Iterator[Odd]:
    """Channels that point at a project nobody named, or at another than the project itself says."""
    known = {project.name for project in projects}
    claimed = {project.channel: project.name for project in projects if project.channel}
    for name, part in channels.items():
        if part.project and part.project not in known:
            step = did_you_mean(part.project, known) if known else "Name the project under `projects:` first."
            yield ("channels", name, "project"), f"there is no project `{part.project}`", step
        elif part.project and claimed.get(name, part.project) != part.project:
            what = f"`{claimed[name]}` says that this is its channel, not `{part.project}`'s"
            yield ("channels", name, "project"), what, "Say it in one of the two places."
