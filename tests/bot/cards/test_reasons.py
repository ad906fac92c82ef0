"""Every reason of the domain has its words, and what earlier versions wrote in words is shown as it is."""

from datetime import UTC, datetime

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.ids import PersonId, TaskId
from agents.domain.reason import Reason, Why
from bot.cards.reasons import WORDS, put, risk_sentence
from store.codec import dump, load_event

AT = datetime(2026, 1, 2, tzinfo=UTC)


def test_every_reason_has_words() -> None:
    assert WORDS.keys() == set(Why)


@pytest.mark.parametrize("code", list(Why))
def test_words_hold_what_the_reason_holds(code: Why) -> None:
    said = put(Reason(code=code, names=("one", "two"), count=3, limit=2, details=("because",)))
    assert said and "Reason(" not in said and "_" not in said


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (Reason(code=Why.ATTEMPTS_FAILED, count=1), "One attempt failed"),
        (Reason(code=Why.ATTEMPTS_FAILED, count=3, details=("a", "b")), "3 attempts failed: a; b"),
        (Reason(code=Why.DROPPED), "dropped by a person"),
        (Reason(code=Why.DROPPED, details=(Reason(code=Why.HOPELESS),)), "dropped: Another attempt would not fix this"),
        (Reason(code=Why.NEVER_HELD, count=1, details=("no test",)), "The first plan did not hold: no test"),
        (Reason(code=Why.NEVER_HELD, count=2), "2 decompositions were drafted and none held"),
        (Reason(code=Why.NO_VERDICT, names=("critic", "custodiet")), "No verdict from the critic and the scope guard"),
        (Reason(code=Why.NO_VERDICT), "No verdict from the reviewers"),
        (Reason(code=Why.AREA, names=("auth code", "a.py"), count=1), "auth code: a.py"),
        (Reason(code=Why.BREAKING, names=("a.py",), count=3), "may break what others use: a.py and 2 more"),
        (Reason(code=Why.LINES_OVER, count=2345, limit=2000), "2,345 lines changed: more than 2,000"),
        (Reason(code=Why.FILES, count=1), "1 file changed"),
        (Reason(code=Why.DISAGREEMENT, names=("too much.", "")),
         "The critic says: too much; the scope guard says: nothing more."),
        ("in words", "in words"),
    ],
)  # fmt: skip
def test_a_reason_reads_well(reason: Reason | str, words: str) -> None:
    assert put(reason) == words


def test_a_low_risk_is_one_phrase_and_others_are_listed() -> None:
    why = (Reason(code=Why.FILES, count=2), Reason(code=Why.TESTED, count=95))
    assert risk_sentence(RiskLevel.LOW, why) == "Low risk: 2 files changed, 95 % of lines tested."
    assert risk_sentence(RiskLevel.HIGH, why) == "High risk: 2 files changed; 95 % of lines tested."


def test_facts_of_earlier_versions_keep_their_words() -> None:
    about = {"task": TaskId("T-1"), "at": AT}
    work = {**about, "subtask": 1, "attempt": 2}
    nested = Reason(code=Why.DROPPED, details=(Reason(code=Why.ATTEMPTS_FAILED, count=3, details=("test_login",)),))
    for why in ("3 attempts failed: test_login", nested):
        facts = (
            e.SubtaskEscalated(**work, why=why),  # type: ignore[arg-type]
            e.SubtaskDropped(**work, by=PersonId("p"), why=why),  # type: ignore[arg-type]
            e.TaskFailed(**about, reason=why),  # type: ignore[arg-type]
            e.DecompositionEscalated(**about, number=1, why=why),  # type: ignore[arg-type]
            e.MergeFailed(**about, problem=why),  # type: ignore[arg-type]
        )
        for fact in facts:
            assert load_event(type(fact).__name__, dump(fact)) == fact
