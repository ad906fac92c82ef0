"""The table that makes one ruling of two verdicts, and debates of at most two rounds."""

from dataclasses import replace
from itertools import product

import pytest
from pydantic import TypeAdapter

from agents.domain.planning.debating import after_round, disagreement, with_grounds
from agents.domain.planning.review import (
    CRITIC_STANCE,
    CUSTODIET_STANCE,
    RULINGS,
    Argument,
    Aspect,
    Citation,
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Debate,
    Finding,
    Position,
    Review,
    Round,
    Ruling,
    Side,
)
from bot.cards.reasons import put
from tests.builders.reviews import review

REQUEST = "Add a login page with a password reset link"
PATHS = ("src/login.py", "tests/test_login.py")


def test_every_pair_has_a_ruling_and_every_verdict_a_stance() -> None:
    assert RULINGS.keys() == set(product(Critic, Custodiet))
    assert CRITIC_STANCE.keys() == set(Critic)
    assert CUSTODIET_STANCE.keys() == set(Custodiet)


@pytest.mark.parametrize(("critic", "custodiet"), list(product(Critic, Custodiet)))
def test_absence_never_approves_and_a_stop_always_blocks(critic: Critic, custodiet: Custodiet) -> None:
    ruling = RULINGS[critic, custodiet]
    if critic is Critic.HALT or custodiet is Custodiet.BLOCK:
        assert ruling is Ruling.BLOCKED
    elif Critic.NO_VERDICT is critic or Custodiet.NO_VERDICT is custodiet:
        assert ruling is Ruling.ESCALATE_TO_HUMAN
    else:
        assert ruling is (Ruling.APPROVED if critic is Critic.PROCEED else Ruling.NEEDS_REVISION)


@pytest.mark.parametrize(
    ("held", "conflict"),
    [
        (review(Critic.PROCEED, Custodiet.OK), False),
        (review(Critic.PROCEED, Custodiet.WARN), False),
        (review(Critic.PROCEED, Custodiet.WARN, asks=True), True),
        (review(Critic.REVISE, Custodiet.OK), True),
        (review(Critic.REVISE, Custodiet.WARN), True),
        (review(Critic.REVISE, Custodiet.WARN, asks=True), False),
        (review(Critic.HALT, Custodiet.OK), False),
        (review(Critic.PROCEED, Custodiet.NO_VERDICT), False),
    ],
)
def test_a_go_and_a_change_are_a_conflict(held: Review, conflict: bool) -> None:
    assert held.conflict is conflict


def argue(side: Side, position: Position, *evidence: str) -> Argument:
    return Argument(side=side, position=position, point=f"{side} says so", evidence=evidence)


def held_round(critic: Argument, custodiet: Argument, number: int = 1) -> Round:
    return Round(number=number, critic=critic, custodiet=custodiet)


def begun(held: Review) -> Debate:
    return Debate(began=held, now=held)


K, G = Position.MAINTAIN, Position.REVISE
QUOTE = "password reset link"


@pytest.mark.parametrize(
    ("critic", "custodiet", "ruling"),
    [
        (argue(Side.CRITIC, G), argue(Side.CUSTODIET, K, QUOTE), Ruling.APPROVED),
        (argue(Side.CRITIC, K, "src/login.py"), argue(Side.CUSTODIET, G), Ruling.NEEDS_REVISION),
        (argue(Side.CRITIC, G), argue(Side.CUSTODIET, G), Ruling.NEEDS_REVISION),
    ],
)
def test_who_concedes_takes_the_others_verdict(critic: Argument, custodiet: Argument, ruling: Ruling) -> None:
    debate = after_round(begun(review(Critic.REVISE, Custodiet.OK)), held_round(critic, custodiet))
    assert debate.is_settled
    assert debate.ruling is ruling


@pytest.mark.parametrize("evidence", [(), ("common sense",)])
def test_a_point_without_evidence_is_marked_and_loses_by_nothing_else(evidence: tuple[str, ...]) -> None:
    bare = with_grounds(argue(Side.CRITIC, K, *evidence), REQUEST, PATHS)
    debate = begun(review(Critic.REVISE, Custodiet.OK))
    for number in (1, 2):
        debate = after_round(debate, held_round(bare, argue(Side.CUSTODIET, K, QUOTE), number))
    assert not bare.grounded and not debate.is_settled and debate.ruling is Ruling.ESCALATE_TO_HUMAN


