"""Facts of planning that could not go its usual way (M222)."""

from dataclasses import dataclass

from agents.domain.fact import Event
from agents.domain.ids import PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanningSimplified(Event):
    """The planner could not take or finish the whole question; it is asked once more with less to read (M222)."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidanceLeftOut(Event):
    """A file of the project's own guidance for models could not be used; planning went on without it."""

    file: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineChosen(Event):
    """No model could plan it, and a person goes on with a bare outline; it is reviewed and approved as any plan."""

    by: PersonId
