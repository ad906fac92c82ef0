"""Layers of roles, resolved into one: package, packs, the user's folder, overlord.yaml, and a project's own files.

Whoever overrides or extends may take away, and never add rights; what is taken from a role is taken from all that
extend it. One value replaces, lists are appended, what stands below names is merged, words follow each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TypeVar

from agents.domain.context.strategy import Input, Strategy
from agents.domain.context.variables import DIFFERENCE, VARIABLES
from agents.domain.workflow.custom_tools import CustomTool, how_to_declare
from agents.domain.workflow.role_limits import own_project_may_not
from agents.domain.workflow.roles import ALWAYS, GATHERED, Base, EngineName, Role, RolePart, ToolName, bare

T = TypeVar("T")
Place = tuple[str | int, ...]
Fault = tuple[Place, str, str]  # the field of a role, what is wrong with it, what to write instead
_NEAR = 0.75  # how alike two names are, where one is meant
# Of what a role wants and its strategy says nothing of: files, or characters of a difference.
MOST_OF = {
    Input.TARGETS: 20,
    Input.IMPORTS: 480,
    Input.INTERFACES: 20,
    Input.PUBLIC_API: 60,
    Input.GIT_DIFF: 12_000,
}


@dataclass(frozen=True, slots=True)
class BadRole:
    """What is wrong with a role: in which of its fields, what, and what to write instead."""

    role: str
    field: Place
    what: str
    step: str
    source: str = ""  # the layer that says it

    @property
    def where(self) -> Place:
        return (self.role, *self.field)


class BrokenRole(Exception):
    """Carries all that is wrong with one."""

    def __init__(self, *faults: BadRole) -> None:
        super().__init__("; ".join(f"{each.role}: {each.what}. {each.step}" for each in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Roles that are written in one place. `ours`: nobody here can mend it. `narrows`: a project's own files."""

    source: str  # empty: they come with Overlord
    parts: Mapping[str, RolePart]
    ours: bool = False
    narrows: bool = False
    tools: Mapping[str, CustomTool] = field(default_factory=dict)  # that roles of this and later layers may name
    prompts: Mapping[str, str] = field(default_factory=dict)  # templates, by name, that roles may name


