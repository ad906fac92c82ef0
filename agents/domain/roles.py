"""Roles: personas for the planner, minions and reviewers. What each reads, is told, may use and is judged by."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

from agents.domain.gates import ExtraGate
from agents.domain.records import dataclass
from agents.domain.strategy import Input, Strategy


class Base(StrEnum):
    """What every role is one of, however many it extends on the way."""

    PLANNER = "planner"
    IMPLEMENTER = "implementer"
    REVIEWER = "reviewer"


class ToolName(StrEnum):
    """What a minion may be offered; agents/minions/tools/ holds the tools themselves."""

    READ_FILE = "read_file"
    WRITE_FILE = "write_file"
    EDIT_FILE = "edit_file"
    LIST_DIRECTORY = "list_directory"
    GLOB_FILES = "glob_files"
    SEARCH_FILES = "search_files"
    RUN_COMMAND = "run_command"
    LIST_SKILLS = "list_skills"
    USE_SKILL = "use_skill"
    ASK_HUMAN = "ask_human"
    REQUEST_SCOPE = "request_scope"
    TASK_COMPLETE = "task_complete"
    TASK_BLOCKED = "task_blocked"


ENDS = (ToolName.TASK_COMPLETE, ToolName.TASK_BLOCKED)  # without them a run could only end by its limits

# What is gathered for each kind; the first must be there, for without it there is nothing to work on.
GATHERED: dict[Base, tuple[Input, ...]] = {
    Base.PLANNER: (Input.FILES,),
    Base.IMPLEMENTER: (Input.TARGETS, Input.IMPORTS, Input.TESTS, Input.README, Input.TREE),
    Base.REVIEWER: (Input.DIFF, Input.PLAN, Input.CHANGED_FILES),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RolePart:
    """A role as it is written: what it says beside, or instead of, the one it extends."""

    name: str
    extends: str = ""
    description: str = ""
    additions: str = ""
    strategy: str = ""
    token_budget: int | None = None
    always_include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    allowed_tools: tuple[ToolName, ...] | None = None
    gates: tuple[ExtraGate, ...] = ()
    strengths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """A role with all that it extends."""

    name: str
    base: Base
    extends: str = ""
    description: str = ""
    additions: str = ""  # to what it is told as its instructions
    strategy: str = ""
    token_budget: int | None = None  # None: as the strategy says
    context: Strategy
    allowed_tools: tuple[ToolName, ...] = ()
    gates: tuple[ExtraGate, ...] = ()
    strengths: tuple[str, ...] = ()
    source: str = ""  # where it is written; empty: it comes with Overlord


class BadRole(Exception):
    """What is wrong with a role: in which of its fields, what, and what to write instead."""

    def __init__(self, role: str, field: tuple[str, ...], what: str, step: str) -> None:
        super().__init__(f"{role}: {what}. {step}")
        self.where = (role, *field)
        self.what, self.step = what, step


class Roles:
    """Roles laid over those below, resolved one by one. Whoever overrides or extends may take away, never add rights
    (attack 67)."""

    def __init__(
        self,
        parts: Mapping[str, RolePart],
        strategies: Mapping[str, Strategy],
        below: Mapping[str, Role] | None = None,
        source: str = "",
    ) -> None:
        self._parts, self._strategies, self._source = parts, strategies, source
        self._below = below
        self._found: dict[str, Role] = dict(below or {})

    def resolved(self) -> tuple[dict[str, Role], tuple[BadRole, ...]]:
        """All that are sound, and what is wrong with the others."""
        wrong = list[BadRole]()
        for name in self._parts:
            try:
                self._found[name] = self._resolve(name, ())
            except BadRole as bad:
                if str(bad) not in map(str, wrong):  # all that extend a broken one find the same
                    wrong.append(bad)
        return self._found, tuple(wrong)

    def _resolve(self, name: str, on_the_way: tuple[str, ...]) -> Role:
        part, parent = self._parts[name], self._parent(name, on_the_way)
        if parent is None:
            return self._checked(self._laid(part, bare(Base(name))))
        return self._checked(self._laid(part, parent))

    def _parent(self, name: str, on_the_way: tuple[str, ...]) -> Role | None:
        """None: it is a base, and has none."""
        below, wanted, where = self._below or {}, self._parts[name].extends, (name, ("extends",))
        if name in below and wanted in ("", name):
            return below[name]
        if name in below:
            raise BadRole(
                *where, f"`{name}` is there already", f"Leave `extends` out, or choose another name than {name}."
            )
        if not wanted and (self._below is not None or name not in [*Base]):
            raise BadRole(*where, "it extends no role", f"Write `extends:` with one of {', '.join(Base)}, or of yours.")
        if not wanted:
            return None
        chain = (*on_the_way, name)
        if wanted in chain:
            raise BadRole(*where, f"it goes in a circle: {' → '.join((*chain, wanted))}", "End it at a base role.")
        if wanted in self._parts:
            return self._resolve(wanted, chain)
        if wanted not in below:
            raise BadRole(*where, f"there is no role `{wanted}`", f"Known: {', '.join((*below, *self._parts))}.")
        return below[wanted]

    def _laid(self, part: RolePart, parent: Role) -> Role:
        """M185: one value replaces, lists are appended, what a context says is merged, words follow each other. Tools
        alone are replaced, and only by fewer."""
        strategy, budget = part.strategy or parent.strategy, part.token_budget or parent.token_budget
        context = self._context(part, parent, strategy, budget)
        return replace(
            parent,
            name=part.name,
            extends=parent.name if parent.name != part.name else parent.extends,
            description=part.description or parent.description,
            additions="\n\n".join(words for words in (parent.additions, part.additions) if words),
            strategy=strategy,
            token_budget=budget,
            context=context,
            allowed_tools=_tools(part, parent),
            gates=_gates(part, parent),
            strengths=tuple(dict.fromkeys((*parent.strengths, *part.strengths))),
            source=self._source,
        )

    def _context(self, part: RolePart, parent: Role, strategy: str, budget: int | None) -> Strategy:
        if strategy not in self._strategies:
            known = ", ".join(self._strategies)
            raise BadRole(part.name, ("context", "strategy"), f"there is no strategy `{strategy}`", f"Known: {known}.")
        found = self._strategies[strategy]
        return replace(
            found,
            token_budget=budget or found.token_budget,
            always_include=tuple(dict.fromkeys((*parent.context.always_include, *part.always_include))),
            exclude=tuple(dict.fromkeys((*parent.context.exclude, *part.exclude))),
        )

    def _checked(self, role: Role) -> Role:
        gathered, where = GATHERED[role.base], ("context", "strategy")
        if odd := [name for name in role.context.inputs if name not in gathered]:
            step = f"Name one whose inputs are among {', '.join(gathered)}."
            raise BadRole(role.name, where, f"`{role.strategy}` gathers `{odd[0]}`, which no {role.base} reads", step)
        if not role.context.most(gathered[0]):
            what = f"`{role.strategy}` gathers no `{gathered[0]}`, and no {role.base} can do without"
            raise BadRole(role.name, where, what, f"Name one that has `{gathered[0]}` among its inputs.")
        if role.base is Base.IMPLEMENTER and not set(ENDS) <= set(role.allowed_tools):
            what = "without `task_complete` and `task_blocked` its runs could not end"
            raise BadRole(role.name, ("allowed_tools",), what, "Add both.")
        if role.base is not Base.IMPLEMENTER and role.gates:
            raise BadRole(role.name, ("gates",), f"no {role.base} hands in work", "Write gates for an implementer.")
        if role.base is Base.PLANNER and (role.context.always_include or role.context.exclude):
            what = "a planner reads names of files, and all of them"
            raise BadRole(role.name, ("context",), what, "Leave `always_include` and `exclude` out.")
        return role


def bare(base: Base) -> Role:
    """What a base role is laid on: for minions all tools there are, for the others none."""
    tools = tuple(ToolName) if base is Base.IMPLEMENTER else ()
    return Role(name=base, base=base, context=Strategy(name=""), allowed_tools=tools)


def _tools(part: RolePart, parent: Role) -> tuple[ToolName, ...]:
    if part.allowed_tools is None:
        return parent.allowed_tools
    more = [tool for tool in part.allowed_tools if tool not in parent.allowed_tools]
    if more:
        what = f"`{more[0]}` is not among the tools of `{parent.name}`"
        raise BadRole(part.name, ("allowed_tools",), what, "A role may have fewer than what it extends, never more.")
    return tuple(tool for tool in parent.allowed_tools if tool in part.allowed_tools)


def _gates(part: RolePart, parent: Role) -> tuple[ExtraGate, ...]:
    """A gate that is there cannot be replaced: it might be by one that always passes."""
    known = {gate.name for gate in parent.gates}
    if twice := [gate.name for gate in part.gates if gate.name in known]:
        what = f"`{parent.name}` has a gate `{twice[0]}` already"
        raise BadRole(part.name, ("gates",), what, "Choose another name; what is extended keeps its gates.")
    return (*parent.gates, *part.gates)
