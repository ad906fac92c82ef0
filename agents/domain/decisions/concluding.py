"""A decision is made: the fact of it, and what follows."""

from dataclasses import replace

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import AnswerTo, Decision, Option, Refusal, Refused
from agents.domain.decisions.kind import Chosen, Facts, Moment, Withdrawal, withdraw
from agents.domain.decisions.refusing import refuse_if_late
from agents.domain.decisions.subject import OfWords
from agents.domain.decisions.table import kind_of
from agents.domain.ids import DecisionId
from agents.domain.task.task import Task


def conclude(task: Task, chosen: Chosen, moment: Moment) -> Facts:
    """The decision is made, and what follows from it. What only asked about it is no longer needed."""
    decision, answers = chosen.decision, chosen.option.answers
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
    else:
        follows = kind_of(decision).apply(task, decision.subject, chosen, moment)
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
    option = about.option(answers.letter) if answers.letter else Option(value="")
    said = chosen.decision.subject
    words = said.words if isinstance(said, OfWords) and (option.needs_words or not answers.letter) else ""
    without = replace(task, open=tuple(d for d in task.open if d.id != chosen.decision.id))
    return conclude(without, Chosen(decision=about, option=option, by=chosen.by[:1], words=words), moment)


def _asked_about(decision: Decision) -> set[DecisionId]:
    return {option.answers.decision for option in decision.options if option.answers}
