"""What a project needs installed: as the operator writes it, and as it is found in the project's own files."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

from agents.domain.checks.evaluation import Command, slug
from agents.domain.checks.scope import odd_path
from agents.domain.ids import fingerprint

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
VALUE_MOST = 2_000
# What decides how a sandbox itself works is not for a project to set.
_OURS = frozenset({"PATH", "HOME", "LD_PRELOAD", "LD_LIBRARY_PATH", "LAYER", "PYTHON", "BASH_ENV", "ENV"})


class Ecosystem(StrEnum):
    PYTHON = "python"
    NODE = "node"
    GO = "go"
    RUST = "rust"


def _variable(written: str) -> str:
    if not _VARIABLE.fullmatch(written):
        raise ValueError(f"`{written[:60]}` is no name of a variable. Use letters, digits and underscores: `API_MODE`.")
    if written.upper() in _OURS:
        raise ValueError(f"`{written}` is set by the sandbox itself. Choose another name.")
    return written


def _value(written: str) -> str:
    if not written.isprintable() or len(written) > VALUE_MOST:
        raise ValueError(f"it is no value of a variable. Write one line of at most {VALUE_MOST} characters.")
    return written


def _inside(written: str) -> str:
    if problem := odd_path(written):
        raise ValueError(
            f"`{written[:60]}` is no file of the project: {problem}. Write one such as `config/local.env`."
        )
    return written


Variable = Annotated[str, AfterValidator(_variable)]
Value = Annotated[str, AfterValidator(_value)]
InProject = Annotated[str, AfterValidator(_inside)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A program that runs beside tests, in their own sandbox, and ends with it."""

    name: Annotated[str, AfterValidator(slug)]
    command: Command
    ready: Command = ""  # succeeds once it can be used; empty: at once


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEnvironment:
    """`environment:` of a project. What is not written is found by what lies in the repository."""

    setup: tuple[Command, ...] | None = None  # run once, with a network; an empty list: nothing is installed
    prepare: tuple[Command, ...] | None = None  # run offline in every fresh tree
    carry: tuple[InProject, ...] = ()  # ignored files of the user's own checkout that every tree gets
    services: tuple[Service, ...] = ()
    variables: Mapping[Variable, Value] = field(default_factory=dict)
    secrets: tuple[Variable, ...] = ()  # variables of the operator's own environment; set-up alone sees them


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one folder of a repository needs. Commands stand there as they will be run, from the root of the tree."""

    ecosystem: Ecosystem
    folder: str = ""
    seen: str = ""  # the file that told
    toolchain: str = ""  # what runs it, with its version
    setup: tuple[str, ...] = ()
    prepare: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()  # files that decide what is installed
    members: tuple[str, ...] = ()  # folders of packages that are set up together with it
    generated: tuple[str, ...] = ()  # files that set-up makes in the tree, and every tree needs
    variables: Mapping[str, str] = field(default_factory=dict)  # for set-up alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The whole of it, found and written together."""

    parts: tuple[Part, ...] = ()
    setup: tuple[str, ...] = ()
    prepare: tuple[str, ...] = ()
    carry: tuple[str, ...] = ()
    services: tuple[Service, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    written: bool = False  # the operator wrote the set-up commands: that is consent to them
    proposed: tuple[str, ...] = ()  # files that a model read the set-up commands from

    @property
    def locks(self) -> tuple[str, ...]:
        return tuple(sorted({*(path for part in self.parts for path in part.locks), *self.proposed}))

    @property
    def generated_files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for part in self.parts for path in part.generated))

    @property
    def consent(self) -> str:
        """The hash of what a person consents to: the exact commands, and the names of the secrets they are given."""
        return fingerprint("set-up", *self.setup, "secrets", *self.secrets)

    @property
    def made_variables(self) -> Mapping[str, str]:
        """What set-up alone is told beside the project's variables."""
        return {name: value for part in self.parts for name, value in part.variables.items()}

    def key(self, blobs: Mapping[str, str]) -> str:
        """The hash that a layer is known by: of lock files, commands and toolchains. `blobs`: what the files hold."""
        return fingerprint(*self._parts_of_key(blobs))

    def _parts_of_key(self, blobs: Mapping[str, str]) -> Iterator[str]:
        yield from ("layer 1", *self.setup, "toolchain", *(part.toolchain for part in self.parts))
        yield from ("locks", *(f"{path} {blobs.get(path, '')}" for path in self.locks))
        told = {**self.made_variables, **self.variables}
        yield from ("variables", json.dumps(told, sort_keys=True), "secrets", *self.secrets)


def lay_over(found: tuple[Part, ...], written: WrittenEnvironment) -> Environment:
    """What the operator wrote wins over what was found."""
    setup = tuple(command for part in found for command in part.setup)
    prepare = tuple(command for part in found for command in part.prepare)
    return Environment(
        parts=found,
        setup=setup if written.setup is None else written.setup,
        prepare=prepare if written.prepare is None else written.prepare,
        carry=written.carry,
        services=written.services,
        variables=written.variables,
        secrets=written.secrets,
        written=written.setup is not None,
    )
