"""What a person reads before approving: the card of each ruling, what it may cost, and each round as it is held."""

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from agents.catalog.library import load_catalog
from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.limits import Limits
from agents.domain.models.money import MoneyState
from agents.domain.planning import planning
from agents.domain.planning.decomposition import Edge, Need
from agents.domain.planning.review import (
    Advice,
    Argument,
    Citation,
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Finding,
    Position,
    Review,
    Round,
    Side,
)
from agents.domain.planning.work_kind import Expected, Took
from agents.domain.task.task import Task
from bot.cards.decisions import decision_card
from bot.cards.scene import Bill
from bot.cards.status import cost_card, status_card
from bot.cards.timeline import in_words
from bot.messages import Card
from tests.bench.ask_walk import plan
from tests.builders.planned import Planned

GO = CriticSays(verdict=Critic.PROCEED, assumptions=("All logins go through sessions",))
REVISE = CriticSays(
    verdict=Critic.REVISE, issues=(Finding(what="The right password is refused too"),), changes=("Let it through",)
)
OK = CustodietSays(verdict=Custodiet.OK)
BLOCK = CustodietSays(
    verdict=Custodiet.BLOCK,
    issue="It reads every mail",
    principle=Citation(id="A2", title="take no right nobody gave"),
    suggestion="Count only failures",
)
NONE = CustodietSays(verdict=Custodiet.NO_VERDICT, why_none="fake-small did not answer in time")
ADVICE = Advice(
    specialist="security", concerns=("It tells which accounts exist",), suggestions=("One message for all",)
)


def judged(critic: CriticSays, custodiet: CustodietSays, limits: Limits | None = None) -> Planned:
    planned = Planned()
    planned.draft(plan(1))
    review = Review(critic=critic, custodiet=custodiet, advice=(ADVICE,))
    planned.then(planning.after_review(planned.task, review, planned.moment(limits=limits or Limits())))
    return planned


def argues(planned: Planned, critic: Position, custodiet: Position) -> Task:
    assert planned.task.plan.debate
    cited = ("tests/sessions/test_3.py",)
    one = Argument(side=Side.CRITIC, position=critic, point="Subtask 3 locks people out", evidence=cited)
    other = Argument(side=Side.CUSTODIET, position=custodiet, point="Waiting was asked for", evidence=("add login",))
    round = Round(number=planned.task.plan.debate.next_round, critic=one, custodiet=other, cost=0.02)
    return planned.then(planning.after_round(planned.task, round, planned.moment()))


def card_of(task: Task, kind: Kind, budget: float | None = None) -> Card:
    decision = task.of_kind(kind)
    assert decision
    return decision_card(task, decision, str, Bill(budget=budget))


def cost_on(card: Card) -> list[str]:
    return [row.value for row in card.rows if row.label == "Cost"]


def test_an_approved_plan(snapshot: SnapshotAssertion) -> None:
    assert card_of(judged(GO, OK).task, Kind.PLAN, budget=5.0).fallback == snapshot


def test_a_blocked_plan(snapshot: SnapshotAssertion) -> None:
    assert card_of(judged(GO, BLOCK).task, Kind.PLAN).fallback == snapshot


def test_a_plan_without_a_verdict(snapshot: SnapshotAssertion) -> None:
    assert card_of(judged(GO, NONE).task, Kind.DEBATE).fallback == snapshot


def test_a_plan_that_was_argued_about_in_vain(snapshot: SnapshotAssertion) -> None:
    planned = judged(REVISE, OK)
    for _ in range(2):
        argues(planned, Position.MAINTAIN, Position.MAINTAIN)
    assert planned.task.plan.debate
    task = planned.then(planning.after_debate(planned.task, planned.task.plan.debate, planned.moment()))
    assert card_of(task, Kind.DEBATE).fallback == snapshot


def test_a_plan_that_comes_again_after_words_of_a_person(snapshot: SnapshotAssertion) -> None:
    planned = judged(GO, OK)
    planned.press(Kind.PLAN, "changes", "tell it in plain words")
    planned.draft(plan(2))
    task = planned.then(planning.after_review(planned.task, Review(critic=GO, custodiet=OK), planned.moment()))
    assert card_of(task, Kind.PLAN).fallback == snapshot


TOOK = "about $0.40 to $1.50 and 10 min to 25 min of work, as half and nine in ten of the last 42 subtasks took"


