"""Facts of supervision: on a project's stream what outlives its tasks, on a task's what its people see; and what they
leave on each."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from agents.domain.fact import Event, Fold, Measured, OnProject
from agents.domain.ids import PersonId, TaskId
from agents.domain.knowledge.note import NoteChange, Supervisor
from agents.domain.planning.decomposition import Decomposition
from agents.domain.supervision.directive import Became, Directive, Pending, add, age

REPORTS = 6  # that the present of a task keeps, the latest


class Signal(StrEnum):
    """What supervisors count. All but the first add to the urgency."""

    DONE = "done"  # a subtask was finished
    CHECK_FAILED = "check_failed"
    ABORTED = "aborted"  # a subtask was dropped, or the whole task cancelled
    CHURN = "churn"  # what remains of a plan was changed
    DRIFT = "drift"  # the assessor saw minor drift


class Occasion(StrEnum):
    """Why supervisors run."""

    INTERVAL = "interval"
    PHASE = "phase"  # the end of a phase, and of all work before it is judged as a whole
    REPLAN = "replan"
    ABORT = "abort"
    URGENT = "urgent"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkCounted(OnProject):
    signal: Signal
    subtask: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorsCalled(OnProject):
    """These are due, and run side by side. The limits are those of the settings of now."""

    call: str
    supervisors: tuple[Supervisor, ...]
    occasion: Occasion
    cleanup_cap: int = 10
    cleanup_age: int = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorRan(OnProject):
    """What one of them found. Its notes and directives change nothing until a person says so."""

    call: str
    by: Supervisor
    summary: str
    directives: tuple[Directive, ...] = ()
    notes: tuple[NoteChange, ...] = ()
    refused: tuple[str, ...] = ()  # of its answer what was not taken, and why
    bootstrap: bool = False  # nothing was known of the project: it established, and compared with nothing
    converging: bool = False  # it found mostly what it had found before
    model: str = ""
    cost: float = 0.0  # dollars
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorSkipped(OnProject):
    """It gave no answer that can be used. The work goes on without it."""

    call: str
    by: Supervisor
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectiveEnded(OnProject):
    directive: str
    became: Became
    why: str = ""
    subtask: int = 0
    by: PersonId | None = None  # None: code, by what a person allowed with the plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One run as the people of a task are told of it."""

    by: Supervisor
    summary: str = ""
    functional: int = 0  # directives
    cleanup: int = 0
    notes: int = 0
    skipped: str = ""  # why; empty: it ran
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorsAwaited(Event):
    """The next subtasks of this task wait for them for a while; what runs goes on."""

    call: str
    supervisors: tuple[Supervisor, ...]
    occasion: Occasion
    wait: float  # seconds
    assess: bool = False  # the assessor is due, too: it comes after them, so that it sees what they found


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorsReported(Measured):
    call: str
    reports: tuple[Report, ...]
    critical: tuple[str, ...] = ()  # directives; no new subtask starts before a person has decided on them
    raised: tuple[str, ...] = ()  # directives that the planner addresses, and then a person


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectivesSettled(Event):
    """What became of directives that this task gave rise to."""

    directives: tuple[str, ...]
    became: Became
    words: tuple[str, ...] = ()  # what they asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class PolishingBegun(Event):
    """All that was planned is done; cleanups that were asked for meanwhile are worked off."""

    subtasks: tuple[int, ...]
    by: PersonId | None = None  # None: as was allowed with the approval of the plan


@dataclass(frozen=True, slots=True, kw_only=True)
class PolishingEnded(Event):
    """The whole is judged next."""

    done: int = 0
    of: int = 0
    by: PersonId | None = None  # who chose to do without


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorsLate(Event):
    """They have not finished in time, so work goes on. What they find still counts."""

    call: str