class Roles:
    """`prompts`: names of the templates that come with Overlord."""

    def __init__(
        self, layers: Sequence[Layer], strategies: Mapping[str, Strategy], prompts: Sequence[str] = ()
    ) -> None:
        self._layers, self._strategies = tuple(layers), strategies
        self._names = tuple(dict.fromkeys(name for layer in layers for name in layer.parts))
        self._tools = {name: tool for layer in layers for name, tool in layer.tools.items()}
        self._prompts = {*prompts, *(name for layer in layers for name in layer.prompts)}

    def resolve(self) -> tuple[dict[str, Role], tuple[BadRole, ...]]:
        """All that are sound, and what is wrong with the others."""
        found, wrong = dict[str, Role](), dict[BadRole, None]()
        for name in self._names:
            try:
                found[name] = self._top(name, ())
            except BrokenRole as bad:
                wrong.update(dict.fromkeys(bad.faults))  # all that extend a broken one find the same
        return found, tuple(wrong)

    def _top(self, name: str, on_the_way: tuple[str, ...]) -> Role:
        """As it is where all layers are laid over each other."""
        role: Role | None = None
        for layer in self._layers:
            if part := layer.parts.get(name):
                parent = self._parent(part, layer, on_the_way) if role is None else _itself(part, role, layer)
                if faults := [*self._faults(part, parent, layer)]:
                    raise BrokenRole(*(BadRole(name, *each, layer.source) for each in faults))
                role = self._lay(part, parent, layer)
        assert role is not None, "whoever asks knows the name"
        return role

    def _parent(self, part: RolePart, layer: Layer, on_the_way: tuple[str, ...]) -> Role:
        name, wanted = part.name, part.extends
        if not wanted and not layer.source and name in [*Base]:
            return bare(Base(name))
        chain = (*on_the_way, name)
        if not wanted:
            what, step = "it extends no role", f"Write `extends:` with one of {', '.join(Base)}, or of yours."
        elif wanted in chain:
            what, step = f"it goes in a circle: {' → '.join((*chain, wanted))}", "End it at a base role."
        elif wanted not in self._names:
            what, step = f"there is no role `{wanted}`", _known(wanted, self._names)
        else:
            return self._top(wanted, chain)
        raise BrokenRole(BadRole(name, ("extends",), what, step, layer.source))

    def _faults(self, part: RolePart, parent: Role, layer: Layer) -> Iterator[Fault]:
        if layer.narrows:
            yield from own_project_may_not(part, parent)
            yield from self._odd_room(part, parent)
        if part.template and part.template not in self._prompts:
            yield ("template",), f"there is no template `{part.template}`", _known(part.template, sorted(self._prompts))
        yield from self._odd_reading(part, parent)
        if parent.base is Base.IMPLEMENTER:
            yield from self._odd_tools(part, parent, layer)
        else:
            step = "A role may have fewer than what it extends, never more."
            for name in dict.fromkeys((*(part.allowed_tools or ()), *part.tools)):
                place: Place = ("tools", name) if name in part.tools else ("allowed_tools",)
                yield place, f"`{name}` is not among the tools of `{parent.name}`", step
        if parent.base is Base.PLANNER and part.gates:
            yield ("gates",), "no planner hands in work", "Write gates for an implementer or a reviewer."
        yield from _odd_gates(part, parent)
        if (parent.flags or part.flags) and (part.engine or parent.engine) is EngineName.BUILTIN:
            what = "the built-in engine is no program that takes flags"
            yield ("flags",), what, "Leave `flags` out, or name the `engine` that they are for."

    def _odd_room(self, part: RolePart, parent: Role) -> Iterator[Fault]:
        """A project may write a context of its own, and so a budget: never a larger one than the role had."""
        mine, most = self._strategies.get(part.strategy), parent.context.budget
        if mine and self._context(part, parent).budget > most and not part.token_budget:
            what = (
                f"`{mine.name}` has {mine.budget} tokens, and a project's own file may only lower what is read, {most}"
            )
            yield ("context", "strategy"), what, "Lower its `token_budget`, or write it in overlord.yaml."

    def _odd_reading(self, part: RolePart, parent: Role) -> Iterator[Fault]:
        strategy, place = part.strategy or parent.strategy, ("context", "strategy")
        if strategy not in self._strategies:
            yield place, f"there is no strategy `{strategy}`", _known(strategy, [*self._strategies])
        elif odd := odd_context(strategy, self._context(part, parent), parent.base):
            yield place, *odd

    def _odd_tools(self, part: RolePart, parent: Role, layer: Layer) -> Iterator[Fault]:
        wanted = part.allowed_tools or ()
        more = [name for name in wanted if name in [*ToolName] and name not in (*parent.allowed_tools, *ALWAYS)]
        if self._may_mend(layer):
            for name in more:
                what = f"`{name}` is not among the tools of `{parent.name}`"
                yield ("allowed_tools",), what, "A role may have fewer than what it extends, never more."
        above, known = {tool.name: tool for tool in parent.tools}, self._commands_known(part, parent)
        for name in dict.fromkeys((*part.tools, *(name for name in wanted if name not in [*ToolName]))):
            place: Place = ("tools", name) if name in part.tools else ("allowed_tools",)
            if name not in known:
                near = get_close_matches(name, [*ToolName, *known], n=1, cutoff=_NEAR)
                yield place, f"there is no tool `{name}`", _known(name, near) if near else how_to_declare(name)
            elif name in [*ToolName]:
                yield place, "this tool is there already", "Give yours another name."
            elif known[name] != above.get(name) and ToolName.RUN_COMMAND not in parent.allowed_tools:
                what = f"`{parent.name}` may not run commands, so its children have none as a tool"
                yield place, what, "Extend a role that has `run_command`."

    def _commands_known(self, part: RolePart, parent: Role) -> dict[str, CustomTool]:
        return {**self._tools, **{tool.name: tool for tool in parent.tools}, **part.tools}

    def _lay(self, part: RolePart, parent: Role, layer: Layer) -> Role:
        itself, additions = parent.name == part.name, part.additions
        return replace(
            parent,
            name=part.name,
            extends=parent.extends if itself else parent.name,
            lineage=parent.lineage if itself else (parent.name, *parent.lineage),
            description=part.description or parent.description,
            additions=parent.additions if layer.narrows else _joined(parent.additions, additions),
            guidance=_joined(parent.guidance, additions) if layer.narrows else parent.guidance,
            template=part.template or parent.template,
            engine=part.engine or parent.engine,
            model=part.model or parent.model,
            flags=(*parent.flags, *part.flags),
            strategy=part.strategy or parent.strategy,
            token_budget=part.token_budget or parent.token_budget,
            git_diff=_wants_diff(part, parent),
            context=self._context(part, parent),
            allowed_tools=_allowed(part, parent),
            tools=self._commands(part, parent),
            gates=(*parent.gates, *(gate for gate in part.gates if gate not in parent.gates)),
            config={**parent.config, **{name: _merged(parent.config.get(name), v) for name, v in part.config.items()}},
            strengths=_appended(parent.strengths, part.strengths),
            offered=parent.offered if part.offered is None else part.offered,
            source=layer.source,
        )

    def _context(self, part: RolePart, parent: Role) -> Strategy:
        found, above = self._strategies[part.strategy or parent.strategy], parent.context
        left = self._strategies[parent.strategy].include if parent.strategy in self._strategies else ()
        include = tuple(each for each in _appended(above.include, part.include) if each not in left)
        return replace(
            found,
            inputs=_inputs(found, parent.base, include, _wants_diff(part, parent)),
            token_budget=part.token_budget or parent.token_budget or found.token_budget,
            include=_appended(found.include, include),
            always_include=_appended(above.always_include, part.always_include),
            exclude=_appended(above.exclude, part.exclude),
        )

    def _commands(self, part: RolePart, parent: Role) -> tuple[CustomTool, ...]:
        """Its own, those it names, and those of its parent where it names none."""
        known, wanted = self._commands_known(part, parent), part.allowed_tools
        above = [tool.name for tool in parent.tools] if wanted is None else []
        named = [name for name in wanted or () if name not in [*ToolName]]
        return tuple(known[name] for name in dict.fromkeys((*above, *part.tools, *named)))

    def _may_mend(self, layer: Layer) -> bool:
        """What comes from further below loses what its parent has lost; whoever wrote the top is told."""
        top = self._layers[-1]
        return layer is top if top.narrows else not layer.ours


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


