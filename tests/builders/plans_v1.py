"""Plans as version 1 of the schema had them, letter by letter: people have approved such plans by their hash."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hypothesis import strategies as st
from pydantic import TypeAdapter

from agents.domain.ids import fingerprint


class Edge(StrEnum):
    BLOCKS = "blocks"
    INFORMS = "informs"


class Confidence(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    number: int
    edge: Edge = Edge.BLOCKS


@dataclass(frozen=True, slots=True, kw_only=True)
class Subtask:
    number: int
    title: str
    why: str
    files: tuple[str, ...] = ()
    hours: float = 1.0
    review_minutes: int = 10
    confidence: Confidence = Confidence.MEDIUM
    test: str = ""
    needs: tuple[Need, ...] = ()
    spike: bool = False
    decides: bool = False
    phase: int = 1
    tags: tuple[str, ...] = ()
    closing: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    what: str
    mitigation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    goal: str
    subtasks: tuple[Subtask, ...]
    assumptions: tuple[str, ...] = ()
    risks: tuple[Risk, ...] = ()
    summary: str = ""
    into: str = ""

    @property
    def hash(self) -> str:
        parts = [f"{subtask!r}{' closing' if subtask.closing else ''}" for subtask in self.subtasks]
        risks = (repr(risk) for risk in self.risks)
        target = (f"into {self.into}",) if self.into else ()
        return fingerprint(self.goal, self.summary, *self.assumptions, *risks, *parts, *target)


_STORED = TypeAdapter(Decomposition)
_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_PATHS = st.sampled_from(("src/a.py", "README.md", "tests/test_a.py", "docs/x.md", "a b.txt", "it's.py", 'q".py'))
_NEEDS = st.builds(Need, number=st.integers(1, 7), edge=st.sampled_from(Edge))
_HOURS = st.floats(0, 1000, allow_nan=False)
_SUBTASKS = st.builds(
    Subtask,
    number=st.integers(1, 60),
    title=_WORDS,
    why=_WORDS,
    files=st.lists(_PATHS, max_size=3).map(tuple),
    hours=_HOURS,
    review_minutes=st.integers(0, 10_000),
    confidence=st.sampled_from(Confidence),
    test=_WORDS,
    needs=st.lists(_NEEDS, max_size=3).map(tuple),
    spike=st.booleans(),
    decides=st.booleans(),
    phase=st.integers(1, 20),
    tags=st.lists(_WORDS, max_size=2).map(tuple),
    closing=st.booleans(),
)
PLANS = st.builds(
    Decomposition,
    goal=_WORDS,
    subtasks=st.lists(_SUBTASKS, min_size=1, max_size=3).map(tuple),
    assumptions=st.lists(_WORDS, max_size=2).map(tuple),
    risks=st.lists(st.builds(Risk, what=_WORDS, mitigation=_WORDS), max_size=2).map(tuple),
    summary=_WORDS,
    into=_WORDS,
)


def stored(plan: Decomposition) -> Any:
    """As it was written into facts and snapshots: without what is as by default."""
    return _STORED.dump_python(plan, mode="json", exclude_defaults=True)
