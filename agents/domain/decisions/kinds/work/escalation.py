"""A subtask that the rules could not settle: try it again, check it again, go on without a check, settle for less,
widen its scope, take it over, drop it, or cancel."""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.evaluation import RULE_NAMES, RiskLevel, Score, failed_checks
from agents.domain.checks.scope import paths_in
from agents.domain.decisions.authority import TROUBLE, Kind
from agents.domain.decisions.decision import Option, with_letters
from agents.domain.decisions.kind import Chosen, DecisionKind, Follows, Moment, Question, same_option
from agents.domain.decisions.subject import OfRun
from agents.domain.reason import Cause, Reason, Why
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, drop, key_of, persons_branch, send_back, waiting_run
from agents.domain.work.work import Degraded, Ending, Work
from agents.domain.workflow.steps import GATE
from agents.domain.workflow.workflow import DEFAULT

TRIES_BEFORE_LESS = 2


class EscalationOption(StrEnum):
    HINT = "hint"
    CHECK = "check"
    WAIVE = "waive"
    CORE = "core"
    STUB = "stub"
    EXPAND = "expand"
    TAKE = "take"
    DROP = "drop"
    CANCEL = "cancel"


def apply_escalation(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Follows:
    work = waiting_run(task, subject)
    if work is None:
        return []
    match chosen.option.value:
        case EscalationOption.HINT:
            return [_try_again(task, work, moment)]
        case EscalationOption.CHECK:
            resumed = e.ChecksResumed(**about_run(task, work, moment.at), step=work.step, by=chosen.person)
            return [resumed, _due_again(task, work, moment)]
        case EscalationOption.WAIVE:
            return _go_on_without(task, work, chosen, moment)
        case EscalationOption.CORE | EscalationOption.STUB:
            less = Degraded(chosen.option.value)
            return [replace(_try_again(task, work, moment), degraded=less)]
        case EscalationOption.EXPAND:
            return _ask_for_scope(task, work, chosen, moment)
        case EscalationOption.TAKE:
            return _take_over(task, work, chosen, moment)
        case _:
            return drop(task, work, chosen.person, moment, chosen.decision.id)


def escalate(task: Task, work: Work, why: Cause, moment: Moment) -> Follows:
    escalated = e.SubtaskEscalated(**about_run(task, work, moment.at), why=why)
    return [escalated, what_next(task, work, why)]


def what_next(task: Task, work: Work, why: Cause, ending: Ending | None = None) -> Question:
    """What the checks found is on the card, from the judgement itself. `ending`: of a run that came to nothing."""
    return Question(
        kind=Kind.ESCALATION,
        evidence=(why, *_kept(work)),
        options=_offer(task, work, ending),
        subject=OfRun(subtask=work.number, attempt=work.attempt),
        cause=key_of(task, work),
    )


def _offer(task: Task, work: Work, ending: Ending | None) -> tuple[Option, ...]:
    """Only what can help here. The rules cannot be gone on without; less is settled for after two failed attempts, and
    at once where the work is too large for its model: then more of it would not help."""
    left_out = set[str]()
    if not _refused_checks(task, work):
        left_out |= {EscalationOption.CHECK, EscalationOption.WAIVE}
    if ending is Ending.TOO_LONG:
        left_out |= {EscalationOption.EXPAND}
    elif work.tries < TRIES_BEFORE_LESS:
        left_out |= {EscalationOption.CORE, EscalationOption.STUB}
    right = f"{Kind.MERGE}_{work.risk or RiskLevel.CRITICAL}"
    offered = (ESCALATION.option(value) for value in EscalationOption if value not in left_out)
    return with_letters(*(replace(o, right=right) if o.value == EscalationOption.WAIVE else o for o in offered))


def _refused_checks(task: Task, work: Work) -> tuple[str, ...]:
    """Commands of the step that refused the work in this attempt, by name; none where something else stopped it."""
    workflow, judged = task.plan.workflow or DEFAULT, work.evaluation
    refused = next((step for step in workflow.steps if step.name == work.step), None)
    if refused is None or refused.type != GATE.name or judged is None or judged.attempt != work.attempt:
        return ()
    known = {gate.name for gate in work.checked.gates}  # of the steps before it, which passed
    bad = tuple(g.name for g in judged.gates if g.name not in known and g.score is not Score.PASS and g.ran)
    return bad if RULE_NAMES.isdisjoint(bad) else ()


def _due_again(task: Task, work: Work, moment: Moment) -> e.StepDue:
    visit = work.visits.get(work.step, 0) + 1
    return e.StepDue(**about_run(task, work, moment.at), step=work.step, visit=visit)


def _go_on_without(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Follows:
    """The step is due again: it runs what was not waived, and says who waived the rest."""
    checks = _refused_checks(task, work)
    waived = e.ChecksWaived(
        **about_run(task, work, moment.at), step=work.step, checks=checks, by=chosen.by, why=chosen.words
    )
    return [waived, _due_again(task, work, moment)]


def _kept(work: Work) -> Iterator[Reason]:
    """The folder goes, what was done stays."""
    if work.branch:
        yield Reason(code=Why.KEPT_BRANCH, names=(work.branch,))
    if work.patch:
        yield Reason(code=Why.KEPT_PATCH, names=(work.patch,))


def _try_again(task: Task, work: Work, moment: Moment) -> e.SubtaskReady:
    """With what was found; the hint is a wish."""
    again, judged = send_back(task, work, moment.at, work.feedback), work.evaluation
    if judged is not None and judged.attempt == work.attempt and judged.feedback:
        blind = (task.plan.workflow or DEFAULT).step(again.step).is_blind
        again = replace(again, feedback=failed_checks(judged) if blind else judged.feedback)
    return replace(again, anew=True) if work.spoilt else again


def _ask_for_scope(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Follows:
    """Whoever may steer a task may not widen what it writes: that is an approver's."""
    paths = paths_in(chosen.words)
    if not paths:
        return escalate(task, work, Reason(code=Why.NO_PATH_NAMED), moment)
    question = Question(
        kind=Kind.SCOPE,
        evidence=paths,
        subject=OfRun(subtask=work.number, attempt=work.attempt),
        cause="expand",
    )
    return [question]


def _take_over(task: Task, work: Work, chosen: Chosen, moment: Moment) -> Follows:
    taken = e.SubtaskTaken(**about_run(task, work, moment.at), by=chosen.person)
    question = Question(
        kind=Kind.TAKEN,
        evidence=(persons_branch(task, work),),
        subject=OfRun(subtask=work.number, attempt=work.attempt),
        cause="taken",
    )
    return [taken, question]


ESCALATION = DecisionKind(
    name=Kind.ESCALATION,
    subject=OfRun,
    rule=TROUBLE,
    apply=apply_escalation,
    options=EscalationOption,
    approves=frozenset({EscalationOption.WAIVE}),
    needs_words=frozenset({EscalationOption.HINT, EscalationOption.EXPAND, EscalationOption.WAIVE}),
    rights={option: Kind.PLAN for option in (EscalationOption.CORE, EscalationOption.STUB)}
    | {EscalationOption.WAIVE: f"{Kind.MERGE}_{RiskLevel.CRITICAL}"},
    reads=lambda decision, text: same_option(decision, EscalationOption.HINT),
)