@pytest.mark.parametrize(
    ("about", "conflict"),
    [
        ((None,), True),
        ((Aspect.SCOPE, Aspect.SIZE), True),
        ((Aspect.SIZE,), False),
        ((Aspect.LOGIC, Aspect.CASE), False),
        ((), True),
    ],
)
def test_they_debate_only_what_both_judge(about: tuple[Aspect | None, ...], conflict: bool) -> None:
    """Whether a plan is good is no matter of the scope guard's: the table is read, and the plan goes back."""
    issues = tuple(Finding(what="it drifts", about=each) for each in about)
    held = review(Critic.REVISE, Custodiet.OK)
    held = replace(held, critic=replace(held.critic, issues=issues))
    assert held.conflict is conflict and held.ruling is Ruling.NEEDS_REVISION


def test_two_rounds_without_agreement_go_to_a_person_with_the_tension_in_one_sentence() -> None:
    debate = begun(review(Critic.PROCEED, Custodiet.WARN, asks=True))
    for number in (1, 2):
        assert not debate.over
        both = argue(Side.CRITIC, K, QUOTE), argue(Side.CUSTODIET, K, "tests/test_login.py")
        debate = after_round(debate, held_round(*both, number=number))
    assert debate.over
    assert debate.ruling is Ruling.ESCALATE_TO_HUMAN
    assert put(disagreement(debate)) == "The critic says: critic says so; the scope guard says: custodiet says so."


@pytest.mark.parametrize(
    ("cited", "counts"),
    [
        ("a Password  Reset link", True),
        ("“password reset link”", True),
        ("src/login.py", True),
        ("src/login.py:40", True),
        ("src/login.py: the whole file", False),
        ("src/other.py", False),
        ("login", False),
        ("best practice", False),
        ("", False),
    ],
)
def test_evidence_is_a_quote_or_a_path(cited: str, counts: bool) -> None:
    assert with_grounds(argue(Side.CRITIC, K, cited), REQUEST, PATHS).grounded is counts


def test_what_the_planner_is_told_pairs_each_issue_with_its_fix() -> None:
    issue = Finding(what="No test.", fix="Add one", principle=Citation(id="A5", title="every part can be shown"))
    critic = CriticSays(verdict=Critic.REVISE, issues=(issue, Finding(what="It drifts")), changes=("Test it",))
    guard = CustodietSays(verdict=Custodiet.WARN, issue="It grows", suggestion="Leave it out")
    assert Review(critic=critic, custodiet=guard).reasons == (
        "No test (A5 every part can be shown). Suggested fix: Add one",
        "It drifts",
        "It grows. Suggested fix: Leave it out",
        "Required: Test it",
    )


def test_reviews_of_earlier_versions_held_bare_texts() -> None:
    old = {
        "critic": {"verdict": "revise", "issues": ["too big"]},
        "custodiet": {"verdict": "block", "issue": "it grows", "principle": "take no right nobody gave"},
    }
    read = TypeAdapter(Review).validate_python(old)
    assert read.critic.issues == (Finding(what="too big"),)
    assert read.custodiet.principle == Citation(title="take no right nobody gave")
    assert TypeAdapter(Review).validate_json(TypeAdapter(Review).dump_json(read, exclude_defaults=True)) == read
    assert [(side, str(stop.principle)) for side, stop in read.stops] == [(Side.CUSTODIET, "take no right nobody gave")]


def test_who_stops_a_plan_says_why_and_what_would_resolve_it() -> None:
    too_big = Finding(what="too big", fix="split it")
    halt = Review(
        critic=CriticSays(verdict=Critic.HALT, issues=(too_big, Finding(what="more"))),
        custodiet=CustodietSays(verdict=Custodiet.BLOCK, issue="adds a reset link", suggestion="leave it out"),
    )
    assert halt.stops == (
        (Side.CRITIC, too_big),
        (Side.CUSTODIET, Finding(what="adds a reset link", fix="leave it out")),
    )
    required = replace(halt.critic, changes=("drop 3", "split 2"))
    assert replace(halt, critic=required).stops[0] == (Side.CRITIC, replace(too_big, fix="drop 3; split 2"))
    wordless = Review(critic=CriticSays(verdict=Critic.HALT), custodiet=CustodietSays(verdict=Custodiet.WARN))
    assert wordless.stops == ((Side.CRITIC, Finding(what="")),), "a warning stops nothing"