class Drift(StrEnum):
    """How the work stands to what was asked for."""

    ALIGNED = "aligned"
    MINOR = "minor_drift"
    MAJOR = "major_divergence"
    UNKNOWN = "unknown"  # the assessor gave no answer


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessmentDue(Event):
    """Whether the work still leads to what was asked for; the next subtasks wait for that."""

    call: str
    wait: float  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftJudged(Measured):
    call: str
    drift: Drift
    why: str = ""
    settled: int = 0  # subtasks by then


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainderDrafted(Measured):
    """How the planner would go on: a new version of the plan, for a person. Without one it found no way."""

    why: str  # the plan is to be another
    plan: Decomposition | None = None
    drops: tuple[tuple[int, str], ...] = ()  # subtasks that nobody has begun with, and why
    differences: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainderSettled(Event):
    """A person took the new version, or kept the plan."""

    taken: bool
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisionState:
    """What a task knows of its supervisors."""

    call: str = ""  # the last one
    awaited: tuple[Supervisor, ...] = ()  # that the next subtasks wait for
    since: datetime | None = None
    reports: tuple[Report, ...] = ()
    late: bool = False
    critical: tuple[str, ...] = ()  # directives that keep new subtasks from starting
    raised: bool = False  # the last call asked for something that is to be addressed
    polishing: tuple[int, ...] = ()  # subtasks of the polishing phase
    polished: PolishingEnded | None = None
    assess: bool = False  # the assessor comes after the supervisors that are awaited
    assessing: str = ""  # the call that the next subtasks wait for
    assessed: int = 0  # subtasks that were settled when it was judged last
    drift: Drift | None = None
    drift_why: str = ""
    diverged: bool = False  # nothing new starts before a person has decided how to go on
    remainder: RemainderDrafted | None = None

    @property
    def holds(self) -> bool:
        """No new subtask starts; what runs goes on."""
        return bool(self.awaited or self.critical or self.assessing or self.diverged)


fold = Fold[SupervisionState]()


@fold.on(SupervisorsAwaited)
def _(state: SupervisionState, fact: SupervisorsAwaited) -> SupervisionState:
    return replace(state, call=fact.call, awaited=fact.supervisors, since=fact.at, late=False, assess=fact.assess)


@fold.on(SupervisorsReported)
def _(state: SupervisionState, fact: SupervisorsReported) -> SupervisionState:
    awaited = () if fact.call == state.call else state.awaited
    reports, critical = (*state.reports, *fact.reports)[-REPORTS:], (*state.critical, *fact.critical)
    return replace(state, awaited=awaited, reports=reports, critical=critical, raised=bool(fact.raised))


fold.on(PolishingBegun)(lambda state, fact: replace(state, polishing=fact.subtasks))
fold.on(PolishingEnded)(lambda state, fact: replace(state, polished=fact))


@fold.on(DirectivesSettled)
def _(state: SupervisionState, fact: DirectivesSettled) -> SupervisionState:
    return replace(state, critical=tuple(each for each in state.critical if each not in fact.directives))


@fold.on(SupervisorsLate)
def _(state: SupervisionState, fact: SupervisorsLate) -> SupervisionState:
    if fact.call == state.assessing:
        return replace(state, assessing="")
    return replace(state, awaited=(), late=True) if fact.call == state.call else state


fold.on(AssessmentDue)(lambda state, fact: replace(state, assessing=fact.call, assess=False))
fold.on(RemainderDrafted)(lambda state, fact: replace(state, remainder=fact))
fold.on(RemainderSettled)(lambda state, fact: replace(state, remainder=None, diverged=False))


@fold.on(DriftJudged)
def _(state: SupervisionState, fact: DriftJudged) -> SupervisionState:
    seen = replace(state, assessing="", assessed=fact.settled, drift=fact.drift, drift_why=fact.why)
    return replace(seen, diverged=fact.drift is Drift.MAJOR)


