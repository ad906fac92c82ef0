"""Packs as YAML: roles of one field, with the contexts, tools and prompts that they use, and how their need is seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated

from pydantic import Field, Strict

from agents.catalog.roles.bundles import Bundle
from agents.catalog.roles.context_files import Contexts
from agents.catalog.roles.role_files import RolesByName, Tools
from agents.catalog.validation import Model, Name, Named, Title, fields_of, written_as
from agents.catalog.yaml import read_packaged
from agents.domain.project.role_packs import Clue

LONGEST_PROMPT = 8_000  # characters
_Words = Annotated[tuple[Annotated[str, Field(max_length=100)], ...], Field(max_length=60)]
Prompts = Annotated[Mapping[Name, Annotated[str, Field(max_length=LONGEST_PROMPT)]], Field(max_length=20)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenClue:
    files: _Words
    holds: _Words = ()
    built: Annotated[bool, Strict()] = False

    def clue(self) -> Clue:
        if not self.files:
            raise ValueError("it names no files. Write such as `files: [package.json]`.")
        return Clue(**fields_of(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """`roles_named`: those that it is for, also where they come with the program."""

    name: str
    title: str = ""
    description: str = ""
    detect: tuple[Clue, ...] = ()
    roles_named: tuple[str, ...] = ()
    bundle: Bundle


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPack:
    name: Title = ""
    title: Annotated[str, Field(max_length=60)] = ""
    description: Annotated[str, Field(max_length=500)] = ""
    detect: Annotated[tuple[Annotated[Clue, written_as(WrittenClue, WrittenClue.clue)], ...], Field(max_length=20)] = ()
    suggests: Annotated[tuple[Name, ...], Field(max_length=20)] = ()  # roles of ours that go with it
    roles: RolesByName = field(default_factory=dict)
    contexts: Contexts = field(default_factory=dict)
    tools: Tools = field(default_factory=dict)
    prompts: Prompts = field(default_factory=dict)

    def pack(self) -> Pack:
        bundle = Bundle(
            source=f"the pack {self.name}",
            where=("packs", self.name),
            roles=self.roles,
            contexts=self.contexts,
            tools=self.tools,
            prompts=self.prompts,
        )
        same = fields_of(self, "suggests", "roles", "contexts", "tools", "prompts")
        return Pack(**same, roles_named=tuple(dict.fromkeys((*self.suggests, *self.roles))), bundle=bundle)


_Pack = Annotated[Pack, written_as(WrittenPack, WrittenPack.pack)]
PACK: Model[Pack] = Model(_Pack)
PACKS: Model[Mapping[str, Pack]] = Model(Named[_Pack])
# What comes with the program stays as it is, and YAML takes long to read.
packaged_packs = cache(lambda: PACKS.read(read_packaged("packs").data))