def _itself(part: RolePart, below: Role, layer: Layer) -> Role:
    """What a role of the same name is laid over. It may say once more what that extends."""
    if part.extends not in ("", part.name, below.extends):
        step = f"Leave `extends` out, or choose another name than {part.name}."
        raise BrokenRole(BadRole(part.name, ("extends",), f"`{part.name}` is there already", step, layer.source))
    return below


def _allowed(part: RolePart, parent: Role) -> tuple[ToolName, ...]:
    """Tools alone are replaced, and only by fewer; some are always there."""
    if parent.base is not Base.IMPLEMENTER:
        return ()
    wanted = part.allowed_tools
    kept = [tool for tool in parent.allowed_tools if wanted is None or tool in wanted]
    return tuple(tool for tool in ToolName if tool in kept or tool in ALWAYS)


def _odd_gates(part: RolePart, parent: Role) -> Iterator[Fault]:
    """A gate that is there cannot be replaced: it might be by one that always passes. The same once more is no harm."""
    known = {gate.name: gate for gate in parent.gates}
    for gate in part.gates:
        if gate.name in known and known[gate.name] != gate:
            what = f"`{parent.name}` has a gate `{gate.name}` already"
            yield ("gates",), what, "Choose another name; what is extended keeps its gates."


def _wants_diff(part: RolePart, parent: Role) -> bool | None:
    return parent.git_diff if part.git_diff is None else part.git_diff


def _inputs(strategy: Strategy, base: Base, include: Sequence[str], diff: bool | None) -> Mapping[Input, int]:
    """Those of the strategy, and what the role names beside them. A reviewer always reads what changed."""
    found = {**strategy.inputs}
    for name in include:
        if (wanted := VARIABLES.get(name)) and base is not Base.PLANNER:
            found.setdefault(wanted, MOST_OF[wanted])
    if base is Base.IMPLEMENTER and (diff or DIFFERENCE in include):
        found.setdefault(Input.GIT_DIFF, MOST_OF[Input.GIT_DIFF])
    elif diff is False:
        found.pop(Input.GIT_DIFF, None)
    return found


def _known(written: str, names: Sequence[str]) -> str:
    near = get_close_matches(written, names, n=1, cutoff=_NEAR)
    return f"Did you mean `{near[0]}`?" if near else f"Known: {', '.join(names)}."


def _joined(above: str, below: str) -> str:
    return "\n\n".join(words for words in (above, below) if words)


def _appended(above: tuple[str, ...], below: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*above, *below)))


def _merged(above: T | None, below: T) -> T | tuple[str, ...]:
    return _appended(above, below) if isinstance(above, tuple) and isinstance(below, tuple) else below