WEIGHTS = {Signal.DONE: 0.0, Signal.CHECK_FAILED: 0.3, Signal.ABORTED: 1.0, Signal.CHURN: 0.2, Signal.DRIFT: 0.5}
URGENT = 1.0
SETTLED = 100  # directives that the present of a project remembers to have been dealt with
LOGGED = 20  # runs that the present of a project keeps; all of them are in its log
MOST_FACTOR = 16  # by which the interval of one that finds nothing new has grown at most


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """Of one supervisor."""

    since: int = 0  # finished subtasks since it was called last
    factor: int = 1  # by which its interval has grown, as it finds little that is new
    ran: int = 0
    found: tuple[str, ...] = ()  # likenesses of what it found the last time


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """A run in a line."""

    by: Supervisor
    task: TaskId
    at: datetime
    finished: int  # subtasks of the project until then
    summary: str = ""
    directives: int = 0
    notes: int = 0
    converging: bool = False
    skipped: str = ""
    cost: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Supervision:
    """What a project remembers: all of it folded, so that to know who is due reads nothing but this."""

    finished: int = 0  # subtasks, in all
    counters: dict[Supervisor, Counter] = field(default_factory=dict)
    urgency: float = 0.0
    called_at: float = 0.0  # the urgency at the last call
    age: int = 15
    cap: int = 10
    pending: tuple[Pending, ...] = ()  # directives, the oldest first
    settled: tuple[str, ...] = ()  # likenesses of directives that were dealt with: nobody is asked again
    log: tuple[Logged, ...] = ()

    def counter(self, supervisor: Supervisor) -> Counter:
        return self.counters.get(supervisor, Counter())

    @property
    def is_urgent(self) -> bool:
        """Only what came since the last call makes another one: one that was skipped is not tried for ever."""
        return round(self.urgency, 6) >= URGENT and self.urgency > self.called_at

    def directive(self, id: str) -> Directive | None:
        return next((each.directive for each in self.pending if each.directive.id == id), None)

    def directives_of(self, task: TaskId) -> tuple[Directive, ...]:
        """That its work gave rise to."""
        return tuple(each.directive for each in self.pending if each.directive.task == task)


def likenesses(fact: SupervisorRan) -> tuple[str, ...]:
    return (*(each.likeness for each in fact.directives), *(note.name for note in fact.notes))


fold_counts = Fold[Supervision]()


@fold_counts.on(WorkCounted)
def _(state: Supervision, fact: WorkCounted) -> Supervision:
    if fact.signal is not Signal.DONE:
        return replace(state, urgency=state.urgency + WEIGHTS[fact.signal])
    finished = state.finished + 1
    counters = {each: replace(state.counter(each), since=state.counter(each).since + 1) for each in Supervisor}
    pending = age(state.pending, finished=finished, most=state.age)
    return replace(state, finished=finished, counters=counters, pending=pending)


@fold_counts.on(SupervisorsCalled)
def _(state: Supervision, fact: SupervisorsCalled) -> Supervision:
    begun = {each: replace(state.counter(each), since=0) for each in fact.supervisors}
    counters = {**state.counters, **begun}
    return replace(state, counters=counters, called_at=state.urgency, cap=fact.cleanup_cap, age=fact.cleanup_age)


@fold_counts.on(SupervisorRan)
def _(state: Supervision, fact: SupervisorRan) -> Supervision:
    """The urgency ends with a run that really happened."""
    before = state.counter(fact.by)
    factor = min(MOST_FACTOR, before.factor * 2) if fact.converging else 1
    counter = replace(before, factor=factor, ran=before.ran + 1, found=likenesses(fact))
    new = [each for each in fact.directives if each.likeness not in state.settled]
    line = Logged(
        by=fact.by,
        task=fact.task,
        at=fact.at,
        finished=state.finished,
        summary=fact.summary,
        directives=len(fact.directives),
        notes=len(fact.notes),
        converging=fact.converging,
        cost=fact.cost,
    )
    return replace(
        state,
        counters={**state.counters, fact.by: counter},
        urgency=0.0,
        called_at=0.0,
        pending=add(state.pending, new, finished=state.finished, cap=state.cap),
        log=(*state.log, line)[-LOGGED:],
    )


@fold_counts.on(SupervisorSkipped)
def _(state: Supervision, fact: SupervisorSkipped) -> Supervision:
    line = Logged(by=fact.by, task=fact.task, at=fact.at, finished=state.finished, skipped=fact.why)
    return replace(state, log=(*state.log, line)[-LOGGED:])


@fold_counts.on(DirectiveEnded)
def _(state: Supervision, fact: DirectiveEnded) -> Supervision:
    ended = state.directive(fact.directive)
    pending = tuple(each for each in state.pending if each.directive.id != fact.directive)
    settled = (*state.settled, ended.likeness)[-SETTLED:] if ended else state.settled
    return replace(state, pending=pending, settled=settled)


OF_SUPERVISION: tuple[type[Event], ...] = (
    *(WorkCounted, SupervisorsCalled, SupervisorRan, SupervisorSkipped, DirectiveEnded),
)
