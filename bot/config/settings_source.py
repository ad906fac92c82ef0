"""The environment and overlord.yaml, read once; everything that is wrong with them is told at once."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from agents.catalog import policies
from agents.catalog.library import Declared, odd_declared, role_names
from agents.catalog.policies import odd_risk
from agents.catalog.roles.bundles import Bundle
from agents.catalog.roles.pack_files import Pack, packaged_packs
from agents.catalog.roles.user_files import UserFiles, chosen_packs, read_user_files
from agents.catalog.validation import Odd, Problem, Wrong, did_you_mean
from agents.catalog.workflow_choice import workflow_names
from agents.catalog.yaml import BadYaml, Layers, parse_yaml, read_packaged
from agents.domain.decisions.authority import ChannelPolicy, Group
from agents.domain.errors import SettingsProblem
from agents.domain.ids import Account
from agents.workspace.forge.remotes import owner_and_name, web_of
from bot.config import overlord
from bot.config.git_manners import odd_manners
from bot.config.overlord import (
    FLAGS,
    OVERLORD,
    VARIABLES,
    OverlordFile,
    PlainSettings,
    Project,
    ProjectPart,
    contradictions,
    doubtful,
    secrets_in,
    tokens_in,
)
from bot.config.settings import Settings
from bot.config.state_folder import HOME, Search, SettingsFile, expand, find_settings, home_of, os_user, read_settings

CONFIG = "OVERLORD_CONFIG"
_SECRET_NAME = re.compile(r"(API_KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY)$")


class BadSettings(SettingsProblem):
    """Carries each problem by itself, for `overlord doctor`."""

    def __init__(self, problems: Sequence[Problem], warnings: Sequence[Problem]) -> None:
        told = "".join(f"\n- {problem}" for problem in problems)
        super().__init__(f"These settings cannot be used:{told}", next_step="Fix them and start again.")
        self.problems = tuple(problems)
        self.warnings = tuple(warnings)

    def __str__(self) -> str:
        return f"{self.what}\n{self.next_step}"


def load_settings(
    environ: Mapping[str, str],
    *,
    cwd: Path,
    flags: Mapping[str, str] | None = None,
    user: str = "",
    instead: SettingsFile | None = None,
) -> Settings:
    """Flags over environment over overlord.yaml over manifests. Raises BadSettings with all that is wrong.

    `instead`: a file that is to be written, in place of the one that is there.
    """
    return _Reading(environ, cwd, flags or {}, instead).settings(user or os_user())


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsSource:
    """Where settings come from, so that they can be read again while the program runs."""

    environ: Mapping[str, str]
    cwd: Path
    flags: Mapping[str, str] = field(default_factory=dict)
    user: str = ""  # empty: who runs this process

    def load(self, instead: SettingsFile | None = None) -> Settings:
        return load_settings(self.environ, cwd=self.cwd, flags=self.flags, user=self.user, instead=instead)


@dataclass(slots=True)
class _Reading:
    """One reading of everything; faults are gathered on the way."""

    environ: Mapping[str, str]
    cwd: Path
    flags: Mapping[str, str]
    instead: SettingsFile | None = None
    layers: Layers = field(default_factory=Layers)
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    left: list[Problem] = field(default_factory=list)

    def settings(self, user: str) -> Settings:
        config = self._gather()
        base = config.parent if config else self.cwd
        file, broken = self._shape()
        home = self._home(base)
        own = self._own_files(home)
        declared = self._declared(file, own)
        database_url = self._database(file, home, base)
        projects = tuple(self._project(part, base) for part in file.projects)
        self._check(file, broken, projects, declared)
        if self.problems:
            raise BadSettings(self.problems, (*self.left, *self.warnings))
        known = {section.operator(user) for section in file.platforms.values()} - {""}
        plain: dict[str, Any] = {each.name: getattr(file, each.name) for each in fields(PlainSettings)}
        return Settings(
            **plain,
            home=home,
            config=config,
            database_url=database_url,
            platforms=file.platforms,
            public_url=file.public_url.rstrip("/"),
            keys=file.models.seen_in(self.environ) | file.engines.seen_in(self.environ),
            groups=_groups(file),
            operators=frozenset(Account(account) for account in {f"cli:{user}"} | known),
            projects=projects,
            channels=_channels(file),
            declared=declared,
            warnings=(*self.left, *self.warnings),
            left=tuple(self.left),
            secrets=frozenset(secrets_in(file) | self._given_secrets(file, projects)),
        )

    def _given_secrets(self, file: OverlordFile, projects: Sequence[Project]) -> set[str]:
        """What variables hold and nobody is to read."""
        of_setup = {value for project in projects for value in project.secrets.values()}
        of_engines = set(file.engines.seen_in(self.environ).values())
        return of_setup | _keys_in(self.environ) | file.models.keys_in(self.environ) | of_engines

    def _gather(self) -> Path | None:
        self.layers.lay(read_packaged("policies", "limits.yaml"), under="limits")
        self.layers.lay(read_packaged("policies", "approval.yaml"), under="groups")
        self.layers.lay(read_packaged("policies", "models.yaml"), under="models")
        config = None
        try:
            search = self._search()
            self.left += search.left
            if file := search.found:
                config = file.path
                document = parse_yaml(file.body, name=str(config))
                for name in document.data.keys() & _LAID_UNDER.keys():
                    self.layers.lay(read_packaged(*_LAID_UNDER[name]), under=name)
                self.layers.lay(document)
        except BadYaml as error:
            self.problems.append(Problem(name=CONFIG, what=error.what, instead=error.next_step))
        if config and config.exists() and self._holds_tokens() and config.stat().st_mode & 0o077:
            step = f"Run chmod 600 {config}."
            self.warnings.append(Problem(name=str(config), what="it holds tokens and others may read it", instead=step))
        for names, given in ((VARIABLES, self.environ), (FLAGS, self.flags)):
            for name, where in names.items():
                if given.get(name):  # a variable that is set to nothing counts as not set
                    self.layers.put(where, given[name], name)
        return config

    def _search(self) -> Search:
        if self.instead:
            return Search(found=self.instead)
        if named := self.flags.get("--config") or self.environ.get(CONFIG):
            return Search(found=read_settings(self._path(named, self.cwd)))
        return find_settings(self.cwd, home_of(self.environ, self.cwd, self.flags))

    def _shape(self) -> tuple[OverlordFile, frozenset[str]]:
        """What was written, and the names of the sections that cannot be read and stand at their defaults."""
        try:
            return OVERLORD.read(self.layers.data), frozenset()
        except Wrong as wrong:
            self._tell(self.problems, *wrong.odd)
            broken = frozenset(str(where[0]) for where, _, _ in wrong.odd)
            sound = {name: value for name, value in self.layers.data.items() if name not in broken}
            return OVERLORD.read({"groups": {}, **sound}), broken

    def _home(self, base: Path) -> Path:
        given = self.flags.get("--home") or self.environ.get("OVERLORD_HOME")
        home = self._path(self.layers.text("home") or HOME, self.cwd if given else base)
        nearest = next(folder for folder in (home, *home.parents) if folder.exists())
        if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
            why = "is closed to me" if nearest.is_dir() else "is a file"
            step = "Name a folder that you own, such as OVERLORD_HOME=~/.overlord."
            self._tell(self.problems, (("home",), f"{home} cannot be written: {nearest} {why}", step))
        return home

    def _own_files(self, home: Path) -> UserFiles:
        """Roles and what belongs to them, in the state folder."""
        own = read_user_files(home)
        for where, document in own.documents.items():
            self.layers.note(document, where)
        self.problems += [Problem(name=file, what=what, instead=step) for file, what, step in own.broken]
        self._tell(self.problems, *own.odd)
        return own

    def _declared(self, file: OverlordFile, own: UserFiles) -> Declared | None:
        packs, odd = chosen_packs(file.packs, {**packaged_packs(), **own.packs} if file.packs else {})
        self._tell(self.problems, *odd)
        plain = not (file.roles or file.tools or file.workflows or packs)
        if file.contexts is None and plain and own.is_empty and file.workflow is None:
            return None
        return Declared(
            contexts=file.contexts,
            roles=file.roles,
            tools=file.tools,
            bundles=(*(_bundle_of(pack, own) for pack in packs), *(() if own.is_empty else (own.bundle,))),
            workflow=file.workflow,
            workflows={**own.workflows, **file.workflows},
            retries=frozenset(file.retries),
        )

    def _check(
        self, file: OverlordFile, broken: frozenset[str], projects: Sequence[Project], declared: Declared | None
    ) -> None:
        odd = [*policies.odd_limits(file.limits), *contradictions(file)]
        odd += policies.odd_retention(file.retention, file.limits)
        if file.risk:
            odd += odd_risk(file.risk)
        if not broken & {"contexts", "roles", "tools", "workflow", "workflows", "retries"} and declared:
            odd += odd_declared(declared)
        if "workflows" not in broken:
            own = declared.workflows if declared else file.workflows
            odd += overlord.odd_choices(file, lambda: workflow_names(own))
        odd += overlord.odd_locks(file.adaptive, lambda: role_names(declared))
        odd += overlord.odd_projects(projects)
        if not broken & {"git", "projects"}:
            odd += odd_manners(file.git, [project.git for project in projects])
        if "projects" not in broken:
            odd += overlord.odd_channels(file.channels, projects)
        self._tell(self.problems, *odd)
        misused = file.models.misused_keys(self.environ, tokens_in(file))
        self.problems += [Problem(name=name, what=what, instead=instead) for name, what, instead in misused]
        self._tell(self.warnings, *doubtful(file), *_without_code(file), *overlord.unset_secrets(projects))
        for name in sorted(self.environ):
            if name.startswith("OVERLORD_") and name not in (*VARIABLES, CONFIG):
                near = did_you_mean(name, VARIABLES)
                self.warnings.append(Problem(name=name, what="no setting has this name; it is not read", instead=near))

    def _tell(self, to: list[Problem], *odd: Odd) -> None:
        to += [Problem(name=self.layers.name(where), what=what, instead=instead) for where, what, instead in odd]

    def _holds_tokens(self) -> bool:
        places = (where for name, where in VARIABLES.items() if _SECRET_NAME.search(name))
        return any(self.layers.text(*where) for where in places)

    def _database(self, file: OverlordFile, home: Path, base: Path) -> str:
        if file.database_url is None:
            return f"sqlite:///{home / 'overlord.db'}"
        if not file.database_url.startswith("sqlite:///"):
            return file.database_url
        given = self.environ.get("OVERLORD_DATABASE_URL")
        path = self._path(file.database_url.removeprefix("sqlite:///"), self.cwd if given else base)
        if path.parent != home and not path.parent.is_dir():
            step = "Create it, or name a file in another folder."
            self._tell(self.problems, (("database_url",), f"there is no folder {path.parent}", step))
        return f"sqlite:///{path}"

    def _path(self, written: str, base: Path) -> Path:
        return expand(written, base, self.environ)

    def _project(self, part: ProjectPart, base: Path) -> Project:
        """With its paths as they are on this machine."""
        environment = part.gates.environment and str(self._path(part.gates.environment, base))
        return Project(
            name=part.name,
            path=self._path(part.path, base) if part.path else None,
            url=part.url,
            channel=part.channel or "",
            workflow=part.workflow,
            skills=part.skills,
            gates=replace(part.gates, environment=environment),
            git=part.git,
            environment=part.environment,
            secrets={name: self.environ[name] for name in part.environment.secrets if self.environ.get(name)},
        )


# What a part of overlord.yaml is laid over, where there is such a part.
_LAID_UNDER = {
    "risk": ("policies", "risk.yaml"),
    "packages": ("policies", "packages.yaml"),
    "retries": ("policies", "retries.yaml"),
    "contexts": ("contexts",),
}


def _bundle_of(pack: Pack, own: UserFiles) -> Bundle:
    """What comes with the program is nobody's here to mend."""
    return replace(pack.bundle, ours=pack.name not in own.packs)


