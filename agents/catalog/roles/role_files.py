"""Roles as YAML: what may stand in a role, and in the tools that it may name."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from agents.catalog.roles.context_files import Budget
from agents.catalog.validation import Model, Name, Named, Title, fields_of, matching, pattern, written_as
from agents.domain.checks.evaluation import Command, ExtraGate
from agents.domain.context.packing import secret_path
from agents.domain.context.variables import EXCLUDED, INCLUDED
from agents.domain.workflow.custom_tools import MOST_ARGUMENTS, Argument, ArgumentType, CustomTool, odd_tool
from agents.domain.workflow.roles import EngineName, RolePart, Setting

T = TypeVar("T")
LONGEST_ADDITIONS = 4_000  # characters; every turn of every minion carries them
Few = Annotated[tuple[T, ...], Field(max_length=30)]
_STRIPPED = AfterValidator(str.strip)
_Line = Annotated[str, Field(max_length=500), _STRIPPED]


def _refuse_secrets(written: str) -> str:
    """Files that may hold secrets are never packed, so a pattern that names them would promise what does not happen."""
    if secret_path(written):
        raise ValueError(f"`{written[:60]}` may hold secrets, and those are never read. Leave it out.")
    return written


def _path_or(names: tuple[str, ...], example: str) -> AfterValidator:
    """A pattern of paths, or one of the names that stand for files."""
    matches_paths: Any = pattern(example).func

    def check(written: str) -> str:
        if written in names:
            return written
        if written.startswith("$"):
            known = ", ".join(name for name in names if name.startswith("$"))
            raise ValueError(f"`{written[:60]}` stands for nothing here. Write one of {known}, or a path.")
        return str(matches_paths(written))

    return AfterValidator(check)


_Read = Annotated[str, _path_or(INCLUDED, "docs/**/*.md"), AfterValidator(_refuse_secrets)]
_LeftOut = Annotated[str, _path_or(EXCLUDED, "docs/**/*.md")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReading:
    """What a role reads."""

    strategy: Name = ""
    token_budget: Budget | None = None
    include: Few[_Read] = ()
    always_include: Few[_Read] = ()
    exclude: Few[_LeftOut] = ()
    git_diff: Annotated[bool, Strict()] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenArgument:
    type: ArgumentType = ArgumentType.STRING
    description: _Line = ""
    choices: Few[Annotated[str, Field(max_length=100)]] = ()
    required: Annotated[bool, Strict()] = True


def _short_argument(written: object) -> object:
    """`scenario: string` is short for `{type: string}`, and a list for a choice."""
    if isinstance(written, str):
        return {"type": written}
    if isinstance(written, list):
        return {"type": ArgumentType.CHOICE, "choices": written}
    if isinstance(written, dict) and "choices" in written:
        return {"type": ArgumentType.CHOICE, **written}
    return written


_Argument = Annotated[
    Argument, BeforeValidator(_short_argument), written_as(WrittenArgument, lambda a: Argument(**fields_of(a)))
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTool:
    name: Title = ""
    command: Command
    description: _Line = ""
    arguments: Annotated[Mapping[Name, _Argument], Field(max_length=MOST_ARGUMENTS)] = field(default_factory=dict)

    def tool(self) -> CustomTool:
        tool = CustomTool(**fields_of(self))
        if problem := odd_tool(tool):
            raise ValueError(problem)
        return tool


Tools = Annotated[Named[Annotated[CustomTool, written_as(WrittenTool, WrittenTool.tool)]], Field(max_length=30)]


def _template_name(written: str) -> str:
    return written.removesuffix(".j2")


_Template = Annotated[
    str,
    AfterValidator(_template_name),
    matching(r"[a-z][a-z0-9_-]{0,59}", "`{}` names no template. Write its name, such as `review_strict`."),
]
_Model = Annotated[
    str, matching(r"[\w./:@+-]{1,120}", "`{}` names no model. Write one such as `openai/gpt-5`, or `critic`.")
]
_Flag = Annotated[str, Field(max_length=200), matching(r"[^\0\n]+", "`{}` is no flag. Write one word a line.")]


def _setting(written: object) -> object:
    """A list of words, or one value."""
    if isinstance(written, list):
        if not all(isinstance(each, str) for each in written):
            raise ValueError("a list here holds words. Put each in quotes.")
        return tuple(each[:200] for each in written)
    if isinstance(written, dict) or written is None:
        raise ValueError("it is no plain value. Write a number, a word, true, false or a list of words.")
    return written[:500] if isinstance(written, str) else written


_Setting = Annotated[Setting, BeforeValidator(_setting)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRole:
    name: Title = ""
    extends: Name = ""
    description: _Line = ""
    system_prompt_additions: Annotated[str, Field(max_length=LONGEST_ADDITIONS), _STRIPPED] = ""
    template: _Template | None = None
    engine: EngineName | None = None
    cli: EngineName | None = None  # another word for the engine
    model: _Model | None = None
    flags: Few[_Flag] = ()
    context: WrittenReading = field(default_factory=WrittenReading)
    allowed_tools: Few[Name] | None = None
    tools: Tools = field(default_factory=dict)
    gates: Few[ExtraGate] = ()
    config: Annotated[Mapping[Name, _Setting], Field(max_length=30)] = field(default_factory=dict)
    strengths: Few[Annotated[str, Field(max_length=200), _STRIPPED]] = ()
    offered: Annotated[bool, Strict()] | None = None

    def part(self) -> RolePart:
        if self.cli and self.engine and self.cli is not self.engine:
            raise ValueError("`cli` and `engine` are the same and name two. Write `engine` alone.")
        same = fields_of(self, "context", "system_prompt_additions", "cli", "template", "model", "engine")
        part = RolePart(**same, **fields_of(self.context), additions=self.system_prompt_additions)
        return replace(part, template=self.template or "", model=self.model or "", engine=self.engine or self.cli)


Role = Annotated[RolePart, written_as(WrittenRole, WrittenRole.part)]
RolesByName = Named[Role]
ROLE: Model[RolePart] = Model(Role)
ROLES: Model[Mapping[str, RolePart]] = Model(RolesByName)
