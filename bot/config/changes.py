"""Changes of the settings file that a person asks for: projects, people and models. Everything else in it stays."""

import fcntl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agents.catalog.yaml import Value, parse_yaml
from agents.catalog.yaml_edit import append_item, as_lines, put_value, remove_item, remove_value
from agents.domain.decisions.authority import Group
from agents.domain.errors import OverlordError
from agents.domain.models.routing import ROLES
from agents.workspace.git.git import git_dir
from bot.config.accounts import WRITTEN_GROUPS, member
from bot.config.settings import Settings
from bot.config.settings_source import SettingsSource
from bot.config.state_folder import NAME, SettingsFile, accept, is_accepted, make_home

LOCK = "settings.lock"


class Change(Protocol):
    """One thing that somebody wants otherwise. `outcome` says it in the past tense."""

    @property
    def outcome(self) -> str: ...

    @property
    def lines(self) -> str:
        """What to write by hand, where the file may not be written."""

    def edit(self, text: str, settings: Settings, name: str) -> str:
        """The file's text with the change. Raises OverlordError where it makes no sense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddProject:
    project: str
    place: str  # a folder of this machine, or where git finds it
    channel: str = ""
    more: Mapping[str, Value] = field(default_factory=dict)  # gates, environment

    @property
    def entry(self) -> dict[str, Value]:
        where = "url" if _is_url(self.place) else "path"
        channel: dict[str, Value] = {"channel": self.channel} if self.channel else {}
        return {"name": self.project, where: self.place, **channel, **self.more}

    @property
    def outcome(self) -> str:
        return f"Project {self.project} was added ({self.place})"

    @property
    def lines(self) -> str:
        return as_lines(("projects",), [self.entry])

    def edit(self, text: str, settings: Settings, name: str) -> str:
        if known := next((each for each in settings.projects if each.name == self.project), None):
            if str(known.path or known.url) == self.place:
                return text
            where = known.path or known.url
            step = "Choose another name, or remove that one first."
            raise OverlordError(f"There is a project {self.project} already, at {where}", next_step=step)
        if not _is_url(self.place):
            refuse_no_repository(Path(self.place).expanduser())
        return append_item(text, name, ("projects",), self.entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddPacks:
    """Switches packs of roles on."""

    packs: tuple[str, ...]

    @property
    def outcome(self) -> str:
        return f"Switched on for the next start: {', '.join(self.packs)}"

    @property
    def lines(self) -> str:
        return as_lines(("packs",), list(self.packs))

    def edit(self, text: str, settings: Settings, name: str) -> str:
        for pack in self.packs:
            text = append_item(text, name, ("packs",), pack)
        return text


def refuse_no_repository(folder: Path) -> None:
    """A project is a git repository of this machine."""
    if not folder.is_absolute() or not folder.is_dir():
        raise OverlordError(f"There is no folder {folder}", next_step="Write the whole path of a folder that is there.")
    inside = git_dir(folder)
    if not (inside.is_file() or (inside / "HEAD").is_file()):
        step = f"Make it one: git -C {folder} init, add and commit. Or name the folder that has .git in it."
        raise OverlordError(f"{folder} is no git repository", next_step=step)


def _is_url(place: str) -> bool:
    return "://" in place or place.startswith("git@")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveProject:
    project: str

    @property
    def outcome(self) -> str:
        return f"Project {self.project} was removed; its repository and its tasks' history stay"

    @property
    def lines(self) -> str:
        return f"(take the project {self.project} out of `projects`)"

    def edit(self, text: str, settings: Settings, name: str) -> str:
        names = [each.name for each in settings.projects]
        if self.project not in names:
            raise OverlordError(f"There is no project {self.project}", next_step=f"There are: {_listed(names)}.")
        return remove_item(text, name, ("projects",), names.index(self.project))


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMember:
    group: str
    account: str

    @property
    def outcome(self) -> str:
        return f"{self.account} is in the group {self.group} now"

    @property
    def lines(self) -> str:
        return as_lines(("groups", self.group), [self.account])

    def edit(self, text: str, settings: Settings, name: str) -> str:
        group = _group(self.group)
        try:
            member(self.account)
        except ValueError as error:
            what, _, step = str(error).partition(". ")
            raise OverlordError(what, next_step=step) from None
        if self.account in settings.groups[group]:
            return text
        return append_item(text, name, ("groups", self.group), self.account)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMember:
    group: str
    account: str

    @property
    def outcome(self) -> str:
        return f"{self.account} is not in the group {self.group} any more"

    @property
    def lines(self) -> str:
        return f"(take {self.account} out of `groups.{self.group}`)"

    def edit(self, text: str, settings: Settings, name: str) -> str:
        from_file = list(_group_in(text, name, self.group))
        if self.account not in from_file:
            elsewhere = self.account in settings.groups[_group(self.group)]
            step = "It is named in the environment, in OVERLORD_APPROVERS." if elsewhere else "See `overlord people`."
            raise OverlordError(f"{self.account} is not in the group {self.group} of {name}", next_step=step)
        return remove_item(text, name, ("groups", self.group), from_file.index(self.account))


def _group_in(text: str, name: str, group: str) -> list[str]:
    groups = parse_yaml(text, name=name).data.get("groups")
    members = groups.get(group) if isinstance(groups, dict) else None
    return [str(each) for each in members] if isinstance(members, list) else []


def _group(written: str) -> Group:
    if written not in WRITTEN_GROUPS:
        raise OverlordError(f"There is no group {written}", next_step=f"There are: {_listed(WRITTEN_GROUPS)}.")
    return Group(written)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetModel:
    role: str
    model: str = ""  # litellm's name; empty: as if nothing were written

    @property
    def outcome(self) -> str:
        return f"The model for {self.role} is {self.model} now" if self.model else f"No model is named for {self.role}"

    @property
    def lines(self) -> str:
        return as_lines(("models", self.role), self.model) if self.model else f"(take out `models.{self.role}`)"

    def edit(self, text: str, settings: Settings, name: str) -> str:
        if self.role not in ROLES:
            raise OverlordError(f"There is no model for {self.role}", next_step=f"There are: {_listed(ROLES)}.")
        where = ("models", self.role)
        return put_value(text, name, where, self.model) if self.model else remove_value(text, name, where)


def _listed(names: object) -> str:
    return ", ".join(map(str, names)) or "none"  # type: ignore[call-overload]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    settings: Settings  # as they are read from now on
    path: Path
    differs: bool


def change_settings(source: SettingsSource, change: Change) -> Changed:
    """Write it into the file in force, or into the state folder where there is none. A file with errors is not written.

    What the environment says wins over the file, so a change that would have no effect is refused.
    """
    before = source.load()
    path = before.config or before.home / NAME
    make_home(before.home)
    with (before.home / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        after = change.edit(text, before, str(path))
        if after == text:
            return Changed(settings=before, path=path, differs=False)
        file = SettingsFile(path=path, body=after.encode())
        now = source.load(file)
        _refuse_overruled(source.environ, change)
        _write(file, change, trusted=is_accepted(path, before.home), home=before.home)
    return Changed(settings=now, path=path, differs=True)


def _refuse_overruled(environ: Mapping[str, str], change: Change) -> None:
    variable = f"OVERLORD_MODELS__{change.role.upper()}" if isinstance(change, SetModel) else ""
    if variable and environ.get(variable):
        step = f"Take {variable} out of the environment, and start again."
        raise OverlordError(f"{variable} is set in the environment, and wins over the file", next_step=step)


def _write(file: SettingsFile, change: Change, *, trusted: bool, home: Path) -> None:
    """Whole or not at all; a file that the operator accepted is accepted as it is now."""
    fresh = file.path.with_name(f".{file.path.name}.new")
    mode = file.path.stat().st_mode & 0o777 if file.path.exists() else 0o600
    try:
        fresh.touch(mode=0o600)
        fresh.write_bytes(file.body)
        fresh.chmod(mode)
        fresh.replace(file.path)
    except OSError as error:
        why = error.strerror or str(error)
        raise OverlordError(
            f"{file.path} cannot be written ({why})", next_step=f"Write it there yourself:\n{change.lines}"
        ) from None
    if trusted:
        accept(file, home)
