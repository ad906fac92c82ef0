"""Counters, urgency, intervals that double, directives that age: all of it folded from facts."""

from collections.abc import Iterable
from functools import reduce

import pytest

from agents.domain.fact import Event
from agents.domain.knowledge.note import Supervisor
from agents.domain.supervision.counting import due, is_converging
from agents.domain.supervision.directive import Became, DirectiveType, Priority, in_order
from agents.domain.supervision.facts import (
    DirectiveEnded,
    Occasion,
    Signal,
    Supervision,
    SupervisorSkipped,
    fold_counts,
    likenesses,
)
from agents.domain.supervision.tuning import SupervisorSettings, SupervisorTuning
from tests.builders.supervision import (
    AT,
    CODE_STYLE,
    DESIGN,
    INTERNALISER,
    SHOP,
    TASK,
    called,
    counted,
    directive,
    note,
    ran,
)

ON = SupervisorSettings(enabled=True)


def after(*facts: Event, state: Supervision | None = None) -> Supervision:
    return reduce(fold_counts, facts, state or Supervision())


def finished(many: int) -> list[Event]:
    return [counted() for _ in range(many)]


def who(state: Supervision, *occasions: Occasion, settings: SupervisorSettings = ON) -> tuple[Supervisor, ...]:
    return due(state, occasions, settings)[0]


@pytest.mark.parametrize(
    ("many", "expected"),
    [(1, ()), (2, ()), (3, (INTERNALISER,)), (4, (INTERNALISER,)), (5, (CODE_STYLE, INTERNALISER))],
)
def test_each_has_an_interval_of_its_own(many: int, expected: tuple[Supervisor, ...]) -> None:
    assert who(after(*finished(many))) == expected


def test_a_call_begins_the_count_of_whom_it_calls_and_of_nobody_else() -> None:
    state = after(*finished(3), called(INTERNALISER), *finished(2))
    assert who(state) == (CODE_STYLE,)
    assert (state.counter(INTERNALISER).since, state.counter(CODE_STYLE).since, state.finished) == (2, 5, 5)


@pytest.mark.parametrize(
    ("occasion", "expected"),
    [
        (Occasion.PHASE, (CODE_STYLE, DESIGN, INTERNALISER)),
        (Occasion.REPLAN, (DESIGN,)),
        (Occasion.ABORT, (DESIGN,)),
        (Occasion.INTERVAL, ()),
    ],
)
def test_occasions_call_without_a_count(occasion: Occasion, expected: tuple[Supervisor, ...]) -> None:
    assert who(after(counted()), occasion) == expected


def test_each_is_switched_and_tuned_by_itself() -> None:
    tuned = SupervisorSettings(
        enabled=True, code_style=SupervisorTuning(interval=2), internaliser=SupervisorTuning(enabled=False)
    )
    assert who(after(*finished(3)), settings=tuned) == (CODE_STYLE,)
    assert who(after(*finished(3)), Occasion.PHASE, settings=tuned) == (CODE_STYLE, DESIGN)


@pytest.mark.parametrize(
    ("signals", "urgent"),
    [
        ([Signal.CHECK_FAILED] * 3, False),
        ([Signal.CHECK_FAILED] * 4, True),
        ([Signal.ABORTED], True),
        ([Signal.DRIFT], False),
        ([Signal.DRIFT] * 2, True),
        ([Signal.CHURN] * 4, False),
        ([Signal.CHURN] * 5, True),
        ([Signal.DRIFT, Signal.CHECK_FAILED, Signal.CHURN], True),
        ([Signal.DONE] * 2, False),
    ],
)
def test_trouble_adds_up_to_an_urgent_call_of_all(signals: Iterable[Signal], urgent: bool) -> None:
    state = after(*map(counted, signals))
    assert state.is_urgent is urgent
    assert who(state) == ((CODE_STYLE, DESIGN, INTERNALISER) if urgent else ())


def test_urgency_ends_with_a_run_that_happened_and_not_with_one_that_was_skipped() -> None:
    state = after(counted(Signal.ABORTED), called(*Supervisor))
    skipped = SupervisorSkipped(task=TASK, project=SHOP, at=AT, call="c", by=DESIGN, why="no model")
    without = after(skipped, state=state)
    assert without.urgency == 1.0 and not without.is_urgent, "it is not tried for ever"
    assert after(counted(Signal.CHURN), state=without).is_urgent, "but again with the next trouble"
    assert after(ran(), state=without).urgency == 0.0