@pytest.mark.parametrize(
    ("configured", "raised", "says"),
    [
        (None, None, f"{TOOK}"),
        (5.0, None, f"{TOOK}; budget $5.00"),
        (5.0, 10.0, f"{TOOK}; budget $10.00"),
        (None, 10.0, f"{TOOK}; budget $10.00"),
        (1.0, None, f"{TOOK}; budget $1.00; at the budget it stops and asks"),
    ],
)
def test_what_such_work_took_stands_beside_the_budget(
    configured: float | None, raised: float | None, says: str
) -> None:
    expected = Expected(usual=Took(cost=0.4, seconds=600), most=Took(cost=1.5, seconds=1500), of=42)
    task = replace(judged(GO, OK).task, money=MoneyState(budget=raised))
    task = replace(task, plan=replace(task.plan, expected=expected))
    assert cost_on(card_of(task, Kind.PLAN, configured)) == [says]


def test_before_there_is_a_record_no_hours_and_no_dollars_are_guessed() -> None:
    task = judged(GO, OK).task
    assert cost_on(card_of(task, Kind.PLAN, None)) == []
    assert cost_on(card_of(task, Kind.PLAN, 5.0)) == ["budget $5.00; at the budget it stops and asks"]
    assert any("· small ·" in row.value or "· medium ·" in row.value for row in card_of(task, Kind.PLAN).rows)


def test_a_rehearsal_costs_nothing_whatever_the_budget() -> None:
    task = judged(GO, OK).task
    task = replace(task, plan=replace(task.plan, rehearsal=True))
    assert cost_on(card_of(task, Kind.PLAN, 5.0)) == ["nothing, as this is a rehearsal"]


@pytest.mark.parametrize(
    ("workflow", "words"),
    [
        ("default", []),
        (
            "mvp",
            [
                "mvp (no new tests asked for; one review; also checked: pre commit lint, pre commit type check;"
                " no extra approvals)"
            ],
        ),
        (
            "open_source",
            [
                "open_source (one review; also checked: docs check, pre commit lint, pre commit type check, changelog;"
                " a person is asked at await review)"
            ],
        ),
    ],
)
def test_a_workflow_that_is_not_the_default_is_said(workflow: str, words: list[str]) -> None:
    chosen = load_catalog().workflows[workflow]
    planned = Planned()
    moment = planned.moment(workflow=lambda task: chosen)
    planned.then(planning.after_draft(planned.task, planning.Draft(says=plan(1)), moment))
    planned.then(planning.after_review(planned.task, Review(critic=GO, custodiet=OK), planned.moment()))
    assert [row.value for row in card_of(planned.task, Kind.PLAN).rows if row.label == "Workflow"] == words


def test_what_only_informs_is_told_to_those_who_do_not_see_the_picture() -> None:
    made = plan(1)
    informed = replace(made.subtasks[3], needs=(Need(number=1, edge=Edge.INFORMS), *made.subtasks[3].needs))
    planned = Planned()
    planned.draft(replace(made, subtasks=(*made.subtasks[:3], informed, *made.subtasks[4:])))
    planned.then(planning.after_review(planned.task, Review(critic=GO, custodiet=OK), planned.moment()))
    rows = {row.label: row.value for row in card_of(planned.task, Kind.PLAN).rows}
    assert rows["Informs"] == "1 ~> 4"


@pytest.mark.parametrize(("raised", "says"), [(None, "$5.00"), (7.5, "$7.50, as raised")])
def test_what_it_cost_is_told_beside_the_budget(raised: float | None, says: str) -> None:
    card = cost_card(
        replace(judged(GO, OK).task, money=MoneyState(budget=raised)),
        Bill(spent=0.25, budget=5.0),
    )
    assert {row.label: row.value for row in card.rows}["Budget"] == says


def test_the_status_card_says_which_round_is_held_and_the_timeline_what_was_said() -> None:
    planned = judged(REVISE, OK)
    states = [status_card(planned.task, str).rows[0].value]
    argues(planned, Position.MAINTAIN, Position.REVISE)
    states.append(status_card(planned.task, str).rows[0].value)
    assert states == [
        "The critic and the scope guard argue, round 1 of 2",
        "The critic and the scope guard have argued",
    ]
    told = in_words(planned.facts[-1], str, lambda id: None)
    assert isinstance(planned.facts[-1], e.DebateRoundHeld)
    assert told.startswith("Round 1 of the debate: the critic keeps to it (Subtask 3 locks people out)")
    assert "the scope guard gives way" in told


def test_where_only_one_round_is_allowed_the_card_says_so() -> None:
    planned = judged(REVISE, OK, Limits(debate_rounds=1))
    assert status_card(planned.task, str).rows[0].value == "The critic and the scope guard argue, round 1 of 1"
