"""Adding a fact, a state, a kind of decision or a command without saying who cares about it fails here."""

from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind, Rule
from agents.domain.decisions.decision import Decision, DecisionState, Refusal, Refused
from agents.domain.decisions.kind import Withdrawal
from agents.domain.decisions.table import KINDS
from agents.domain.ids import DecisionId, PersonId, TaskId
from agents.domain.task.fold import EVEN_WHEN_ENDED, STAYS, TASK_MOVES
from agents.domain.task.task import TaskState
from agents.domain.workflow.steps import STEP_TYPES
from agents.flows import FLOW_AFTER
from agents.flows.steps import RUNNERS
from bot.cards import CARD_FOR, QUIET, timeline
from bot.cards.decisions import WITHDRAWN, put_into_words
from bot.cards.kinds import CARDS, prompt
from bot.cards.kinds.kind_card import Label
from bot.cards.kinds.task.stuck import FLOW
from bot.cards.status import STATE, TONE
from bot.intake.commands import ANSWERS, STEERS
from bot.intake.conversation import Verb
from bot.messages import Delivery
from store.codec import EVENT_KINDS
from tests.builders.decisions import sample
from tests.fakes.manners import has_words

ROOT = Path(__file__).parents[1]


def test_every_fact_moves_a_task_or_is_said_not_to() -> None:
    moves = {kind for _, kind in TASK_MOVES}
    assert moves | STAYS | EVEN_WHEN_ENDED | {e.TaskRequested} == set(e.ALL)
    assert not (moves & STAYS or moves & EVEN_WHEN_ENDED or STAYS & EVEN_WHEN_ENDED)


def test_every_fact_starts_a_flow_or_rests() -> None:
    """A fact that starts nothing has one row that says so; no fact starts the same flow twice."""
    assert {row.fact for row in FLOW_AFTER} == set(e.ALL)
    starts = {row.fact for row in FLOW_AFTER if row.run or row.repeats}
    assert starts.isdisjoint(row.fact for row in FLOW_AFTER if not (row.run or row.repeats))
    assert len({(row.fact, row.run) for row in FLOW_AFTER}) == len(FLOW_AFTER)


def test_every_fact_is_told_or_quiet() -> None:
    assert CARD_FOR.keys() | QUIET == set(e.ALL)
    assert not CARD_FOR.keys() & QUIET


def test_every_fact_can_be_written_and_put_into_words() -> None:
    assert set(EVENT_KINDS) == {kind.__name__ for kind in e.ALL}
    told = timeline.OF_TASKS.keys() | timeline.OF_DECISIONS.keys() | timeline.OF_WORK.keys()
    assert told == set(e.ALL)


def test_every_state_has_a_word_a_tone_and_an_icon() -> None:
    for table in (STATE, TONE):
        assert table.keys() == set(TaskState)
    assert all(has_words(word) for word in STATE.values()), "no colour is the only one to say it"


def test_every_kind_of_decision_has_its_rule_and_its_name() -> None:
    assert KINDS.keys() == set(Kind)
    for kind in KINDS.values():
        assert isinstance(kind.rule, Rule) or kind.rule.keys() == set(RiskLevel), kind.name


def test_a_kind_of_decision_is_one_file_and_its_card_one_of_the_same_name() -> None:
    kinds, cards = (
        sorted(path.relative_to(room).as_posix() for path in room.glob("*/*.py"))
        for room in (ROOT / "agents/domain/decisions/kinds", ROOT / "bot/cards/kinds")
    )
    assert kinds == cards
    assert len([name for name in kinds if not name.endswith("__init__.py")]) == len(Kind)


def sample_decision(kind: Kind, state: DecisionState = DecisionState.OPEN) -> Decision:
    return Decision(
        id=DecisionId("d"),
        task=TaskId("T-1"),
        kind=kind,
        options=KINDS[kind].offer() if KINDS[kind].options else (),
        question="T-1.1 asks: which one?",
        subject=sample(kind),
        put_to=PersonId("ana"),
        opened_at=datetime(2026, 1, 5, tzinfo=UTC),
        state=state,
    )


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_of_decision_has_its_card(kind: Kind) -> None:
    """A name, and for each option a label, what a closed card says, and what is asked for where it needs words."""
    card, asked = CARDS[kind], sample_decision(kind)
    assert card.kind is kind and card.name
    offered = {option.value for option in asked.options} | KINDS[kind].by_name
    assert card.labels.keys() <= offered, "a label of an option that there is not"
    for option in asked.options:
        label = card.label(asked, option)
        assert has_words(label.text) and has_words(label.closed), f"{kind}: {option.value}"
        asks = prompt(asked, option)
        assert bool(asks) is option.needs_words and asks != Label("").asks, f"{kind}: {option.value}"


@pytest.mark.parametrize("why", Refusal)
def test_every_refusal_has_its_words(why: Refusal) -> None:
    """Where words are missing, it names what the option asks for."""
    closed = sample_decision(Kind.GATE, state=DecisionState.EXPIRED)
    error = put_into_words(Refused(why, task=TaskId("T-1"), decision=closed, option=closed.options[-1].letter), str)
    assert " " in error.what and error.next_step
    asks = error.next_step == "What should it do differently?"
    assert asks is (why is Refusal.NEEDS_WORDS)


def test_every_withdrawal_has_its_words() -> None:
    assert WITHDRAWN.keys() == set(Withdrawal)


def test_every_flow_that_may_hold_up_a_task_has_its_words() -> None:
    holds_up = {row.run.__name__ for row in FLOW_AFTER if row.run and not row.aside}
    assert FLOW.keys() == holds_up


def test_every_command_steers_or_answers() -> None:
    assert STEERS.keys() | ANSWERS.keys() | {Verb.ASIDE} == set(Verb)
    assert not STEERS.keys() & ANSWERS.keys()


def test_every_delivery_can_be_stored() -> None:
    from bot.intake.inbox import DELIVERIES

    assert set(DELIVERIES) == {kind.__name__ for kind in get_args(Delivery)}


def test_every_step_that_looks_at_work_has_its_runner() -> None:
    assert set(RUNNERS) == {kind.name for kind in STEP_TYPES.values() if kind.looks}
