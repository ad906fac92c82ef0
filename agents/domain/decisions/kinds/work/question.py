"""A minion asks."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import OWNERS, Kind, Rule, Silence
from agents.domain.decisions.decision import Option, with_letters
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, takes_any_words
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, waiting_run

NOBODY_ANSWERED = "Nobody answered in time, so your default holds: "


class QuestionOption(StrEnum):
    ANSWER = "answer"


def answers(suggested: tuple[str, ...], default: str) -> tuple[Option, ...]:
    """Those that the minion suggests; the last one takes words. A default in free text can be pressed too."""
    choices = dict.fromkeys((*suggested, *((default,) if default else ())))
    offered = (Option(value=each, label=each) for each in choices)
    return with_letters(*offered, QUESTION.option(QuestionOption.ANSWER))


def apply_question(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    work = waiting_run(task, subject)
    if work is None:
        return []
    answer = chosen.answer if chosen.by else f"{NOBODY_ANSWERED}{chosen.answer}"
    return [e.MinionAnswered(**about_run(task, work, moment.at), answer=answer, by=chosen.by)]


QUESTION = DecisionKind(
    name=Kind.QUESTION,
    subject=OfRun,
    rule=Rule(who=OWNERS, silence=Silence.TAKES_DEFAULT, reminders=1, by_words=True),
    apply=apply_question,
    options=QuestionOption,
    needs_words=frozenset({QuestionOption.ANSWER}),
    reads=takes_any_words,
    answers=True,
)
