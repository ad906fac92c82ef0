"""A request split into PR-sized subtasks, and what code alone can find wrong with the split."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter

from agents.domain.checks.scope import odd_path, twins
from agents.domain.ids import fingerprint
from agents.domain.text.sanitize import clean

MAX_HOURS = 4.0
MAX_FILES = 10
MAX_REVIEW_MINUTES = 15
MIN_SUBTASKS, MAX_SUBTASKS = 1, 7
VERIFY = "Verify: "


class Edge(StrEnum):
    BLOCKS = "blocks"
    INFORMS = "informs"  # only carries the hand-off note


class Confidence(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Level(StrEnum):
    """Each is tried only where the one before gave no plan. Whoever judges is never made simpler: that fails closed."""

    PRIMARY = "primary"
    SIMPLIFIED = "simplified"
    MINIMAL = "minimal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """This subtask needs another one first, or is only told of it."""

    number: int
    edge: Edge = Edge.BLOCKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtask:
    """One PR: one reason, few files, testable and reviewable by itself."""

    number: int
    title: str
    why: str
    files: tuple[str, ...] = ()
    hours: float = 1.0
    review_minutes: int = 10
    confidence: Confidence = Confidence.MEDIUM
    test: str = ""  # how it is shown to work by itself
    needs: tuple[Need, ...] = ()
    spike: bool = False  # finds something out; writes no product code
    decides: bool = False  # settles an open choice, so it needs to be told something first
    phase: int = 1
    tags: tuple[str, ...] = ()
    closing: bool = field(default=False, repr=False)  # judges the whole; set by `with_closing` alone

    @property
    def blocked_by(self) -> tuple[int, ...]:
        return tuple(need.number for need in self.needs if need.edge is Edge.BLOCKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    what: str
    mitigation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    goal: str
    subtasks: tuple[Subtask, ...]
    assumptions: tuple[str, ...] = ()  # load-bearing and untested
    risks: tuple[Risk, ...] = ()
    summary: str = ""
    into: str = ""  # the branch that the work is for; empty: not known when it was drafted

    @property
    def hash(self) -> str:
        """What an approval is bound to."""
        parts = [f"{subtask!r}{' closing' if subtask.closing else ''}" for subtask in self.subtasks]
        risks = (repr(risk) for risk in self.risks)
        target = (f"into {self.into}",) if self.into else ()
        return fingerprint(self.goal, self.summary, *self.assumptions, *risks, *parts, *target)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for subtask in self.subtasks for path in subtask.files))

    @property
    def tags(self) -> frozenset[str]:
        return frozenset(tag for subtask in self.subtasks for tag in subtask.tags)

    @property
    def closing(self) -> Subtask | None:
        """The one that code added to judge the whole.

        Plans of older versions mark none. Theirs is the last one, if it waits for all others and writes nothing.
        """
        marked = next((subtask for subtask in self.subtasks if subtask.closing), None)
        return marked or _closing_unmarked(self.subtasks)

    @property
    def steps(self) -> tuple[Subtask, ...]:
        """All but the closing one: what was asked of minions."""
        closing = self.closing
        return tuple(subtask for subtask in self.subtasks if subtask is not closing)

    def is_closing(self, number: int) -> bool:
        closing = self.closing
        return closing is not None and closing.number == number

    @property
    def phases(self) -> tuple[int, ...]:
        return tuple(sorted({subtask.phase for subtask in self.subtasks}))

    def blocking(self) -> dict[int, tuple[int, ...]]:
        """What each subtask waits for: its own needs and, as a barrier, every earlier phase."""
        return {
            s.number: (*s.blocked_by, *(other.number for other in self.subtasks if other.phase < s.phase))
            for s in self.subtasks
        }

    def dependents(self, number: int) -> list[int]:
        """Those that wait for a subtask by their own needs, and those that wait for them."""
        found, more = {number}, {number}
        while more:
            more = {s.number for s in self.steps if found & set(s.blocked_by)} - found
            found |= more
        return sorted(found - {number})

    def order(self) -> list[list[int]]:
        return waves(self.blocking())


def waves(needs: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """The subtasks in the order they could be done, those side by side together."""
    sorter, found = TopologicalSorter(needs), list[list[int]]()
    sorter.prepare()
    while sorter.is_active():
        found.append(list(sorter.get_ready()))
        sorter.done(*found[-1])
    return found


def cycle_in(needs: Mapping[int, Sequence[int]]) -> list[int]:
    """One circle, from each subtask to one that it needs; empty if there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as found:
        return list(reversed(found.args[1]))
    return []


def _closing_unmarked(subtasks: tuple[Subtask, ...]) -> Subtask | None:
    """Never of a new plan: `with_closing` marks one in each."""
    last = subtasks[-1] if len(subtasks) > 1 else None
    if last is None or last.files or not last.title.startswith(VERIFY):
        return None
    return last if set(last.blocked_by) == {other.number for other in subtasks[:-1]} else None


