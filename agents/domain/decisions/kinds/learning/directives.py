"""What supervisors ask for becomes work only through a person: added to the task, a task of its own, or dismissed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, Kind, Rule
from agents.domain.decisions.decision import Option, Refusal, Refused, with_letters
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question
from agents.domain.decisions.subject import OfDirectives
from agents.domain.ids import ProposalId, fingerprint, project_id
from agents.domain.learning.proposal import Level, Proposal, ProposalType, Rationale, Trigger
from agents.domain.supervision.directive import Became, Directive, in_order
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.dispatching import evolve_all, start_next
from agents.domain.work.remaining import amend_for, can_add


class DirectiveOption(StrEnum):
    """For each directive of a card by its number: `add_1`, `own_1`, `dismiss_1`."""

    ADD = "add"
    OWN = "own"
    DISMISS = "dismiss"


def named_option(value: str) -> tuple[DirectiveOption, int]:
    act, _, number = value.rpartition("_")
    return DirectiveOption(act), int(number)


def ask_about(task: Task, directives: Sequence[Directive], cause: str) -> list[Question]:
    """One card for all of them, in the order that code gives them."""
    if not directives:
        return []
    ordered = in_order(directives)
    subject = OfDirectives(
        directives=tuple(each.id for each in ordered), critical=any(each.is_critical for each in ordered)
    )
    acts = [act for act in DirectiveOption if act is not DirectiveOption.ADD or can_add(task)]
    options = (
        Option(value=f"{act}_{number}", approves=act is not DirectiveOption.DISMISS)
        for number in range(1, len(ordered) + 1)
        for act in acts
    )
    return [
        Question(
            kind=Kind.DIRECTIVES,
            options=with_letters(*options),
            evidence=tuple(in_a_line(each) for each in ordered),
            subject=subject,
            project=project_id(task.project or ""),
            cause=cause,
        )
    ]


def in_a_line(directive: Directive) -> str:
    """“Store it in a table: lists are slow here (store.py)”."""
    where = f" ({', '.join(directive.files)})" if directive.files else ""
    why = f": {directive.rationale}" if directive.rationale else ""
    return cut(f"{directive.description}{why}{where}", 700)


def apply_directives(task: Task, subject: OfDirectives, chosen: Chosen, moment: Moment) -> Follows:
    act, number = named_option(chosen.option.value)
    project = moment.project()
    known = project.supervision if project else None
    id = subject.directives[number - 1]
    found = known.directive(id) if known else None
    left = [known.directive(each) for each in subject.directives if each != id] if known else []
    rest = ask_about(task, [each for each in left if each], f"rest:{chosen.decision.id}")
    if found is None:  # it lapsed
        return [*_settle(task, id, Became.DISMISSED, "", moment), *rest]
    return [*_CARRY_OUT[act](task, found, chosen, moment), *rest]


def _add(task: Task, directive: Directive, chosen: Chosen, moment: Moment) -> Follows:
    if not can_add(task):
        raise Refused(Refusal.WHOLE, task=task.id, decision=chosen.decision)
    amended = amend_for(task, [directive], chosen.by, moment.at)
    ended = replace(_ended(task, directive, Became.SUBTASK, chosen, moment), subtask=amended.added[0])
    after = evolve_all(task, [amended])
    return [amended, ended, *_settle(after, directive.id, Became.SUBTASK, directive.description, moment)]


def _make_own(task: Task, directive: Directive, chosen: Chosen, moment: Moment) -> Follows:
    """It is approved by the same press, and carried out as any proposal is."""
    made, on = _proposal(task, directive, moment), project_id(task.project or "")
    return [
        _ended(task, directive, Became.TASK, chosen, moment),
        e.ProposalMade(task=task.id, project=on, at=moment.at, proposal=made),
        e.ProposalApproved(task=task.id, project=on, at=moment.at, proposal=made.id, by=chosen.person),
        *_settle(task, directive.id, Became.TASK, directive.description, moment),
    ]


def _dismiss(task: Task, directive: Directive, chosen: Chosen, moment: Moment) -> Follows:
    ended = _ended(task, directive, Became.DISMISSED, chosen, moment)
    return [ended, *_settle(task, directive.id, Became.DISMISSED, directive.description, moment)]


_CARRY_OUT: dict[DirectiveOption, Callable[[Task, Directive, Chosen, Moment], Follows]] = {
    DirectiveOption.ADD: _add,
    DirectiveOption.OWN: _make_own,
    DirectiveOption.DISMISS: _dismiss,
}


def _ended(task: Task, directive: Directive, became: Became, chosen: Chosen, moment: Moment) -> e.DirectiveEnded:
    on = project_id(task.project or "")
    return e.DirectiveEnded(
        task=task.id, project=on, at=moment.at, directive=directive.id, became=became, by=chosen.person
    )


def _settle(task: Task, id: str, became: Became, words: str, moment: Moment) -> Follows:
    """What was held may start."""
    settled = e.DirectivesSettled(task=task.id, at=moment.at, directives=(id,), became=became, words=(words,))
    held = task.in_work and not all(work.is_settled for work in task.work.subtasks)
    return [settled, *(start_next(evolve_all(task, [settled]), moment) if held else ())]


def _proposal(task: Task, directive: Directive, moment: Moment) -> Proposal:
    project = task.project or ""
    return Proposal(
        id=ProposalId(directive.id),  # which the decision names, and so what is approved
        type=ProposalType.WORKFLOW_IMPROVEMENT if directive.is_cleanup else ProposalType.TOOL_FIX,
        title=one_line(directive.description, 120),
        rationale=Rationale(trigger=Trigger.REVIEW, evidence=(in_a_line(directive),)),
        proposed_action=in_a_line(directive),
        estimated_impact=Level.HIGH if directive.is_critical else Level.MEDIUM,
        risk=Level.MEDIUM,
        project=project,
        likeness=fingerprint(project, directive.likeness),
        related_tasks=(task.id,),
        created_at=moment.at,
    )


DIRECTIVES = DecisionKind(
    name=Kind.DIRECTIVES,
    subject=OfDirectives,
    rule=Rule(who=APPROVERS),
    apply=apply_directives,
    waits=False,
)
