"""A request split into PR-sized subtasks: the one schema of a plan, in its second version, and the order of its parts.

Whatever a gate, a right or a scope depends on is a typed field here, and so in the hash that is approved.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Annotated

from agents.domain.ids import fingerprint
from agents.domain.phases.phase import InterfaceDraft, StartAfter as StartAfter
from agents.domain.planning.work_kind import Confidence as Confidence, SubtaskSize, WorkKind, kind_of_all
from agents.domain.text.sanitize import AnswerBound, FileName, Line, Name, Sentence, or_else

VERSION = 2
VERIFY = "Verify: "


class Edge(StrEnum):
    BLOCKS = "blocks"
    INFORMS = "informs"  # only carries the hand-off note


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


Most20 = AnswerBound(20)
Most60 = AnswerBound(60)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskDraft:
    """What a planner says of a subtask: what nobody could guess, and the rest if it likes."""

    title: Annotated[str, AnswerBound(120, least=1)]
    why: Sentence
    kind: WorkKind | None = None
    changes_tests: bool = False  # tests that exist may fail or go, because the behaviour that they hold changes
    role: Name = ""  # that works on it; empty: the one that the workflow names
    project: Name = ""  # empty: the task's
    files: Annotated[tuple[FileName, ...], Most60] = ()
    hours: Annotated[Annotated[float, AnswerBound(1000)] | None, or_else(None)] = None
    size: SubtaskSize | None = None
    confidence: Confidence | None = None
    test: Sentence = ""  # how it is shown to work by itself
    needs: Annotated[tuple[Need, ...], Most60] = ()
    decides: bool = False  # settles an open choice, so it needs to be told something first
    phase: Annotated[int, AnswerBound(20, least=1)] = 1
    tags: Annotated[tuple[Name, ...], AnswerBound(10)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtask(SubtaskDraft):
    """One PR: one reason, few files, testable and reviewable by itself.

    `kind` has no default: it is stored with every subtask, and plans of version 1 are known by its absence.
    """

    number: int
    kind: WorkKind
    hours: float = 1.0
    review_minutes: int = 10
    size: SubtaskSize = SubtaskSize.MEDIUM
    confidence: Confidence = Confidence.MEDIUM
    assumed: tuple[str, ...] = ()  # names of fields that code filled in or corrected, for people to see
    opening: bool = False  # carries the workflow's steps before all others; set by code alone
    closing: bool = False  # judges the whole; set by `with_closing` alone

    @property
    def blocked_by(self) -> tuple[int, ...]:
        return tuple(need.number for need in self.needs if need.edge is Edge.BLOCKS)

    @property
    def informed_by(self) -> tuple[int, ...]:
        return tuple(need.number for need in self.needs if need.edge is Edge.INFORMS)

    @property
    def spike(self) -> bool:
        return self.kind is WorkKind.SPIKE


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseDraft:
    """An ordered group of subtasks; what its parts agree on is done before the next one begins."""

    number: Annotated[int, AnswerBound(20, least=1)]  # its place in the order
    title: Annotated[str, AnswerBound(120)] = ""
    interfaces: Annotated[tuple[Line, ...], AnswerBound(10)] = ()
    start_after: StartAfter = StartAfter.PHASES


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPhase(PhaseDraft):
    name: Name = ""  # as a feature file calls it
    drafts: tuple[InterfaceDraft, ...] = ()  # that a feature file brings along

    @property
    def agreements(self) -> tuple[str, ...]:
        """What a minion is told of it."""
        return (*self.interfaces, *(draft.words for draft in self.drafts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """Load-bearing and untested."""

    what: Annotated[str, AnswerBound(600, least=1)]
    why: Sentence = ""  # the plan rests on it


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanIssue:
    """Something that the planner found wrong or open, and that the plan does not settle."""

    what: Annotated[str, AnswerBound(600, least=1)]
    why: Sentence = ""  # it matters


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    what: Sentence
    mitigation: Sentence = ""

    def __str__(self) -> str:
        return f"{self.what} → {self.mitigation}" if self.mitigation else self.what


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    goal: str
    subtasks: tuple[Subtask, ...]
    phases: tuple[PlanPhase, ...] = ()  # those that have more to them than a number
    assumptions: tuple[Assumption, ...] = ()
    issues: tuple[PlanIssue, ...] = ()
    risks: tuple[Risk, ...] = ()
    summary: str = ""
    read: tuple[str, ...] = ()  # files that the planner was shown, as code knows it
    into: str = ""  # the branch that the work is for; empty: not known when it was drafted
    feature: str = ""  # the id of the feature file that it is made from
    version: int = VERSION  # of the schema that it was made under

    @property
    def hash(self) -> str:
        """What an approval is bound to. A plan keeps the hash of the version it was made under."""
        if self.version == 1:
            return _hash_of_version_1(self)
        return fingerprint(f"plan {self.version}", json.dumps(_unlike_default(self), sort_keys=True))

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

    def is_opening(self, number: int) -> bool:
        return any(subtask.opening for subtask in self.subtasks if subtask.number == number)

    def is_closing(self, number: int) -> bool:
        closing = self.closing
        return closing is not None and closing.number == number

    @property
    def phase_numbers(self) -> tuple[int, ...]:
        return tuple(sorted({subtask.phase for subtask in self.subtasks}))

    def phase(self, number: int) -> PlanPhase:
        return next((phase for phase in self.phases if phase.number == number), PlanPhase(number=number))

    def blocking(self) -> dict[int, tuple[int, ...]]:
        """What each subtask waits for: its own needs and, as a barrier, every earlier phase. A phase that begins as
        soon as interfaces are locked waits for the subtask that writes them, and for nothing else by its place."""
        early = {phase.number for phase in self.phases if phase.start_after is StartAfter.INTERFACES}
        opening = tuple(subtask.number for subtask in self.subtasks if subtask.opening)
        before = {
            number: opening if number in early else tuple(s.number for s in self.subtasks if s.phase < number)
            for number in self.phase_numbers
        }
        return {
            s.number: s.blocked_by if s.opening else tuple(dict.fromkeys((*s.blocked_by, *before[s.phase])))
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


def _unlike_default(value: object) -> object:
    """A part of a plan as plain data, without what is as by default: a field that is added later changes no hash."""
    if is_dataclass(value) and not isinstance(value, type):
        given = ((each.name, getattr(value, each.name), each.default) for each in fields(value))
        return {name: _unlike_default(held) for name, held, usual in given if usual is MISSING or held != usual}
    if isinstance(value, tuple):
        return [_unlike_default(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _hash_of_version_1(plan: Decomposition) -> str:
    """Letter by letter as version 1 wrote a plan, for people have approved plans by it."""
    risks = (repr(risk) for risk in plan.risks)
    target = (f"into {plan.into}",) if plan.into else ()
    parts = map(_written_by_version_1, plan.subtasks)
    return fingerprint(plan.goal, plan.summary, *(each.what for each in plan.assumptions), *risks, *parts, *target)


def _written_by_version_1(s: Subtask) -> str:
    return (
        f"Subtask(number={s.number!r}, title={s.title!r}, why={s.why!r}, files={s.files!r}, hours={s.hours!r}, "
        f"review_minutes={s.review_minutes!r}, confidence={s.confidence!r}, test={s.test!r}, needs={s.needs!r}, "
        f"spike={s.spike!r}, decides={s.decides!r}, phase={s.phase!r}, tags={s.tags!r})"
        f"{' closing' if s.closing else ''}"
    )


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
        kind=kind_of_all({subtask.kind for subtask in steps}),
        hours=0.5,
        review_minutes=5,
        size=SubtaskSize.SMALL,
        confidence=Confidence.HIGH,
        test="the whole test suite, and the request read again sentence by sentence",
        needs=tuple(Need(number=subtask.number) for subtask in steps),
        phase=max(subtask.phase for subtask in steps),
        closing=True,
    )
    return replace(plan, subtasks=(*steps, closing))