def with_closing(plan: Decomposition) -> Decomposition:
    """Add the one subtask that judges the whole. No other is one, whatever it is called."""
    steps = tuple(replace(subtask, closing=False) for subtask in plan.subtasks if not subtask.closing)
    if not steps:
        return plan
    closing = Subtask(
        number=max(subtask.number for subtask in steps) + 1,
        title=f"{VERIFY}{plan.goal} fully resolved",
        why="shows that the parts together do what was asked for",
        hours=0.5,
        review_minutes=5,
        confidence=Confidence.HIGH,
        test="the whole test suite, and the request read again sentence by sentence",
        needs=tuple(Need(number=subtask.number) for subtask in steps),
        phase=max(subtask.phase for subtask in steps),
        closing=True,
    )
    return replace(plan, subtasks=(*steps, closing))


def faults(plan: Decomposition, known_files: Collection[str] | None = None) -> list[str]:
    """Everything that code can see is wrong, each with what to do about it. Empty: it may be reviewed."""
    found = [fault for subtask in plan.subtasks for fault in _too_big(subtask)]
    found += _wrong_graph(plan)
    found += _wrong_shape(plan)
    found += _odd_files(plan, known_files or ())
    if known_files is not None:
        found += _unknown_folders(plan, known_files)
    return found


def _too_big(subtask: Subtask) -> Iterator[str]:
    """PR-sized only if every one of these holds."""
    name = f"Subtask {subtask.number} ({subtask.title})"
    if subtask.hours > MAX_HOURS:
        yield f"{name} takes {subtask.hours:g} h; at most {MAX_HOURS:g} h: split it"
    if len(subtask.files) > MAX_FILES:
        yield f"{name} touches {len(subtask.files)} files; at most {MAX_FILES}: split it"
    if subtask.review_minutes > MAX_REVIEW_MINUTES:
        yield f"{name} takes {subtask.review_minutes} min to review; at most {MAX_REVIEW_MINUTES}: split it"
    if not subtask.why.strip():
        yield f"{name} has no reason of its own: say why it exists, in one sentence"
    if not subtask.test.strip() and not subtask.spike:
        yield f"{name} cannot be tested by itself: say how it is shown to work, or join it to one that can be"


def _wrong_graph(plan: Decomposition) -> Iterator[str]:
    numbers = [subtask.number for subtask in plan.subtasks]
    if len(set(numbers)) != len(numbers):
        yield "Two subtasks have the same number: number them 1, 2, 3, …"
        return
    phases = {subtask.number: subtask.phase for subtask in plan.subtasks}
    for subtask in plan.subtasks:
        for need in subtask.needs:
            if need.number not in phases:
                yield f"Subtask {subtask.number} needs {need.number}, which does not exist"
            elif need.edge is Edge.BLOCKS and phases[need.number] > subtask.phase:
                yield f"Subtask {subtask.number} of phase {subtask.phase} waits for {need.number} of a later phase"
    if cycle := cycle_in({subtask.number: subtask.blocked_by for subtask in plan.subtasks}):
        yield f"Subtasks wait for each other in a circle: {' -> '.join(map(str, cycle))}. Take one edge away"


def _wrong_shape(plan: Decomposition) -> Iterator[str]:
    if not plan.goal.strip():
        yield "The goal is empty: say in one sentence what will be true at the end"
    if len(plan.subtasks) < MIN_SUBTASKS:
        yield "There is no subtask"
    for phase in plan.phases:
        here = [s for s in plan.steps if s.phase == phase]
        if len(here) > MAX_SUBTASKS:
            yield f"Phase {phase} has {len(here)} subtasks; at most {MAX_SUBTASKS}: group them into phases"
    spikes = {s.number for s in plan.subtasks if s.spike}
    for subtask in plan.subtasks:
        if subtask.decides and not subtask.needs:
            yield f"Subtask {subtask.number} settles a choice but is told nothing first: give it a spike to wait for"
        if subtask.spike and any(n not in spikes for n in subtask.blocked_by):
            yield f"Spike {subtask.number} waits for work that is no spike: what must be found out comes first"


def _odd_files(plan: Decomposition, known: Collection[str]) -> Iterator[str]:
    """The list becomes the fence around a minion, and people read it: plain names of files, or of folders with a /."""
    for subtask in plan.subtasks:
        for path in subtask.files:
            shown = clean(path)
            if problem := odd_path(path.removesuffix("/")):
                yield f"Subtask {subtask.number} names {shown}, which is not a path inside the project: {problem}"
            elif "*" in path or "?" in path:
                yield f"Subtask {subtask.number} names {shown}, which is a pattern: name each file, or a folder as src/"
    new = [path.removesuffix("/") for path in plan.paths if path not in known]
    for path, other in twins(new, known):
        yield f"{clean(path)} and {clean(other)} are one file where case does not count: take the same spelling"


def _unknown_folders(plan: Decomposition, known: Collection[str]) -> Iterator[str]:
    """A new file is fine where its folder exists or another subtask makes it; a path out of nowhere is a guess."""
    folders = {path.rpartition("/")[0] for path in known} | {""}
    parents = {"/".join(f.split("/")[:n]) for f in folders for n in range(1, f.count("/") + 2)} | folders
    for subtask in plan.subtasks:
        for path in subtask.files:
            top, above = path.split("/")[0], path.rpartition("/")[0]
            if above and top and not {top, above} & parents and not odd_path(path.removesuffix("/")):
                yield f"Subtask {subtask.number} names {path}, but the project has no folder {top}"