def test_findings_that_repeat_double_the_interval_and_new_ones_bring_it_back() -> None:
    first = ran(directives=(directive("rename it"),), notes=(note("errors"),))
    state = after(first)
    assert not is_converging(Supervision().counter(CODE_STYLE), likenesses(first)), "there was nothing to compare with"
    assert is_converging(state.counter(CODE_STYLE), likenesses(ran(directives=(directive("Rename it!"),))))
    assert not is_converging(state.counter(CODE_STYLE), likenesses(ran(directives=(directive("split it"),))))
    twice = after(called(CODE_STYLE), ran(converging=True), ran(converging=True), *finished(19), state=state)
    assert twice.counter(CODE_STYLE).factor == 4 and CODE_STYLE not in who(twice)
    assert CODE_STYLE in who(after(counted(), state=twice)), "after 20 in place of 5"
    assert after(ran(), state=twice).counter(CODE_STYLE).factor == 1


def test_a_cleanup_that_nobody_picks_up_lapses_after_fifteen_subtasks() -> None:
    functional = directive("store it elsewhere", type=DirectiveType.FUNCTIONAL)
    state = after(called(CODE_STYLE), ran(directives=(directive("rename it"), functional)), *finished(15))
    assert [each.directive.description for each in state.pending] == ["rename it", "store it elsewhere"]
    assert [each.directive for each in after(counted(), state=state).pending] == [functional], "these do not age"
    late = after(called(CODE_STYLE), *finished(9), ran(directives=(directive("rename it"),)), *finished(15))
    assert len(late.pending) == 1, "counted since it was asked for"
    short = after(called(CODE_STYLE, age=2), ran(directives=(directive("rename it"),)), *finished(3))
    assert short.pending == ()


def test_of_more_than_ten_cleanups_the_oldest_goes() -> None:
    words = [chr(ord("a") + n) * 3 for n in range(12)]
    functional = directive("store it elsewhere", type=DirectiveType.FUNCTIONAL)
    state = after(ran(directives=(functional,)), *(ran(directives=(directive(each),)) for each in words))
    kept = [each.directive.description for each in state.pending]
    assert kept == ["store it elsewhere", *words[2:]]
    assert len(after(called(CODE_STYLE, cap=3), ran(directives=(directive("zzz"),)), state=state).pending) == 4


def test_what_is_asked_for_already_is_not_asked_for_twice() -> None:
    state = after(ran(directives=(directive("Rename it."),)), ran(directives=(directive("rename it"),)))
    assert len(state.pending) == 1
    ended = DirectiveEnded(task=TASK, project=SHOP, at=AT, directive="Rename it.", became=Became.DISMISSED)
    assert after(ended, state=state).pending == ()
    again = after(ended, ran(directives=(directive("Rename it"),)), state=state)
    assert again.pending == (), "nor once somebody has dealt with it"


def test_code_orders_directives_functional_first_then_by_priority() -> None:
    functional, cleanup = DirectiveType.FUNCTIONAL, DirectiveType.CLEANUP
    mixed = [
        directive("1", type=cleanup, priority=Priority.CRITICAL),
        directive("2", type=functional, priority=Priority.LOW),
        directive("3", type=functional, priority=Priority.CRITICAL),
        directive("4", type=cleanup, priority=Priority.LOW),
    ]
    assert [each.description for each in in_order(mixed)] == ["3", "2", "1", "4"]


def test_the_log_of_runs_says_who_found_what_for_how_much_and_stays_short() -> None:
    state = after(*finished(3), ran(directives=(directive("rename it"),), cost=0.03), *[ran()] * 30)
    assert len(state.log) == 20
    [first] = after(*finished(3), ran(directives=(directive("rename it"),), cost=0.03)).log
    assert (first.by, first.finished, first.directives, first.cost, first.summary) == (CODE_STYLE, 3, 1, 0.03, "seen")


def test_runs_are_counted_by_who_ran() -> None:
    state = after(ran(), ran(), ran(by=DESIGN))
    assert (state.counter(CODE_STYLE).ran, state.counter(DESIGN).ran, state.counter(INTERNALISER).ran) == (2, 1, 0)
