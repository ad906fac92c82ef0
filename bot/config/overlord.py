"""What overlord.yaml and the environment may say: every setting, its default, and what is wrong with a bad value."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, PlainValidator

from agents.catalog.models import Engines, Models
from agents.catalog.policies import Risk, Specialists
from agents.catalog.retries import RetryPolicies
from agents.catalog.roles.context_files import Contexts
from agents.catalog.roles.role_files import RolesByName, Tools
from agents.catalog.validation import Model, Odd, did_you_mean
from agents.catalog.workflows import ChosenWorkflow, WorkflowsByName
from agents.catalog.yaml import Where
from agents.domain.checks.evaluation import GateCommands, slug
from agents.domain.checks.scope import odd_path
from agents.domain.decisions.authority import ChannelPolicy
from agents.domain.limits import Limits, Retention
from agents.domain.metrics.adaptive import Adaptive
from agents.domain.models.failure import POLICIES
from agents.domain.models.money import Budgets
from agents.domain.models.routing import ROLES
from agents.domain.project.environment import WrittenEnvironment
from agents.domain.project.packages import PackageHosts
from agents.domain.supervision.tuning import SupervisorSettings
from bot.config.accounts import MEMBERSHIPS, Channel, Groups, Member, is_account
from bot.config.git_manners import GitPart, GitSettings
from bot.config.platforms import COMMAS, Address, PlatformSettings, Port, Token, hidden_text, platforms

DATABASES = ("sqlite:///", "postgresql+psycopg://")


class Sandbox(StrEnum):
    AUTO = "auto"
    BUBBLEWRAP = "bubblewrap"
    DOCKER = "docker"
    PODMAN = "podman"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _database(written: object) -> str:
    url = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", hidden_text(written))
    if not url.startswith(DATABASES):
        raise ValueError(
            "it is not a database I know. Write sqlite:////path/to/file.db or postgresql+psycopg://host/name."
        )
    if url.rstrip("/") == "sqlite:" or ":memory:" in url:
        raise ValueError("what is kept in memory is lost with the process. Write sqlite:////path/to/file.db.")
    return url


def _label(written: str) -> str:
    if not re.fullmatch(r"[^,\s][^,]{0,49}", written):
        raise ValueError(f"`{written}` is not a label. Write one of at most 50 characters, with no comma in it.")
    return written


_GIT_URL = r"(https|ssh)://(?![^/]*:[^/]*@)\w[\w.@:-]*/\S+|file:///\S+|\w[\w.-]*@\w[\w.-]*:[\w.~/-]+"


def _inside(written: str) -> str:
    if problem := odd_path(written.rstrip("/")):
        raise ValueError(
            f"`{written}` is no folder of the project: {problem}. Write one such as `web` or `.overlord/skills`."
        )
    return written.rstrip("/")


def _check_gates(gates: GateCommands) -> GateCommands:
    names = [gate.name for gate in gates.extra]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two of its extra gates are named `{twice}`. Give one another name.")
    for folder, own in gates.packages.items():
        if both := next((name for name in ("tests", "lint") if getattr(gates, name) and getattr(own, name)), ""):
            what = f"`{both}` is one command for all of it, so that of the package `{folder}` would never be run"
            raise ValueError(f"{what}. Write one of the two.")
        if not (own.tests or own.lint):
            raise ValueError(f"the package `{folder}` has no command. Write `tests:`, `lint:` or both beneath it.")
    return replace(gates, packages={_inside(folder): own for folder, own in gates.packages.items()})


def _refuse_both(environment: WrittenEnvironment) -> WrittenEnvironment:
    names = [service.name for service in environment.services]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two of its services are named `{twice}`. Give one another name.")
    if both := sorted(set(environment.secrets) & set(environment.variables)):
        raise ValueError(f"`{both[0]}` is a variable and a secret. Minions see variables: write it in one place.")
    return environment


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPart:
    """A project as it is written."""

    name: Annotated[str, AfterValidator(slug)]
    path: str = ""  # a folder of this machine, or
    url: str = ""  # where git finds it
    channel: Channel | None = None  # requests made there are for this project
    workflow: str = ""  # that its plans are approved under; empty: the channel's, or the general one
    skills: Annotated[str, AfterValidator(_inside)] = ".overlord/skills"  # the folder of its own skills
    gates: Annotated[GateCommands, AfterValidator(_check_gates)] = field(default_factory=GateCommands)
    git: GitPart = field(default_factory=GitPart)
    environment: Annotated[WrittenEnvironment, AfterValidator(_refuse_both)] = field(default_factory=WrittenEnvironment)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    name: str
    path: Path | None  # absolute; None for one that git fetches
    url: str = ""
    channel: str = ""
    workflow: str = ""
    skills: str = ".overlord/skills"  # the folder of its own skills, in its repository
    gates: GateCommands = field(default_factory=GateCommands)
    git: GitPart = field(default_factory=GitPart)  # where it differs from the general part
    environment: WrittenEnvironment = field(default_factory=WrittenEnvironment)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # of its set-up, by the variable


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


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHub:
    token: Token | None = None
    api_url: Address = "https://api.github.com"
    label: Annotated[str, AfterValidator(_label)] = "overlord"  # asks for work


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSettings:
    """Settings that are used as they are written."""

    http_host: str = "127.0.0.1"
    http_port: Port = 8766
    sandbox: Sandbox = Sandbox.AUTO
    log_level: LogLevel = LogLevel.INFO
    models: Models = field(default_factory=Models)
    engines: Engines = field(default_factory=Engines)  # programs of others that minions may run on
    budgets: Budgets = field(default_factory=Budgets)
    github: GitHub = field(default_factory=GitHub)
    git: GitSettings = field(default_factory=GitSettings)
    limits: Limits = field(default_factory=Limits)
    retention: Retention = field(default_factory=Retention)
    retries: RetryPolicies = field(default_factory=lambda: POLICIES)  # as in manifests/policies/retries.yaml
    risk: Risk | None = None  # None: the one that comes with the program
    packages: PackageHosts | None = None  # hosts that set-up of projects may reach; None: as they come with the program
    supervisors: SupervisorSettings = field(default_factory=SupervisorSettings)
    adaptive: Adaptive = field(default_factory=Adaptive)  # whether roles get the engine that they do best on
    packs: Annotated[tuple[str, ...], COMMAS] = ()  # of roles, that are switched on
    specialists: Specialists = ()  # beside those that come with the program, or instead of one of the same name


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlordFile(PlainSettings):
    """What overlord.yaml may say, with the environment laid over it. Each platform adds its section."""

    home: str = ""
    database_url: Annotated[str, PlainValidator(_database, str)] | None = field(default=None, repr=False)
    public_url: Address = ""  # where people reach the console, for links in chats
    approvers: Annotated[tuple[Member, ...], COMMAS] = ()
    groups: Groups
    projects: tuple[WrittenProject, ...] = ()
    channels: Mapping[Channel, ChannelPolicy] = field(default_factory=dict)
    contexts: Contexts | None = None  # None: as they come with the program
    roles: RolesByName = field(default_factory=dict)  # laid over those that come with it
    tools: Tools = field(default_factory=dict)  # commands of projects that roles may name
    workflow: ChosenWorkflow | None = None  # None: default
    workflows: WorkflowsByName = field(default_factory=dict)  # templates beside those that come with the program

    @property
    def platforms(self) -> dict[str, PlatformSettings]:
        return {spec.name: getattr(self, spec.name) for spec in platforms()}


_sections: list[Any] = [(spec.name, spec.settings, field(default_factory=spec.settings)) for spec in platforms()]
OVERLORD: Model[OverlordFile] = Model(
    make_dataclass("WrittenFile", _sections, bases=(OverlordFile,), frozen=True, slots=True, kw_only=True)
)
FLAGS: dict[str, tuple[str, ...]] = {
    "--home": ("home",),
    **{flag: (spec.name, name) for spec in platforms() for flag, name in spec.flags.items()},
}
_SECTIONS: dict[str, tuple[str, ...]] = {  # what is in them has a variable of its own
    "models": ROLES,
    "budgets": tuple(each.name for each in fields(Budgets)),
    "retention": tuple(each.name for each in fields(Retention)),
    "limits": tuple(each.name for each in fields(Limits)),
}
_STRUCTURES = {"github", "git", "risk", "groups", "projects", "channels", "contexts", "roles", "workflow", "workflows"}
_STRUCTURES |= {"adaptive", "engines", "packages", "retries", "specialists", "supervisors", "tools"}
VARIABLES: dict[str, tuple[str, ...]] = {
    **{
        f"OVERLORD_{each.name.upper()}": (each.name,)
        for each in fields(OverlordFile)
        if each.name not in _STRUCTURES | _SECTIONS.keys()
    },
    **{variable: (spec.name, name) for spec in platforms() for variable, name in spec.variables.items()},
    "GITHUB_TOKEN": ("github", "token"),
    "GITHUB_API_URL": ("github", "api_url"),
    "OVERLORD_GITHUB_LABEL": ("github", "label"),
    **{
        f"OVERLORD_{section.upper()}__{name.upper()}": (section, name)
        for section, names in _SECTIONS.items()
        for name in names
    },
}


def contradictions(file: OverlordFile) -> Iterator[Odd]:
    """Settings of a platform that contradict each other."""
    for name, section in file.platforms.items():
        yield from (((name, *where), what, step) for where, what, step in section.problems())


def doubtful(file: OverlordFile) -> Iterator[Odd]:
    """What can be used and is probably not meant."""
    for name, section in file.platforms.items():
        yield from (((name, *where), what, step) for where, what, step in section.warnings())
    yield from _empty_memberships(file)


def _empty_memberships(file: OverlordFile) -> Iterator[Odd]:
    """User groups and roles of a platform that is not there to say who is in them."""
    for group, members in file.groups.items():
        for each in sorted(each for each in members if not is_account(each)):
            known = MEMBERSHIPS[each.partition(":")[0]]
            spec = next(spec for spec in platforms() if spec.membership == known)
            if not file.platforms[spec.name].tokens():
                what = f"{each} lets nobody in, as {spec.title} is not joined to say who is in it"
                yield ("groups", group), what, f"Give {spec.title} its token, or name accounts as well."


def tokens_in(file: OverlordFile) -> set[str]:
    """Of chats and forges."""
    forge = {file.github.token.reveal()} if file.github.token else set()
    return forge.union(*(section.tokens() for section in file.platforms.values()))


def secrets_in(file: OverlordFile) -> set[str]:
    password = urlsplit(file.database_url or "").password
    return tokens_in(file) | ({password} if password else set())


def odd_locks(adaptive: Adaptive, known: Callable[[], Collection[str]]) -> Iterator[Odd]:
    """Locks of roles that are not there."""
    roles = known() if adaptive.locked_assignments else ()
    for role in adaptive.locked_assignments:
        if role not in roles:
            near = did_you_mean(role, roles) or "See `overlord roles`."
            yield ("adaptive", "locked_assignments", role), f"there is no role `{role}`", near


def odd_projects(projects: Sequence[Project]) -> Iterator[Odd]:
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
        if project.path and not project.path.is_dir():
            yield ("projects", at, "path"), f"there is no folder {project.path}", "Check the path, or clone it there."
        if project.gates.environment and not Path(project.gates.environment, "pyvenv.cfg").is_file():
            what = f"{project.gates.environment} is no Python environment"
            step = f"Make it: python -m venv {project.gates.environment}."
            yield ("projects", at, "gates", "environment"), what, step
        yield from _odd_packages(at, project)


def _odd_packages(at: int, project: Project) -> Iterator[Odd]:
    if project.path is None or not project.path.is_dir():
        return
    for folder in project.gates.packages:
        if not (project.path / folder).is_dir():
            what = f"there is no folder {folder} in {project.path}"
            step = "Name the folder as it is called from the root of the project."
            yield ("projects", at, "gates", "packages", folder), what, step


def unset_secrets(projects: Sequence[Project]) -> Iterator[Odd]:
    """Secrets of a set-up that nobody has set."""
    for at, project in enumerate(projects):
        for name in project.environment.secrets:
            if name not in project.secrets:
                what = f"the set-up of `{project.name}` is to be given {name}, which is not set"
                yield ("projects", at, "environment", "secrets"), what, f"Set {name} where Overlord is started."


def odd_channels(channels: Mapping[str, ChannelPolicy], projects: Sequence[Project]) -> Iterator[Odd]:
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


def odd_choices(file: OverlordFile, known: Callable[[], Sequence[str]]) -> Iterator[Odd]:
    """Workflows that a project or a channel chooses and that are not there."""
    chosen: list[tuple[Where, str]] = [
        *((("projects", at, "workflow"), project.workflow) for at, project in enumerate(file.projects)),
        *((("channels", name, "workflow"), policy.workflow) for name, policy in file.channels.items()),
    ]
    for where, name in chosen:
        if name and name not in known():
            yield where, f"there is no workflow `{name[:60]}`", did_you_mean(name, known())
