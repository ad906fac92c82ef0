"""Policies people may change: the numbers, who is in which group, the projects, and what a channel sets."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, model_validator

from agents.catalog.documents import Document, Where, read_packaged
from agents.catalog.problems import did_you_mean
from agents.domain.authority import ChannelPolicy, Group, OnTimeout, PlanPolicy
from agents.domain.gates import GATE_NAMES, ExtraGate, GateCommands, OnFail
from agents.domain.limits import Limits
from agents.domain.scope import odd_path
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
_CROWD = re.compile(r".*[*?\[\]{}].*|all|any|anyone|everyone|here|channel", re.I)
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_CHANNEL = re.compile(r"(console|slack|discord):[^\s:][^\s]*")
_GIT_URL = re.compile(r"(https|ssh)://(?![^/]*:[^/]*@)\w[\w.@:-]*/\S+|file:///\S+|\w[\w.-]*@\w[\w.-]*:[\w.~/-]+")


def is_account(written: str) -> bool:
    return written.partition(":")[0] in ACCOUNTS


def member(written: str) -> str:
    """A well formed member of a group. Ids only: a name, a pattern or a word for a crowd is refused."""
    kind = written.partition(":")[0]
    if _CROWD.fullmatch(written):
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
    if not _CHANNEL.fullmatch(written):
        raise ValueError(
            f"`{written}` does not say where it is. Write console:{written.rpartition(':')[2] or 'general'}."
        )
    return written


def _slug(written: str) -> str:
    if not _SLUG.fullmatch(written):
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


def number(value: object) -> object:
    if isinstance(value, bool):  # pydantic would read true as 1
        raise ValueError(f"`{str(value).lower()}` is not a number. Write a number.")
    return value


Member = Annotated[str, AfterValidator(member)]
ChannelName = Annotated[str, AfterValidator(channel_name)]
Seconds = Annotated[float, BeforeValidator(number), Field(ge=0, le=7 * 86_400, allow_inf_nan=False)]
Count = Annotated[int, BeforeValidator(number), Field(ge=1, le=10_000)]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class LimitsPart(Part):
    """Every number must be there: one that is missing would be one that nobody chose."""

    provider_timeout: Annotated[Seconds, Field(ge=1, le=120)]
    settle: Annotated[Seconds, Field(ge=1, le=600)]
    send_lease: Annotated[Seconds, Field(ge=1, le=3600)]
    job_lease: Annotated[Seconds, Field(ge=1, le=3600)]
    job_renewal: Annotated[Seconds, Field(ge=0.1, le=1800)]
    job_recoveries: Annotated[Count, Field(le=100)]
    question_default: Annotated[Seconds, Field(ge=1)]
    medium_gate: Annotated[Seconds, Field(ge=1)]
    confirm: Annotated[Seconds, Field(ge=1)]
    reminder: Annotated[Seconds, Field(ge=1)]
    status_edits_apart: Annotated[Seconds, Field(le=60)]
    quota_window: Annotated[Seconds, Field(ge=1, le=86_400)]
    quota_per_person: Count
    quota_per_channel: Count
    link_code: Annotated[Seconds, Field(ge=30, le=86_400)]
    catch_up: Seconds
    issues_apart: Annotated[Seconds, Field(ge=1, le=86_400)]
    issues_at_once: Count
    upkeep_apart: Annotated[Seconds, Field(ge=1, le=86_400)]
    debate_rounds: Annotated[int, BeforeValidator(number), Field(ge=0, le=2)]
    dollars_an_hour: Annotated[float, BeforeValidator(number), Field(ge=0, le=10_000)]
    model_step: Annotated[Seconds, Field(ge=1, le=3600)]
    step_retries: Annotated[int, BeforeValidator(number), Field(ge=0, le=10)]
    retry_longest: Annotated[Seconds, Field(le=600)]
    first_wave: Annotated[int, BeforeValidator(number), Field(ge=1, le=50)]
    minions_per_project: Annotated[int, BeforeValidator(number), Field(ge=1, le=50)]
    minions: Annotated[int, BeforeValidator(number), Field(ge=1, le=100)]
    code_reviewers: Annotated[int, BeforeValidator(number), Field(ge=1, le=2)]
    minion_turns: Annotated[Count, Field(le=500)]
    minion_seconds: Annotated[Seconds, Field(ge=1, le=14_400)]
    minion_questions: Annotated[int, BeforeValidator(number), Field(ge=0, le=10)]
    tool_errors: Annotated[Count, Field(le=20)]
    command_seconds: Annotated[Seconds, Field(ge=1, le=3600)]

    def limits(self) -> Limits:
        return Limits(**dict(self))


class GroupsPart(Part):
    approver: tuple[Member, ...] = ()
    tech_lead: tuple[Member, ...] = ()
    security_team: tuple[Member, ...] = ()
    devops_team: tuple[Member, ...] = ()
    admin: tuple[Member, ...] = ()

    def groups(self) -> dict[Group, frozenset[str]]:
        return {Group(name): frozenset(members) for name, members in self}


class ChannelPart(Part):
    project: str = ""
    self_approval: StrictBool = True
    on_timeout: OnTimeout = OnTimeout.PASS
    plan: PlanPolicy = PlanPolicy.ASK

    def policy(self) -> ChannelPolicy:
        return ChannelPolicy(**dict(self))


class ExtraGatePart(Part):
    """M181"""

    name: Annotated[str, AfterValidator(_gate_name)]
    command: Annotated[str, AfterValidator(_command)]
    on_fail: OnFail = OnFail.RETRY

    def gate(self) -> ExtraGate:
        return ExtraGate(name=self.name, command=self.command, on_fail=self.on_fail)


class GatesPart(Part):
    """What is not written is found by what lies in the repository."""

    tests: Annotated[str, AfterValidator(_command)] = ""
    lint: Annotated[str, AfterValidator(_command)] = ""  # {files} stands for the changed files
    extra: tuple[ExtraGatePart, ...] = ()
    environment: str = ""  # folder of a venv

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [gate.name for gate in self.extra]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise ValueError(f"two of its extra gates are named `{twice}`. Give one another name.")
        return self

    def commands(self, environment: Path | None) -> GateCommands:
        """`environment` is where the written one is on this machine."""
        extra = tuple(part.gate() for part in self.extra)
        return GateCommands(tests=self.tests, lint=self.lint, extra=extra, environment=str(environment or ""))


class ProjectPart(Part):
    name: Annotated[str, AfterValidator(_slug)]
    path: str = ""  # a folder of this machine, or
    url: str = ""  # where git finds it
    channel: ChannelName | None = None  # requests made there are for this project
    skills: Annotated[str, AfterValidator(_inside)] = ".overlord/skills"  # the folder of its own skills
    gates: GatesPart = GatesPart()

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if bool(self.path) == bool(self.url):
            raise ValueError("it needs either a `path` or a `url`. Write one of them: `path: ~/src/shop`.")
        if self.url and not _GIT_URL.fullmatch(self.url):
            raise ValueError(
                "its `url` is not one that git may be given here. "
                "Write https://host/owner/repo or git@host:owner/repo, with no password in it."
            )
        return self


Odd = tuple[Where, str, str]  # where it stands, what is wrong, what to write


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


def odd_channels(channels: Mapping[str, ChannelPart], projects: Sequence[ProjectPart]) -> Iterator[Odd]:
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
