"""What cards say of a subtask: in the words of today, and as earlier versions stored it."""

from dataclasses import replace

import pytest

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kind import Question
from agents.domain.decisions.subject import OfHead, OfRun, OfStep, OfSubtask, Subject
from agents.domain.decisions.table import ask
from agents.domain.events import DecisionOpened
from agents.domain.planning.decomposition import Decomposition, Subtask
from agents.domain.planning.facts import PlanState
from agents.domain.planning.work_kind import WorkKind
from bot.cards.decisions import decision_card
from bot.cards.kinds import prompt, title_of
from tests.builders.steered import moment
from tests.llm.rig import task

FORM = Subtask(number=1, title="Write the form", why="it is wanted", kind=WorkKind.FEATURE)
PLAN = Decomposition(goal="It works", subtasks=(FORM,))
TASK = task(request="add login", plan=PlanState(draft=PLAN))
RUN = OfRun(subtask=1, attempt=1)
STEP = OfStep(subtask=1, attempt=1, commit="c", risk=RiskLevel.HIGH)
HEAD = OfHead(commit="c", risk=RiskLevel.MEDIUM, files=2, added=7, removed=1)
LONG = "Which of them? " * 12
WHY = ("auth code: login.py", "no tests")


def opened(asked: Question) -> Decision:
    (fact,) = ask(TASK, asked, moment())
    assert isinstance(fact, DecisionOpened)
    return fact.decision


@pytest.mark.parametrize(
    ("asked", "title", "text"),
    [
        (
            Question(kind=Kind.GATE, evidence=WHY, subject=STEP),
            "T-1: review step 1 of 1: Write the form",
            "T-1.1 passed its checks. High risk: auth code: login.py; no tests.",
        ),
        (
            Question(kind=Kind.GATE, subject=replace(STEP, unseen=(1, 2))),
            "T-1: review step 1 of 1: Write the form",
            "T-1.1 passed its checks. T-1.1 and T-1.2 passed only because the time ran out, and next it leaves this "
            "machine as a pull request: a person must let it.",
        ),
        (
            Question(kind=Kind.MERGE, evidence=WHY, subject=HEAD),
            "T-1 is ready to merge",
            "2 files, +7 −1. Medium risk: auth code: login.py; no tests.",
        ),
        (
            Question(kind=Kind.MERGE, evidence=("small",), subject=replace(HEAD, files=1)),
            "T-1 is ready to merge",
            "1 file, +7 −1. Medium risk: small.",
        ),
        (
            Question(kind=Kind.START_SCOPE, evidence=("src/**",), subject=OfSubtask(subtask=1)),
            "T-1: what may it write?",
            "The plan names no files for subtask T-1.1 (Write the form). What may it write?",
        ),
        (
            Question(kind=Kind.START_SCOPE, subject=OfSubtask(subtask=9)),
            "T-1: what may it write?",
            "The plan names no files for subtask T-1.9. What may it write?",
        ),
        (
            Question(kind=Kind.SCOPE, evidence=("a.py",), subject=replace(RUN, words="The form needs it")),
            "T-1: may it write more?",
            "T-1.1 wants to write more than the plan names: The form needs it",
        ),
        (
            Question(kind=Kind.SCOPE, evidence=("a.py",), subject=RUN),
            "T-1: may it write more?",
            "Let T-1.1 write more than the plan names?",
        ),
        (
            Question(
                kind=Kind.INTERFACE, evidence=("interfaces/a.pyi",), subject=replace(RUN, words="A day is missing")
            ),
            "T-1: may an agreed interface change?",
            "T-1.1 wants to change an interface that was locked: A day is missing. "
            "All other subtasks are told, and the whole is checked against it.",
        ),
        (
            Question(kind=Kind.ESCALATION, evidence=("3 attempts failed",), subject=RUN),
            "T-1.1 (Write the form) needs you",
            "It is about “add login”.",
        ),
        (
            Question(kind=Kind.TAKEN, evidence=("ai/t-1.1-by-hand",), subject=RUN),
            "T-1.1 is yours: commit on ai/t-1.1-by-hand",
            "It is about “add login”.",
        ),
        (Question(kind=Kind.UNMERGED, evidence=("It moved",)), "T-1 could not be merged", "It is about “add login”."),
        (
            Question(kind=Kind.QUESTION, subject=replace(RUN, words="Which hash?")),
            "T-1.1 asks: Which hash?",
            "It is about “add login”.",
        ),
        (
            Question(kind=Kind.QUESTION, subject=replace(RUN, words=LONG)),
            "T-1.1 asks",
            f"{LONG}\n\nIt is about “add login”.",
        ),
    ],
)
def test_a_card_says_what_is_asked(asked: Question, title: str, text: str) -> None:
    decision = opened(asked)
    card = decision_card(TASK, decision, str)
    assert (card.title, card.text) == (title, text) and title_of(TASK, decision) == title


@pytest.mark.parametrize(
    ("kind", "subject", "titled"),
    [
        (Kind.GATE, STEP, False),
        (Kind.MERGE, HEAD, False),
        (Kind.START_SCOPE, OfSubtask(subtask=1), False),
        (Kind.SCOPE, RUN, False),
        (Kind.ESCALATION, RUN, True),
        (Kind.TAKEN, RUN, True),
        (Kind.UNMERGED, None, True),
        (Kind.QUESTION, RUN, True),
    ],
)
def test_a_sentence_of_an_earlier_version_is_shown_as_it_is(kind: Kind, subject: Subject | None, titled: bool) -> None:
    stored = "T-1.1 asks: as it was stored"
    card = decision_card(TASK, opened(Question(kind=kind, text=stored, evidence=("beside it",), subject=subject)), str)
    assert (card.title if titled else card.text) == stored


def test_what_is_kept_and_what_comes_next_stand_below() -> None:
    taken = decision_card(TASK, opened(Question(kind=Kind.TAKEN, evidence=("ai/x",), subject=RUN)), str)
    assert taken.lines == ("When you are done, hand it in: I judge it like any other work.",)
    at_work = replace(TASK, work=replace(TASK.work, branch="ai/t-1"))
    unmerged = decision_card(at_work, opened(Question(kind=Kind.UNMERGED, evidence=("It moved",))), str)
    assert ("Kept", "branch ai/t-1") in [(row.label, row.value) for row in unmerged.rows]
    assert unmerged.lines == ("It moved",)


def test_the_form_of_a_minions_question_asks_it_again() -> None:
    for asked in (
        Question(kind=Kind.QUESTION, subject=replace(RUN, words=LONG)),
        Question(kind=Kind.QUESTION, text=f"T-1.1 asks: {LONG}", subject=RUN),
    ):
        decision = opened(asked)
        (answer,) = decision.options
        assert prompt(decision, answer) == LONG[:140]
