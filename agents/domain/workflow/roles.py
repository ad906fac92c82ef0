"""Roles: personas for the planner, minions and reviewers. What each reads, is told, may use and is judged by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.domain.checks.evaluation import ExtraGate
from agents.domain.context.strategy import Input, Strategy


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
    ASK_HUMAN = "ask_human"
    REQUEST_SCOPE = "request_scope"
    TASK_COMPLETE = "task_complete"
    TASK_BLOCKED = "task_blocked"


class EngineName(StrEnum):
    """What powers a minion; agents/minions/engines/ holds the engines themselves."""

    BUILTIN = "builtin"


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
    engine: EngineName | None = None


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
    engine: EngineName = EngineName.BUILTIN  # what powers its minions
    source: str = ""  # where it is written; empty: it comes with Overlord

    def reading(self, other: Strategy) -> Strategy:
        """Another strategy than its own, within the same budget, and with what it always and never reads."""
        always, never = self.context.always_include, self.context.exclude
        budget = self.token_budget or other.token_budget
        return replace(other, token_budget=budget, always_include=always, exclude=never)


class BadRole(Exception):
    """What is wrong with a role: in which of its fields, what, and what to write instead."""

    def __init__(self, role: str, field: tuple[str, ...], what: str, step: str) -> None:
        super().__init__(f"{role}: {what}. {step}")
        self.where = (role, *field)
        self.what, self.step = what, step


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Roles that are written in one place; empty: that come with Overlord."""

    source: str
    parts: Mapping[str, RolePart]


class Roles:
    """Layers of roles, the last one on top, resolved one by one. Whoever overrides or extends may take away, and never
    add rights; what is taken from a role is taken from all that extend it."""

    def __init__(self, layers: Sequence[Layer], strategies: Mapping[str, Strategy]) -> None:
        self._layers, self._strategies = tuple(layers), strategies
        self._names = tuple(dict.fromkeys(name for layer in layers for name in layer.parts))

    def resolve(self) -> tuple[dict[str, Role], tuple[BadRole, ...]]:
        """All that are sound, and what is wrong with the others."""
        found, wrong = dict[str, Role](), dict[str, BadRole]()
        for name in self._names:
            try:
                found[name] = self._top(name, ())
            except BadRole as bad:
                wrong.setdefault(str(bad), bad)  # all that extend a broken one find the same
        return found, tuple(wrong.values())

    def _top(self, name: str, on_the_way: tuple[str, ...]) -> Role:
        """As it is where all layers are laid over each other."""
        role: Role | None = None
        for layer in self._layers:
            if part := layer.parts.get(name):
                parent = self._parent(part, layer, on_the_way) if role is None else _itself(part, role)
                role = self._checked(self._laid(part, parent, layer))
        assert role is not None, "whoever asks knows the name"
        return role

    def _parent(self, part: RolePart, layer: Layer, on_the_way: tuple[str, ...]) -> Role:
        name, wanted, where = part.name, part.extends, (part.name, ("extends",))
        if not wanted and not layer.source and name in [*Base]:
            return bare(Base(name))
        if not wanted:
            raise BadRole(*where, "it extends no role", f"Write `extends:` with one of {', '.join(Base)}, or of yours.")
        chain = (*on_the_way, name)
        if wanted in chain:
            raise BadRole(*where, f"it goes in a circle: {' → '.join((*chain, wanted))}", "End it at a base role.")
        if wanted not in self._names:
            raise BadRole(*where, f"there is no role `{wanted}`", f"Known: {', '.join(self._names)}.")
        return self._top(wanted, chain)

    def _laid(self, part: RolePart, parent: Role, layer: Layer) -> Role:
        """One value replaces, lists are appended, what a context says is merged, words follow each other. Tools
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
            allowed_tools=_tools(part, parent, mine=layer is self._layers[-1]),
            gates=_gates(part, parent),
            strengths=tuple(dict.fromkeys((*parent.strengths, *part.strengths))),
            engine=part.engine or parent.engine,
            source=layer.source,
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
        if odd := odd_context(role.strategy, role.context, role.base):
            raise BadRole(role.name, ("context", "strategy"), *odd)
        if role.base is Base.IMPLEMENTER and not set(ENDS) <= set(role.allowed_tools):
            what = "without `task_complete` and `task_blocked` its runs could not end"
            raise BadRole(role.name, ("allowed_tools",), what, "Add both.")
        if role.base is not Base.IMPLEMENTER and role.gates:
            raise BadRole(role.name, ("gates",), f"no {role.base} hands in work", "Write gates for an implementer.")
        if role.base is not Base.IMPLEMENTER and role.engine is not EngineName.BUILTIN:
            raise BadRole(role.name, ("engine",), f"no {role.base} is a minion", "Leave `engine` out.")
        if role.base is Base.PLANNER and (role.context.always_include or role.context.exclude):
            what = "a planner reads names of files, and all of them"
            raise BadRole(role.name, ("context",), what, "Leave `always_include` and `exclude` out.")
        return role


def odd_context(name: str, strategy: Strategy, base: Base) -> tuple[str, str] | None:
    """Why no role of this kind can read by a strategy, and what to write instead."""
    gathered = GATHERED[base]
    if odd := [each for each in strategy.inputs if each not in gathered]:
        step = f"Name one whose inputs are among {', '.join(gathered)}."
        return f"`{name}` gathers `{odd[0]}`, which no {base} reads", step
    if not strategy.most(gathered[0]):
        what = f"`{name}` gathers no `{gathered[0]}`, and no {base} can do without"
        return what, f"Name one that has `{gathered[0]}` among its inputs."
    return None


def bare(base: Base) -> Role:
    """What a base role is laid on: for minions all tools there are, for the others none."""
    tools = tuple(ToolName) if base is Base.IMPLEMENTER else ()
    return Role(name=base, base=base, context=Strategy(name=""), allowed_tools=tools)


def _itself(part: RolePart, below: Role) -> Role:
    """What a role of the same name is laid over."""
    if part.extends not in ("", part.name):
        step = f"Leave `extends` out, or choose another name than {part.name}."
        raise BadRole(part.name, ("extends",), f"`{part.name}` is there already", step)
    return below


def _tools(part: RolePart, parent: Role, *, mine: bool) -> tuple[ToolName, ...]:
    """`mine`: written by whoever can mend it. What comes from further below loses what its parent has lost."""
    if part.allowed_tools is None:
        return parent.allowed_tools
    more = [tool for tool in part.allowed_tools if tool not in parent.allowed_tools]
    if more and mine:
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
