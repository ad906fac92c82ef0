"""The one table of kinds, and what follows from a decision's kind: who may press, what it opens, what it leads to."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import ChannelPolicy, Kind, OnTimeout, Presser, Rule, Silence, check
from agents.domain.decisions.decision import (
    HOLD,
    AnswerTo,
    Decision,
    DecisionState,
    Option,
    Refusal,
    Refused,
    decision_id,
)
from agents.domain.decisions.kind import (
    CANCEL,
    FREE,
    OUTLIVES,
    Chosen,
    DecisionKind,
    Facts,
    Moment,
    Question,
    Withdrawal,
    cancel_task,
    risk_of,
    withdraw,
)
from agents.domain.decisions.kinds.learning import directives, notes, notes_merge, polish, proposal, replan, skill_draft
from agents.domain.decisions.kinds.phases import phase_change, unreverted
from agents.domain.decisions.kinds.plan import change, clarification, debate, no_plan, plan
from agents.domain.decisions.kinds.task import (
    budget,
    cancel,
    controls,
    correction,
    intake,
    meant,
    project,
    reroute,
    route,
    second,
    snoozed,
    stopped,
    stuck,
)
from agents.domain.decisions.kinds.work import (
    accept_tests,
    against_plan,
    consent,
    escalation,
    gate,
    interface,
    late_checks,
    merge,
    outside_review,
    question,
    scope,
    start_scope,
    taken,
    unmerged,
)
from agents.domain.decisions.subject import OfWords
from agents.domain.events import Event
from agents.domain.ids import DecisionId, PersonId
from agents.domain.limits import Limits
from agents.domain.supervision.calling import after_cancel
from agents.domain.task.task import Task

_ALL = (
    *(intake, route, reroute, project, budget, stuck, stopped, snoozed, cancel, controls, meant, second, correction),
    *(clarification, no_plan, plan, debate, change),
    *(
        consent,
        question,
        scope,
        interface,
        start_scope,
        escalation,
        taken,
        gate,
        late_checks,
        outside_review,
        merge,
        unmerged,
    ),
    *(against_plan, accept_tests, phase_change, unreverted),
    *(directives, polish, proposal, replan, skill_draft, notes, notes_merge),
)
KINDS: dict[Kind, DecisionKind[Any]] = {
    kind.name: kind for each in _ALL for kind in vars(each).values() if isinstance(kind, DecisionKind)
}

# Rules by name: a kind's own, or one for each risk of it.
RULES: dict[str, Rule] = {
    **{name: kind.row(None) for name, kind in KINDS.items()},
    **{f"{name}_{risk}": kind.row(risk) for name, kind in KINDS.items() for risk in RiskLevel if kind.by_risk},
}


def kind_of(decision: Decision) -> DecisionKind[Any]:
    return KINDS[decision.kind]


def rule_of(decision: Decision) -> Rule:
    return kind_of(decision).row(risk_of(decision.subject))


def rule_name(decision: Decision) -> str:
    """The row of RULES that it is decided by."""
    risk = risk_of(decision.subject) if kind_of(decision).by_risk else None
    return f"{decision.kind}_{risk}" if risk else decision.kind.value


def rights_to(decision: Decision, option: Option | None) -> tuple[Rule, Rule | None]:
    """The rule for taking an option, and a wider one where it grants nothing."""
    if option and option.right:
        return RULES[option.right], None
    return rule_of(decision), kind_of(decision).wider.get(option.value) if option else None


def questions(task: Task) -> tuple[Decision, ...]:
    """Open decisions that work waits for."""
    return tuple(d for d in task.open if KINDS[d.kind].waits)


def approvable(task: Task) -> tuple[Decision, ...]:
    """Open decisions that a person may be asked to approve."""
    return (*questions(task), *(d for d in task.open if d.kind in OUTLIVES))


def closed_by_silence(decision: Decision) -> bool:
    """Whether a clock runs that closes it; a reminder closes nothing."""
    silence = rule_of(decision).silence
    if decision.due is None or silence is Silence.WAITS:
        return False
    return silence is Silence.EXPIRES or (bool(decision.default) and decision.held_by is None)


def can_be_held(decision: Decision) -> bool:
    return closed_by_silence(decision) and rule_of(decision).silence is not Silence.EXPIRES


def is_lapsed(decision: Decision, at: datetime) -> bool:
    """Whether its time is over and silence closes it."""
    return decision.due is not None and decision.due <= at and closed_by_silence(decision)


def open_questions(task: Task, follows: Iterable[Event | Question], moment: Moment) -> Facts:
    """The facts as they are, and each question as the decision that it opens."""
    return [_open(task, each, moment) if isinstance(each, Question) else each for each in follows]


def ask(task: Task, question: Question, moment: Moment) -> Facts:
    return open_questions(task, [question], moment)


def _open(task: Task, question: Question, moment: Moment) -> e.DecisionOpened:
    """Put to the task's owner, or to whom the question says."""
    kind = KINDS[question.kind]
    options = question.options or kind.offer()
    cause = f"{moment.cause}:{question.cause}" if question.cause else moment.cause
    decision = Decision(
        id=decision_id(task.id, kind.name, cause),
        task=task.id,
        project=question.project,
        kind=kind.name,
        options=options,
        question=question.text,
        evidence=question.evidence,
        subject=question.subject,
        put_to=question.put_to or task.request.by,
        opened_at=moment.at,
        default=next((o.letter for o in options if o.value == question.default), ""),
    )
    timed = replace(decision, due=first_due(decision, moment.channel, moment.limits))
    return e.DecisionOpened(task=task.id, project=question.project, at=moment.at, decision=timed)