def _without_code(file: OverlordFile) -> Iterator[Odd]:
    """Projects that git would have to fetch, and cannot: work on them can be talked about, and not begun."""
    if not any(project.url for project in file.projects):
        return

    for at, project in enumerate(file.projects):
        if project.url and not owner_and_name(project.url, file.github.api_url):
            what = f"`{project.name}` is not on {web_of(file.github.api_url)}, so there is no code of it to work on"
            yield ("projects", at, "url"), what, "Clone it yourself, and write its folder as `path` instead."
        elif project.url and file.github.token is None:
            what = f"there is no token for GitHub, so there is no code of `{project.name}` to work on"
            step = "Set GITHUB_TOKEN; or clone it yourself, and write its folder as `path` instead."
            yield ("projects", at, "url"), what, step


def _groups(file: OverlordFile) -> dict[Group, frozenset[str]]:
    return {**file.groups, Group.APPROVER: file.groups[Group.APPROVER] | frozenset(file.approvers)}


def _channels(file: OverlordFile) -> dict[str, ChannelPolicy]:
    channels = dict(file.channels)
    for project in file.projects:
        if project.channel:
            channels[project.channel] = replace(channels.get(project.channel, ChannelPolicy()), project=project.name)
    return channels


def _keys_in(environ: Mapping[str, str]) -> set[str]:
    """Values that other programs' variables hold, such as a model provider's key; short ones are no secrets."""
    return {value for name, value in environ.items() if _SECRET_NAME.search(name) and len(value) >= 8}
