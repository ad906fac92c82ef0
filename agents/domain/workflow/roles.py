"""Roles: personas for the planner, minions and reviewers. What each reads, is told, may use and is judged by."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.domain.checks.evaluation import ExtraGate
from agents.domain.context.strategy import Input, Strategy
from agents.domain.workflow.custom_tools import CustomTool

Setting = bool | int | float | str | tuple[str, ...]  # a value under `config:` of a role


class Base(StrEnum):
    """What every role is one of, however many it extends on the way."""

    PLANNER = "planner"
    IMPLEMENTER = "implementer"
    REVIEWER = "reviewer"


class ToolName(StrEnum):
    """What a minion may be offered; agents/minions/engines/builtin/tools/ holds the tools themselves."""

    READ_FILE = "read_file"
    WRITE_FILE = "write_file"
    EDIT_FILE = "edit_file"
    LIST_DIRECTORY = "list_directory"
    GLOB_FILES = "glob_files"
    SEARCH_FILES = "search_files"
    RUN_COMMAND = "run_command"
    LIST_SKILLS = "list_skills"
    USE_SKILL = "use_skill"
    SEARCH_KNOWLEDGE = "search_knowledge"
    ASK_HUMAN = "ask_human"
    REQUEST_SCOPE = "request_scope"
    PUT_BACK = "put_back"
    TASK_COMPLETE = "task_complete"
    TASK_BLOCKED = "task_blocked"


class EngineName(StrEnum):
    """What powers a role; agents/minions/engines/ holds the engines of minions."""

    BUILTIN = "builtin"
    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"


TITLES = {  # on cards
    EngineName.BUILTIN: "built-in",
    EngineName.CLAUDE: "Claude Code",
    EngineName.CODEX: "Codex",
    EngineName.GEMINI: "Gemini CLI",
}

# Without the first two a run could only end by its limits, and without the third it would have to guess.
ALWAYS = (ToolName.ASK_HUMAN, ToolName.TASK_COMPLETE, ToolName.TASK_BLOCKED)
WRITES = (ToolName.WRITE_FILE, ToolName.EDIT_FILE, ToolName.RUN_COMMAND)

_SHARED = (Input.STANDARDS, Input.DECISIONS)
# What is gathered for each kind; the first must be there, for without it there is nothing to work on.
GATHERED: dict[Base, tuple[Input, ...]] = {
    Base.PLANNER: (Input.FILES,),
    Base.IMPLEMENTER: (
        Input.TARGETS,
        Input.IMPORTS,
        Input.TESTS,
        Input.README,
        Input.TREE,
        Input.GIT_DIFF,
        Input.INTERFACES,
        Input.PUBLIC_API,
        *_SHARED,
    ),
    Base.REVIEWER: (
        Input.DIFF,
        Input.PLAN,
        Input.CHANGED_FILES,
        Input.SECURITY,
        Input.INTERFACES,
        *_SHARED,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RolePart:
    """A role as it is written: what it says beside, or instead of, the one it extends."""

    name: str
    extends: str = ""
    description: str = ""
    additions: str = ""
    template: str = ""
    engine: EngineName | None = None
    model: str = ""
    flags: tuple[str, ...] = ()
    strategy: str = ""
    token_budget: int | None = None
    include: tuple[str, ...] = ()
    always_include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    git_diff: bool | None = None
    allowed_tools: tuple[str, ...] | None = None  # of ours, and of `tools`
    tools: Mapping[str, CustomTool] = field(default_factory=dict)
    gates: tuple[ExtraGate, ...] = ()
    config: Mapping[str, Setting] = field(default_factory=dict)
    strengths: tuple[str, ...] = ()
    offered: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role with all that it extends."""

    name: str
    base: Base
    extends: str = ""
    description: str = ""
    additions: str = ""  # to what it is told as its instructions
    guidance: str = ""  # the same from a project's own files, which order nobody about
    template: str = ""  # a prompt that says more of its instructions
    engine: EngineName = EngineName.BUILTIN  # what powers it
    model: str = ""  # empty: as the question or the talk would be asked anyway
    flags: tuple[str, ...] = ()  # for an engine that is a program
    strategy: str = ""
    token_budget: int | None = None  # None: as the strategy says
    git_diff: bool | None = None  # None: as the strategy says
    context: Strategy
    allowed_tools: tuple[ToolName, ...] = ()
    tools: tuple[CustomTool, ...] = ()  # commands that it may call as tools
    gates: tuple[ExtraGate, ...] = ()
    config: Mapping[str, Setting] = field(default_factory=dict)
    strengths: tuple[str, ...] = ()
    offered: bool = True  # whether a planner may name it for a subtask
    source: str = ""  # where it is written; empty: it comes with Overlord
    lineage: tuple[str, ...] = ()  # all that it extends, the nearest first

    @property
    def for_subtasks(self) -> bool:
        return self.base is Base.IMPLEMENTER and self.offered

    @property
    def writes(self) -> bool:
        return any(tool in self.allowed_tools for tool in WRITES)

    def reading(self, other: Strategy) -> Strategy:
        """Another strategy than its own, within the same budget, and with what it always and never reads."""
        mine = self.context
        return replace(
            other,
            token_budget=self.token_budget or other.token_budget,
            include=tuple(dict.fromkeys((*other.include, *mine.include))),
            always_include=mine.always_include,
            exclude=mine.exclude,
        )


def bare(base: Base) -> Role:
    """What a base role is laid on: for minions all tools there are, for the others none."""
    tools = tuple(ToolName) if base is Base.IMPLEMENTER else ()
    return Role(name=base, base=base, context=Strategy(name=""), allowed_tools=tools)


def good_for(role: Role, usual: Collection[str] = ()) -> str:
    """What a planner is told of a role that may do a subtask. `usual`: what all of them are good at."""
    strong = [each for each in role.strengths if each not in usual]
    said = role.description.rstrip(".")
    return f"{said}; good at {', '.join(strong)}" if strong else said


def acting_as(role: Role, job: Role) -> Role:
    """A persona in another job than its own: it reads and may do what the job's role does, and is told its own words
    as well."""
    if role.base is job.base:
        return role
    words = "\n\n".join(each for each in (job.additions, role.additions) if each)
    return replace(
        job,
        name=role.name,
        description=role.description,
        additions=words,
        config=role.config,
        strengths=role.strengths,
    )
