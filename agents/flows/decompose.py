"""Have the planner split a request into PR-sized subtasks."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial

from pydantic import BaseModel, Field

from agents.domain.decisions.kind import Moment
from agents.domain.errors import NoAnswer
from agents.domain.events import Event
from agents.domain.planning import planning
from agents.domain.planning.decomposition import Confidence, Decomposition, Edge, Level, Need, Risk, Subtask
from agents.domain.planning.planning import CannotPlan, Clarify, Draft, Drafted
from agents.domain.task.task import Task, TaskState
from agents.flows.outcomes import Line, Name
from agents.ports import Ask, ForgeFailed, Ports, Spent


class PlanStatus(StrEnum):
    COMPLETE = "COMPLETE"
    NEEDS_REFINEMENT = "NEEDS_REFINEMENT"
    BLOCKED = "BLOCKED"


class NeedSays(BaseModel):
    number: int
    edge: Edge = Edge.BLOCKS


class RiskSays(BaseModel):
    what: str = Field(max_length=300)
    mitigation: str = Field(max_length=300)


class SubtaskSays(BaseModel):
    title: str = Field(min_length=1, max_length=120)
    why: str = Field(max_length=300)
    files: tuple[Name, ...] = Field(default=(), max_length=60)
    hours: float = Field(ge=0, le=1000)
    review_minutes: int = Field(ge=0, le=10_000)
    confidence: Confidence
    test: str = Field(default="", max_length=300)
    needs: tuple[NeedSays, ...] = Field(default=(), max_length=60)
    spike: bool = False
    decides: bool = False
    phase: int = Field(default=1, ge=1, le=20)
    tags: tuple[Name, ...] = Field(default=(), max_length=10)


class PlanSays(BaseModel):
    """Either a whole plan, or one question, or the reason why there can be none."""

    status: PlanStatus
    goal: str = Field(default="", max_length=300)
    summary: str = Field(default="", max_length=1000)
    subtasks: tuple[SubtaskSays, ...] = Field(default=(), max_length=60)
    assumptions: tuple[Line, ...] = Field(default=(), max_length=20)
    risks: tuple[RiskSays, ...] = Field(default=(), max_length=20)
    question: str = Field(default="", max_length=500)
    why_it_matters: str = Field(default="", max_length=300)
    options: tuple[Name, ...] = Field(default=(), max_length=5)
    reason: str = Field(default="", max_length=1000)

    def contradiction(self) -> str:
        """Why it is no answer, though it has the shape of one."""
        match self.status:
            case PlanStatus.COMPLETE:
                return "" if self.subtasks else "it says COMPLETE and has no subtasks"
            case PlanStatus.NEEDS_REFINEMENT:
                return "" if self.question else "it says NEEDS_REFINEMENT and asks nothing"
            case PlanStatus.BLOCKED:
                return "" if self.reason or self.question else "it says BLOCKED and gives no reason"

    def to_draft(self) -> Drafted:
        match self.status:
            case PlanStatus.NEEDS_REFINEMENT if self.question:
                return Clarify(question=self.question, options=self.options, why=self.why_it_matters)
            case PlanStatus.COMPLETE:
                return self._plan()
            case _:
                return CannotPlan(why=self.reason or self.question or "The planner gave no reason")

    def _plan(self) -> Decomposition:
        return Decomposition(
            goal=self.goal,
            summary=self.summary,
            assumptions=self.assumptions,
            risks=tuple(Risk(**dict(risk)) for risk in self.risks),
            subtasks=tuple(_subtask(number, says) for number, says in enumerate(self.subtasks, 1)),
        )


def _subtask(number: int, says: SubtaskSays) -> Subtask:
    needs = tuple(Need(**dict(need)) for need in says.needs)
    tags = tuple(tag.casefold() for tag in says.tags)
    return Subtask(**{**dict(says), "number": number, "needs": needs, "tags": tags})


async def decompose(event: Event, ports: Ports) -> None:
    seen = await ports.store.task(event.task)
    if not planning.stands_at(seen, TaskState.DECOMPOSING):
        await ports.store.record(seen.id, planning.nothing)
        return
    files = await ports.projects.files(seen.project or "")
    into = await _branch_for(seen, ports)

    how = ports.workflow(seen).plan
    asked = Ask(
        question="decompose",
        role="primary",
        step=f"decompose:{seen.plan.number}:{seen.plan.tries}",
        task=seen,
        about={"files": files},
        policy=how.retry_policy,
        persona=how.role,
        refuse=PlanSays.contradiction,
    )
    says, spent, why = await _ask_planner(asked, seen, ports)
    drafted = says.to_draft()

    def decide(task: Task, moment: Moment) -> Sequence[Event]:
        if planning.overtaken(seen, task):
            return []
        draft = Draft(
            says=drafted,
            files=files or None,
            estimate=_estimate(drafted, spent, moment),
            rehearsal=spent.rehearsal,
            level=Level.SIMPLIFIED if why else Level.PRIMARY,
            why=why,
            into=into,
        )
        return planning.after_draft(task, draft, moment)

    await ports.store.record(seen.id, decide)


async def _branch_for(task: Task, ports: Ports) -> str:
    """The branch that the work will be merged into, for people to approve with the plan."""
    try:
        return await ports.forge.base(task.project) if task.project else ""
    except ForgeFailed:
        return ""  # it is asked for again before work begins, and nothing begins without it


async def _ask_planner(asked: Ask, seen: Task, ports: Ports) -> tuple[PlanSays, Spent, str]:
    """From all there is; where that cannot be taken or finished, once more from less, and why that was."""
    why = seen.plan.level_why if seen.plan.level is Level.SIMPLIFIED else ""
    if not why:
        try:
            return *await ports.llm.ask(asked, PlanSays), ""
        except NoAnswer as none:
            if not none.simpler_may_do:
                raise
            why = none.what
        await ports.store.note(seen.id, partial(planning.note_simplified, seen, why))
    try:
        return *await ports.llm.ask(replace(asked, step=f"{asked.step}:brief", brief=True), PlanSays), why
    except NoAnswer as none:
        what = f"{why}. Asked again with less to read: {none.what}"
        raise NoAnswer(what, next_step=none.next_step, error=none.error) from none


def _estimate(drafted: Drafted, spent: Spent, moment: Moment) -> float:
    """What the work may cost, from the hours it is said to take. A rehearsal costs nothing."""
    if spent.rehearsal or not isinstance(drafted, Decomposition):
        return 0.0
    return round(sum(subtask.hours for subtask in drafted.subtasks) * moment.limits.dollars_an_hour, 2)
