"""What follows once supervisors have answered: reports on the task, what they ask for, and the subtasks that waited."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from agents.domain import events as e
from agents.domain.decisions.kind import Follows, Moment
from agents.domain.decisions.kinds.learning.directives import ask_about
from agents.domain.fact import OnProject
from agents.domain.ids import project_id
from agents.domain.learning.proposing import look_for_patterns
from agents.domain.project.project import evolve
from agents.domain.supervision.directive import Became, Directive, in_order
from agents.domain.supervision.facts import Report, SupervisorRan, SupervisorsCalled, SupervisorSkipped, fold_counts
from agents.domain.task.task import Task
from agents.domain.work.dispatching import evolve_all, start_next
from agents.domain.work.remaining import amend_for, is_allowed


def after_reports(
    task: Task, call: SupervisorsCalled, ended: Sequence[SupervisorRan | SupervisorSkipped], moment: Moment
) -> Follows:
    """Cleanups wait for the polishing phase. What is functional is added where that was allowed with the plan; for the
    rest a person is asked, and what is critical lets nothing new start until then."""
    fresh, reports = _fresh(ended, moment), tuple(map(report_of, ended))
    added, raised = list[e.Event](), list[Directive]()
    for directive in fresh:
        after = evolve_all(task, added)
        if not task.has_ended and is_allowed(after, directive):
            added += _add(after, directive, moment)
        else:
            raised.append(directive)
    held = () if task.has_ended else tuple(each.id for each in raised if each.is_critical)
    ids = tuple(each.id for each in raised)
    reported = e.SupervisorsReported(
        task=task.id, at=moment.at, call=call.call, reports=reports, critical=held, raised=ids
    )
    facts: list[e.Event] = [*ended, reported, *added]
    goes_on = not task.has_ended and bool(task.supervision.awaited)
    repeated = look_for_patterns(task, (), moment)
    if not goes_on:
        return [*facts, *repeated]
    return [*facts, *repeated, *go_on(evolve_all(task, facts), call.call, _after(facts, moment))]


def _after(facts: Sequence[e.Event], moment: Moment) -> Moment:
    """With the project as these facts leave it: a cleanup that was just asked for is one that waits."""
    project = moment.project()
    after = reduce(evolve, (fact for fact in facts if isinstance(fact, OnProject)), project) if project else None
    return replace(moment, project=lambda: after)


def after_address(task: Task, reported: e.SupervisorsReported, handled: Mapping[str, str], moment: Moment) -> Follows:
    """What is done already is taken off, with how; a person is asked about the rest."""
    project = moment.project()
    raised = [project.supervision.directive(id) for id in reported.raised] if project else []
    known = [each for each in raised if each]
    ended = [
        e.DirectiveEnded(
            task=task.id,
            project=project_id(task.project or ""),
            at=moment.at,
            directive=each.id,
            became=Became.HANDLED,
            why=handled[each.id],
        )
        for each in known
        if each.id in handled
    ]
    words = tuple(f"{each.description} ({handled[each.id]})" for each in known if each.id in handled)
    ids = tuple(each.directive for each in ended)
    told = e.DirectivesSettled(task=task.id, at=moment.at, directives=ids, became=Became.HANDLED, words=words)
    asked = ask_about(task, [each for each in known if each.id not in handled], reported.call)
    return [*ended, *([told] if ids else []), *asked]


def go_on(task: Task, call: str, moment: Moment) -> Follows:
    """After the supervisors: the assessor, where it is due, and then the next subtasks."""
    if task.supervision.assess and not task.supervision.awaited:
        wait = moment.supervision(task).wait
        return [e.AssessmentDue(task=task.id, at=moment.at, call=call, wait=wait)]
    return start_next(task, moment)


def _fresh(ended: Sequence[SupervisorRan | SupervisorSkipped], moment: Moment) -> tuple[Directive, ...]:
    """Functional ones that nobody asked for before, in the order that code gives them."""
    project = moment.project()
    before = project.supervision if project else None
    if before is None:
        return ()
    after, known = reduce(fold_counts, ended, before), {each.directive.id for each in before.pending}
    new = (each.directive for each in after.pending if each.directive.id not in known)
    return in_order(each for each in new if not each.is_cleanup)


def _add(task: Task, directive: Directive, moment: Moment) -> list[e.Event]:
    """Without a card, and shown."""
    amended, became = amend_for(task, [directive], (), moment.at), Became.SUBTASK
    ended = e.DirectiveEnded(
        task=task.id,
        project=project_id(task.project or ""),
        at=moment.at,
        directive=directive.id,
        became=became,
        subtask=amended.added[0],
    )
    words = (directive.description,)
    settled = e.DirectivesSettled(task=task.id, at=moment.at, directives=(directive.id,), became=became, words=words)
    return [amended, ended, settled]


def report_of(ended: SupervisorRan | SupervisorSkipped) -> Report:
    if isinstance(ended, SupervisorSkipped):
        return Report(by=ended.by, skipped=ended.why)
    cleanup = sum(each.is_cleanup for each in ended.directives)
    return Report(
        by=ended.by,
        summary=ended.summary,
        functional=len(ended.directives) - cleanup,
        cleanup=cleanup,
        notes=len(ended.notes),
        cost=ended.cost,
    )
