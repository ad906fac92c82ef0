"""Policies people may change: the numbers, who is in which group, the projects, and what a channel sets."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.catalog.documents import Document, read_packaged
from agents.catalog.problems import did_you_mean
from agents.catalog.reading import (
    Odd,
    Read,
    Shape,
    checked,
    flag,
    items,
    mapping,
    number,
    one_of,
    optional,
    text,
    whole,
)
from agents.domain.checks.gates import GATE_NAMES, ExtraGate, GateCommands, OnFail
from agents.domain.decisions.authority import ChannelPolicy, Group, OnTimeout, PlanPolicy
from agents.domain.limits import Limits
from agents.domain.project.retention import Retention
from agents.domain.work.scope import odd_path
from manifests import packaged

COMMAND_MOST = 2_000
MARGIN = 10  # seconds a provider may still need to show what it accepted

_FORMS: dict[str, tuple[str, str]] = {
    "slack": (r"slack:[TE][A-Z0-9]*:[UW][A-Z0-9]*", "slack:T0123:U0456 (team id, member id)"),
    "discord": (r"discord:[0-9]{1,20}", "discord:123456789012345678 (user id)"),
    "console": (r"console:[A-Za-z0-9][A-Za-z0-9._-]{0,63}", "console:ana (console login)"),
    "cli": (r"cli:[A-Za-z0-9_][A-Za-z0-9_.@\\$-]{0,63}", "cli:ana (user of this machine)"),
    "github": (r"github:[A-Za-z0-9][A-Za-z0-9-]{0,38}", "github:ana (GitHub login)"),
    "slack-group": (r"slack-group:[TE][A-Z0-9]*:S[A-Z0-9]*", "slack-group:T0123:S0456 (team id, user group id)"),
    "discord-role": (r"discord-role:[0-9]{1,20}:[0-9]{1,20}", "discord-role:123:456 (server id, role id)"),
}
ACCOUNTS = ("slack", "discord", "console", "cli", "github")  # the other two name a crowd that only its platform knows
WRITTEN_GROUPS = tuple(group for group in Group if group is not Group.OWNER)  # whose a task is follows from the task
COUNT = whole(1, 10_000)

# Compiled by whoever finds something to check: most starts do not.
_CROWD = r"(?i:.*[*?\[\]{}].*|all|any|anyone|everyone|here|channel)"
_SLUG = r"[a-z0-9][a-z0-9-]{0,59}"
_CHANNEL = r"(console|slack|discord):[^\s:][^\s]*"
_GIT_URL = r"(https|ssh)://(?![^/]*:[^/]*@)\w[\w.@:-]*/\S+|file:///\S+|\w[\w.-]*@\w[\w.-]*:[\w.~/-]+"


def is_account(written: str) -> bool:
    return written.partition(":")[0] in ACCOUNTS


def member(written: str) -> str:
    """A well formed member of a group. Ids only: a name, a pattern or a word for a crowd is refused."""
    kind = written.partition(":")[0]
    if re.fullmatch(_CROWD, written):
        raise ValueError(f"`{written}` would let in people nobody named. List each account by its id.")
    if kind not in _FORMS:
        forms = ", ".join(_FORMS[known][1] for known in ACCOUNTS)
        raise ValueError(f"`{written}` is not an account, and names do not count. Write {forms}.")
    shape, form = _FORMS[kind]
    if not re.fullmatch(shape, written):
        raise ValueError(f"`{written}` is not an account. Write {form}.")
    return written


def account(written: str) -> str:
    if not is_account(member(written)):
        raise ValueError(f"`{written}` is a group of people. Write one person's account.")
    return written


def channel_name(written: str) -> str:
    if not re.fullmatch(_CHANNEL, written):
        raise ValueError(
            f"`{written}` does not say where it is. Write console:{written.rpartition(':')[2] or 'general'}."
        )
    return written


def _slug(written: str) -> str:
    if not re.fullmatch(_SLUG, written):
        raise ValueError(
            f"`{written}` does not do as a name. Use small letters, digits and dashes, such as `web-shop`."
        )
    return written


def _inside(written: str) -> str:
    if problem := odd_path(written.rstrip("/")):
        raise ValueError(f"`{written}` is no folder of the project: {problem}. Write one such as `.overlord/skills`.")
    return written.rstrip("/")


def _gate_name(written: str) -> str:
    if _slug(written) in GATE_NAMES:
        raise ValueError(f"`{written}` is a gate that is there already. Choose another name.")
    return written


def _command(written: str) -> str:
    if not written.strip() or not written.isprintable() or len(written) > COMMAND_MOST:
        raise ValueError(f"it is no command. Write one line of at most {COMMAND_MOST} characters, for the shell.")
    return written


def seconds(least: float = 0, most: float = 7 * 86_400) -> Read[float]:
    return number(least, most)


_member = checked(text, member)

# Every number must be there: one that is missing would be one that nobody chose.
_LIMITS: dict[str, Read[object]] = {
    "provider_timeout": seconds(1, 120),
    "settle": seconds(1, 600),
    "send_lease": seconds(1, 3600),
    "job_lease": seconds(1, 3600),
    "job_renewal": seconds(0.1, 1800),
    "job_recoveries": whole(1, 100),
    "question_default": seconds(1),
    "medium_gate": seconds(1),
    "confirm": seconds(1),
    "reminder": seconds(1),
    "status_edits_apart": seconds(0, 60),
    "quota_window": seconds(1, 86_400),
    "quota_per_person": COUNT,
    "quota_per_channel": COUNT,
    "link_code": seconds(30, 86_400),
    "door_connections": whole(4, 10_000),
    "door_per_peer": whole(2, 10_000),
    "door_first_byte": seconds(0.1, 600),
    "door_request": seconds(0.1, 600),
    "catch_up": seconds(),
    "issues_apart": seconds(1, 86_400),
    "issues_at_once": COUNT,
    "upkeep_apart": seconds(1, 86_400),
    "debate_rounds": whole(0, 2),
    "dollars_an_hour": number(0, 10_000),
    "model_step": seconds(1, 3600),
    "step_retries": whole(0, 10),
    "retry_longest": seconds(0, 600),
    "task_steps": whole(5, 10_000),
    "first_wave": whole(1, 50),
    "minions_per_project": whole(1, 50),
    "minions": whole(1, 100),
    "minion_turns": whole(1, 500),
    "minion_seconds": seconds(1, 14_400),
    "minion_questions": whole(0, 10),
    "fixes": whole(0, 10),
    "tool_errors": whole(1, 20),
    "command_seconds": seconds(1, 3600),
}
LIMITS = Shape(Limits, tuple(_LIMITS), **_LIMITS)


def _groups(**members: tuple[str, ...]) -> dict[Group, frozenset[str]]:
    return {group: frozenset(members.get(group, ())) for group in WRITTEN_GROUPS}


GROUPS = Shape(_groups, **dict.fromkeys(WRITTEN_GROUPS, items(_member)))

CHANNEL = Shape(
    ChannelPolicy,
    project=text,
    self_approval=flag,
    on_timeout=one_of(*OnTimeout),
    plan=one_of(*PlanPolicy),
    outsiders=flag,
)
CHANNELS = mapping(channel_name, CHANNEL)

EXTRA_GATE = Shape(
    ExtraGate,
    ("name", "command"),
    name=checked(text, _gate_name),
    command=checked(text, _command),
    on_fail=one_of(*OnFail),
)


def _gates(**given: Any) -> GateCommands:
    gates = GateCommands(**given)
    names = [gate.name for gate in gates.extra]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ValueError(f"two of its extra gates are named `{twice}`. Give one another name.")
    return gates


GATES = Shape(  # what is not written is found by what lies in the repository
    _gates, tests=checked(text, _command), lint=checked(text, _command), extra=items(EXTRA_GATE), environment=text
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPart:
    """A project as it is written."""

    name: str
    path: str = ""  # a folder of this machine, or
    url: str = ""  # where git finds it
    channel: str | None = None  # requests made there are for this project
    skills: str = ".overlord/skills"  # the folder of its own skills
    gates: GateCommands = field(default_factory=GateCommands)  # with its environment as it is written


def _project(**given: Any) -> ProjectPart:
    project = ProjectPart(**given)
    if bool(project.path) == bool(project.url):
        raise ValueError("it needs either a `path` or a `url`. Write one of them: `path: ~/src/shop`.")
    if project.url and not re.fullmatch(_GIT_URL, project.url):
        raise ValueError(
            "its `url` is not one that git may be given here. "
            "Write https://host/owner/repo or git@host:owner/repo, with no password in it."
        )
    return project


PROJECT = Shape(
    _project,
    ("name",),
    name=checked(text, _slug),
    path=text,
    url=text,
    channel=optional(checked(text, channel_name)),
    skills=checked(text, _inside),
    gates=GATES,
)


def odd_limits(limits: Limits) -> Iterator[Odd]:
    """Numbers that do not fit each other."""
    least = limits.provider_timeout + MARGIN
    if limits.send_lease <= least:
        what = f"with {limits.send_lease:g} a second process could send a post while the first waits for its answer"
        yield ("limits", "send_lease"), what, f"Write more than provider_timeout + {MARGIN}, which is {least:g}."
    if limits.settle < least:
        what = f"with {limits.settle:g} a post could appear after it was given up, and come twice"
        yield ("limits", "settle"), what, f"Write at least provider_timeout + {MARGIN}, which is {least:g}."
    if limits.job_renewal > limits.job_lease / 2:
        what = f"with {limits.job_renewal:g} one late renewal would lose the job to another process"
        yield ("limits", "job_renewal"), what, f"Write at most half of job_lease, which is {limits.job_lease / 2:g}."


def odd_retention(retention: Retention, limits: Limits) -> Iterator[Odd]:
    """What was delivered is how something that is read again is known."""
    least = math.floor(limits.catch_up / 86_400) + 1
    if retention.deliveries is not None and retention.deliveries < least:
        what = f"with {retention.deliveries} what was said while I was away could be heard twice"
        yield ("retention", "deliveries"), what, f"Write at least {least}: more days than limits.catch_up reads back."


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


def packaged_limits() -> Document:
    return read_packaged(packaged("policies", "limits.yaml"))


def packaged_groups() -> Document:
    return read_packaged(packaged("policies", "approval.yaml"))
