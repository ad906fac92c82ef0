"""What supervisors found, in a line each, for a task's status card and its timeline."""

from collections.abc import Iterator

from agents.domain.knowledge.note import Supervisor
from agents.domain.supervision.directive import Became
from agents.domain.supervision.facts import (
    DirectiveEnded,
    DirectivesSettled,
    Drift,
    Occasion,
    PolishingEnded,
    Report,
    Signal,
    SupervisorRan,
    SupervisorsCalled,
    SupervisorSkipped,
    SupervisorsReported,
    WorkCounted,
)
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from bot.messages import Row

NAMES: dict[Supervisor, str] = {
    Supervisor.CODE_STYLE: "Code Style Supervisor",
    Supervisor.DESIGN: "Design Supervisor",
    Supervisor.INTERNALISER: "Internaliser",
}
OCCASIONS: dict[Occasion, str] = {
    Occasion.INTERVAL: "enough subtasks were finished",
    Occasion.PHASE: "a phase has ended",
    Occasion.REPLAN: "the plan was changed",
    Occasion.ABORT: "work was given up",
    Occasion.URGENT: "there was trouble",
}
_SIGNALS: dict[Signal, str] = {
    Signal.DONE: "a finished subtask",
    Signal.CHECK_FAILED: "a failed check",
    Signal.ABORTED: "work that was given up",
    Signal.CHURN: "a change of the plan",
    Signal.DRIFT: "minor drift",
}
_BECAME: dict[Became, str] = {
    Became.SUBTASK: "became a subtask of this task",
    Became.TASK: "becomes a task of its own",
    Became.HANDLED: "is done already",
    Became.DISMISSED: "was dismissed",
}
_DRIFT: dict[Drift, str] = {
    Drift.ALIGNED: "leads to what was asked for",
    Drift.MINOR: "drifts a little from what was asked for",
    Drift.MAJOR: "has drifted from what was asked for",
    Drift.UNKNOWN: "was not compared with what was asked for",
}
_SHOWN = 3  # reports on the status card


def names_of(supervisors: tuple[Supervisor, ...]) -> str:
    """“Code Style Supervisor and Internaliser”."""
    named = [NAMES[each] for each in supervisors]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


def report_in_words(report: Report) -> str:
    """“found 3 things: 2 cleanup directives and 1 note. Names of loggers differ.”"""
    if report.skipped:
        return f"skipped: {one_line(report.skipped, 120)}"
    kinds = (
        _many(report.functional, "functional directive"),
        _many(report.cleanup, "cleanup directive"),
        _many(report.notes, "note"),
    )
    made = [each for each in kinds if each]
    listed = " and ".join([", ".join(made[:-1]), made[-1]] if len(made) > 1 else made)
    found = report.functional + report.cleanup + report.notes
    told = f"found {_many(found, 'thing')}, created {listed}" if found else "found nothing new"
    return f"{told}. {one_line(report.summary, 160)}" if report.summary else told


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}" if count else ""


def supervision_rows(task: Task) -> Iterator[Row]:
    """The last of each of them; what the next subtasks wait for comes first."""
    state = task.supervision
    if state.awaited and not task.has_ended:
        yield Row(label="Supervisors", value=f"{names_of(state.awaited)} at work; the next subtasks start after that")
    elif state.late:
        yield Row(label="Supervisors", value="they took too long, so the work went on without them")
    if state.critical and not task.has_ended:
        held = "a supervisor asks for something critical; no new subtask starts before a person decides"
        yield Row(label="Held", value=held)
    if state.drift not in (None, Drift.ALIGNED):
        yield Row(label="Assessor", value=drift_in_words(state.drift, state.drift_why))
    if state.polished:
        yield Row(label="Clean-up", value=polished_in_words(state.polished))
    latest = {report.by: report for report in state.reports}
    for report in list(latest.values())[-_SHOWN:]:
        yield Row(label=NAMES[report.by], value=report_in_words(report))


def counted_in_words(fact: WorkCounted) -> str:
    return f"Supervisors counted {_SIGNALS[fact.signal]}"


def called_in_words(fact: SupervisorsCalled) -> str:
    return f"Called the {names_of(fact.supervisors)}: {OCCASIONS[fact.occasion]}"


def ran_in_words(fact: SupervisorRan) -> str:
    told = f"{NAMES[fact.by]}: {one_line(fact.summary, 200) or 'nothing to say'}"
    asks = "".join(f"; asks for: {one_line(each.description, 120)}" for each in fact.directives)
    return f"{told}{asks}{' (converging)' if fact.converging else ''} (${fact.cost:.2f})"


def skipped_in_words(fact: SupervisorSkipped) -> str:
    return f"{NAMES[fact.by]} was skipped: {fact.why}"


def ended_in_words(fact: DirectiveEnded) -> str:
    return f"A directive {became_in_words(fact)}"


def became_in_words(fact: DirectiveEnded) -> str:
    """“became a subtask of this task”."""
    return f"{_BECAME[fact.became]}{f': {fact.why}' if fact.why else ''}"


def drift_in_words(drift: Drift, why: str) -> str:
    return f"The work {_DRIFT[drift]}{f': {one_line(why, 300)}' if why else ''}"


def settled_in_words(fact: DirectivesSettled) -> str:
    """“Asked for by a supervisor, became a subtask of this task: Store it elsewhere”."""
    return f"Asked for by a supervisor, {_BECAME[fact.became]}: {'; '.join(fact.words)}"


def polished_in_words(fact: PolishingEnded) -> str:
    return f"Cleaned up: {fact.done} of {fact.of} subtasks" if fact.of else "Goes on without cleaning up"


def reported_in_words(fact: SupervisorsReported) -> str:
    return "; ".join(f"{NAMES[report.by]}: {report_in_words(report)}" for report in fact.reports)
