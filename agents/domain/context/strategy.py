"""Context strategies: what goes into a pack, how much of it, and what is kept first where not everything fits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agents.domain.context.packing import DEFAULT_BUDGET, MAX_BUDGET, Part, Room

FIRST = (Part.SYSTEM, Part.TASK, Part.TARGET)  # nothing comes before these
_LATER = (Part.CHANGES,)  # orders from before it was there keep it last
PER_TOKEN = 3  # characters, where tokens are not counted one by one; names of files have a few more
REQUEST = 20_000  # characters that a request may have


class Input(StrEnum):
    """What can be gathered."""

    FILES = "files"
    TARGETS = "targets"
    IMPORTS = "imports"
    TESTS = "tests"
    README = "readme"
    TREE = "tree"
    PLAN = "plan"
    DIFF = "diff"
    CHANGED_FILES = "changed_files"
    GIT_DIFF = "git_diff"
    STANDARDS = "standards"
    DECISIONS = "decisions"
    INTERFACES = "interfaces"
    PUBLIC_API = "public_api"
    SECURITY = "security"


class Condition(StrEnum):
    """When an input is gathered, where that depends on the work."""

    GIT_DIFF = "git_diff"  # something has changed on the branch
    RETRY = "retry"  # it is not the first attempt
    INTERFACES = "interfaces"  # the project has files that define interfaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """Which part of a pack an input becomes, what its number counts, and the most that may be written."""

    part: Part
    counts: str
    most: int


MEASURES: dict[Input, Measure] = {
    Input.FILES: Measure(part=Part.TREE, counts="characters", most=60_000),
    Input.TARGETS: Measure(part=Part.TARGET, counts="files", most=100),
    Input.IMPORTS: Measure(part=Part.IMPORTS, counts="files", most=1_000),
    Input.TESTS: Measure(part=Part.RELATED, counts="files", most=1_000),
    Input.README: Measure(part=Part.RELATED, counts="lines", most=10_000),
    Input.TREE: Measure(part=Part.TREE, counts="tokens", most=MAX_BUDGET),
    Input.PLAN: Measure(part=Part.TASK, counts="characters", most=40_000),
    Input.DIFF: Measure(part=Part.TARGET, counts="characters", most=400_000),
    Input.CHANGED_FILES: Measure(part=Part.IMPORTS, counts="files", most=1_000),
    Input.GIT_DIFF: Measure(part=Part.CHANGES, counts="characters", most=100_000),
    Input.STANDARDS: Measure(part=Part.RELATED, counts="files", most=50),
    Input.DECISIONS: Measure(part=Part.RELATED, counts="files", most=50),
    Input.INTERFACES: Measure(part=Part.IMPORTS, counts="files", most=100),
    Input.PUBLIC_API: Measure(part=Part.IMPORTS, counts="files", most=500),
    Input.SECURITY: Measure(part=Part.RELATED, counts="files", most=200),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """What is not among the inputs is not gathered; `include`, `always_include` and `exclude` are patterns of paths, or
    names that stand for some (variables.py)."""

    name: str
    description: str = ""
    token_budget: int = DEFAULT_BUDGET
    priority_order: tuple[Part, ...] = tuple(Part)
    inputs: Mapping[Input, int] = field(default_factory=dict)
    conditions: Mapping[Input, Condition] = field(default_factory=dict)  # an input that is not here has none
    include: tuple[str, ...] = ()  # where there is room
    always_include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ahead: tuple[Part, ...] = ()  # what is shown before the rest

    @property
    def budget(self) -> int:
        """Never more than the most one call may have, whoever wrote it."""
        return min(self.token_budget, MAX_BUDGET)

    @property
    def room(self) -> Room:
        return Room(budget=self.budget, order=self.priority_order, tree=self.most(Input.TREE), ahead=self.ahead)

    def most(self, wanted: Input) -> int:
        """0: none of it is gathered."""
        return self.inputs.get(wanted, 0)

    def under(self, holds: Collection[Condition]) -> "Strategy":
        """Without the inputs whose condition does not hold."""
        off = {name for name, condition in self.conditions.items() if condition not in holds}
        return replace(self, inputs={name: most for name, most in self.inputs.items() if name not in off})

    @property
    def files_room(self) -> int:
        """Characters of names that a planner is shown, once a request of any length fits too."""
        return max(0, min(self.most(Input.FILES), PER_TOKEN * self.budget - REQUEST))


def odd_order(order: tuple[Part, ...], inputs: Mapping[Input, int]) -> str:
    """What is wrong with an order, and what to write instead; empty if nothing is."""
    first = [part for part in order if part in FIRST]
    if len(set(order)) < len(order):
        return "it names a part twice. Name each once."
    if order[: len(first)] != tuple(part for part in FIRST if part in first):
        return f"nothing comes before {', '.join(FIRST)}. Begin with these, in this order."
    missing = [name for name in inputs if MEASURES[name].part not in (*order, *_LATER)]
    if missing:
        part = MEASURES[missing[0]].part
        return f"it does not say when `{missing[0]}` is kept. Add `{part}`, or leave the input out."
    return ""
