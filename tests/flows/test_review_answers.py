"""Verdicts as models write them: short, in capitals, with bare texts for issues, or none at all."""

import json
from typing import Any

import pytest
from pydantic import BaseModel

from agents.domain.planning.review import Citation, Critic, Custodiet, Finding
from agents.flows.review_answers import CriticAnswer, CustodietAnswer
from agents.llm.answers import NONCE, BadAnswer, read_answer


def read(shape: type[BaseModel], **said: Any) -> Any:
    return read_answer(json.dumps({NONCE: "n", **said}), shape, "n")


def critic(**said: Any) -> Any:
    return read(CriticAnswer, **{"verdict": "proceed", **said}).says()


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("PROCEED", Critic.PROCEED),
        ("Revise", Critic.REVISE),
        ("halt", Critic.HALT),
        ("CANNOT_ASSESS", Critic.NO_VERDICT),
        ("cannot assess", Critic.NO_VERDICT),
        ("no_verdict", Critic.NO_VERDICT),
    ],
)
def test_a_verdict_in_any_letters_and_cannot_assess_is_none(said: str, meant: Critic) -> None:
    assert critic(verdict=said).verdict is meant
    if meant is Critic.NO_VERDICT:
        assert read(CustodietAnswer, verdict=said).says().verdict is Custodiet.NO_VERDICT


@pytest.mark.parametrize("said", ["approve?", "yes", "", "ok proceed", 1, None, ["proceed"]])
def test_what_is_no_verdict_of_ours_is_refused(said: Any) -> None:
    with pytest.raises(BadAnswer, match="verdict"):
        critic(verdict=said)


def test_an_issue_is_paired_with_its_fix_and_a_bare_text_has_none() -> None:
    whole = {"what": "No test", "fix": "Add one", "subtask": 2, "principle": "A5"}
    made = critic(issues=["It drifts", whole], changes=["Add a test"])
    assert made.issues == (
        Finding(what="It drifts"),
        Finding(what="No test", fix="Add one", subtask=2, principle=Citation(title="A5")),
    )
    assert made.changes == ("Add a test",)


@pytest.mark.parametrize("words", [0, 1, 15, 16, 60])
def test_the_scope_guard_is_held_to_fifteen_words(words: int) -> None:
    text = " ".join(f"w{n}" for n in range(words))
    made = read(CustodietAnswer, verdict="WARN", issue=text, suggestion=text, principle="A1").says()
    for said in (made.issue, made.suggestion):
        kept = said.removesuffix(" …").split()
        assert kept == text.split()[:15] and said.endswith(" …") is (words > 15)
    assert made.verdict is Custodiet.WARN and made.principle == Citation(title="A1")


@pytest.mark.parametrize("issue", ["It drifts", {"what": "No test"}, {"what": "No test", "principle": "A5"}])
def test_a_paid_verdict_is_read_again_as_it_was(issue: Any) -> None:
    """What is kept of a step that was finished before a crash."""
    made = read(CriticAnswer, verdict="REVISE", issues=[issue, "Too wide"], changes=["Add a test"])
    assert CriticAnswer.model_validate_json(made.model_dump_json()) == made