def first_due(decision: Decision, channel: ChannelPolicy, limits: Limits) -> datetime | None:
    """The moment at which silence first means something."""
    rule = rule_of(decision)
    match rule.silence:
        case Silence.TAKES_DEFAULT if decision.default:
            return decision.opened_at + limits.within("question_default")
        case Silence.PASSES if channel.on_timeout is OnTimeout.PASS and decision.default:
            return decision.opened_at + limits.within("medium_gate")
        case Silence.EXPIRES:
            return decision.opened_at + limits.within("confirm")
        case _:
            return decision.opened_at + limits.within("reminder") if rule.reminders else None


def refuse_unless_open(decision: Decision) -> None:
    """A press on something no longer open gets an honest answer."""
    if decision.state is not DecisionState.OPEN:
        raise Refused(Refusal.CLOSED, decision=decision)


def refuse_if_late(decision: Decision, at: datetime) -> None:
    """Time decides by the clock, not when somebody gets round to writing it down."""
    if is_lapsed(decision, at):
        expires = rule_of(decision).silence is Silence.EXPIRES
        state = DecisionState.EXPIRED if expires else DecisionState.DECIDED
        refuse_unless_open(replace(decision, state=state, closed_at=decision.due))


def refuse_unless_entitled(
    decision: Decision, letter: str, presser: Presser, requester: PersonId, channel: ChannelPolicy
) -> None:
    """Rights at the moment of the press. Holding a clock only delays, so the owner may always do that."""
    rule = rule_of(decision)
    if (letter == HOLD and presser.is_(requester)) or (rule.put_to and presser.is_(decision.put_to)):
        return
    option = next((option for option in decision.options if option.letter == letter), None)
    rule, wider = rights_to(decision, option)
    check(rule, presser, requester, channel, wider)


def refuse_without_words(decision: Decision, option: Option, words: str) -> None:
    if option.needs_words and not words:
        raise Refused(Refusal.NEEDS_WORDS, decision=decision, option=option.letter)


def conclude(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """The decision is made, and what follows from it. What only asked about it is no longer needed."""
    decision, kind, answers = chosen.decision, kind_of(chosen.decision), chosen.option.answers
    made = e.DecisionMade(
        task=task.id,
        project=decision.project,
        at=moment.at,
        decision=decision.id,
        option=chosen.option.letter,
        by=chosen.by,
        words=chosen.words,
    )
    if answers:
        follows = _conclude_other(task, chosen, answers, moment)
    elif kind.cancels and chosen.option.value == CANCEL:
        follows = [*cancel_task(task, chosen, moment), *after_cancel(task, moment.watching(task))]
    else:
        follows = open_questions(task, kind.apply(task, decision.subject, chosen, moment), moment)
    closed = {fact.decision for fact in (made, *follows) if isinstance(fact, e.AboutDecision)}
    open = {d.id for d in task.open} - closed
    stale = [d for d in task.open if d.kind is Kind.MEANT and d.id not in closed and not open & _asked_about(d)]
    return [made, *follows, *withdraw(stale, Withdrawal.DECIDED, moment)]


def _conclude_other(task: Task, chosen: Chosen, answers: AnswerTo, moment: Moment) -> Facts:
    """A person pressed what their words were meant for."""
    about = task.decision(answers.decision)
    if about is None:
        raise Refused(Refusal.MEANWHILE, decision=chosen.decision)
    refuse_if_late(about, moment.at)
    option = about.option(answers.letter) if answers.letter else FREE
    said = chosen.decision.subject
    words = said.words if isinstance(said, OfWords) and (option.needs_words or not answers.letter) else ""
    without = replace(task, open=tuple(d for d in task.open if d.id != chosen.decision.id))
    answer = Chosen(decision=about, option=option, by=chosen.by[:1], words=words, entitled=chosen.entitled)
    return conclude(without, answer, moment)


def _asked_about(decision: Decision) -> set[DecisionId]:
    return {option.answers.decision for option in decision.options if option.answers}
