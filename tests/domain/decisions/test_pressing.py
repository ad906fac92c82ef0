"""Presses, words and silence on the decisions of a task, without any store."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.decisions import answering, decision as ledger, pressing
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import ChannelPolicy, Group, Kind, NotYours, OnTimeout, Presser
from agents.domain.decisions.decision import HOLD, Decision, DecisionState, Option, Refusal, with_letters
from agents.domain.decisions.kinds.plan.plan import MOST_ADDED, read_number
from agents.domain.decisions.pressing import Press
from agents.domain.decisions.subject import OfPlan
from agents.domain.decisions.table import ask, questions, refuse_unless_open
from agents.domain.errors import IllegalMove, OverlordError, PressRefused
from agents.domain.events import Event
from agents.domain.ids import ProposalId, TaskId, Thread
from agents.domain.task import decide
from agents.domain.task.facts import Mandate
from agents.domain.task.fold import evolve, replay
from agents.domain.task.task import Task, TaskState
from bot.cards.decisions import put_into_words
from tests.builders.decisions import question, supersede
from tests.builders.steered import ANA, APPROVER, BO, CY, NOW, OWNER, asked, moment, on

STRANGER = Presser(person=CY)
APPROVE_OR_NOT = with_letters(Option(value="approve", approves=True), Option(value="reject"))


def then(facts: list[Event], *more: list[Event]) -> Task:
    task = replay(facts)
    for some in more:
        for fact in some:
            task = evolve(task, fact)
            facts.append(fact)
    return task


def opened(facts: list[Event], kind: Kind) -> Decision:
    return next(f.decision for f in reversed(facts) if isinstance(f, e.DecisionOpened) and f.decision.kind is kind)


@pytest.mark.parametrize(
    ("request_", "projects", "channel", "chosen"),
    [
        ("add login", (), "", ""),
        ("add login", ("api",), "", "api"),
        ("add login", ("api", "web"), "web", "web"),
        ("add login to the API", ("api", "web"), "", "api"),
        ("rapid growth", ("api", "web"), "", None),
        ("api and web", ("api", "web"), "", None),
        ("add login", ("api", "web"), "gone", None),
        ("fix web-admin", ("web", "web-admin"), "", "web-admin"),
    ],
)
def test_which_project(request_: str, projects: tuple[str, ...], channel: str, chosen: str | None) -> None:
    facts = asked(request_, ())[:2]
    made = decide.choose_project(replay(facts), projects, moment(channel=ChannelPolicy(project=channel)))
    if chosen is None:
        assert isinstance(made[0], e.DecisionOpened)
    else:
        assert isinstance(made[0], e.ProjectChosen)
        assert made[0].project == chosen


@pytest.mark.parametrize("projects", [("api",), ("api", "web")])
def test_what_was_proposed_for_a_project_that_is_gone_is_not_done_in_another_by_rule(projects: tuple[str, ...]) -> None:
    """It is the only one left, the channel's own, or the one that its words name: a person says so all the same."""
    mandate = Mandate(
        proposal=ProposalId("p"), title="x", project="gone", task=TaskId("T-9"), thread=Thread("console:general:1")
    )
    task = replay(asked("fix the api", ())[:2])
    task = replace(task, request=replace(task.request, mandate=mandate))
    guess = decide.Guess(project="api", confidence=1.0)
    [made] = decide.choose_project(task, projects, moment(channel=ChannelPolicy(project="api")), guess)
    assert isinstance(made, e.DecisionOpened) and made.decision.kind is Kind.PROJECT
    there = decide.choose_project(task, (*projects, "gone"), moment())
    assert isinstance(there[0], e.ProjectChosen) and there[0].project == "gone"


def test_choosing_twice_asks_once() -> None:
    facts = asked()
    assert decide.choose_project(replay(facts), ("api", "web"), moment(cause="again")) == []


def test_a_press_decides_and_what_follows_comes_with_it() -> None:
    facts = asked()
    task = then(facts, pressing.press(replay(facts), on(replay(facts), Kind.PROJECT, "web"), OWNER, moment()))
    assert task.project == "web"
    assert not questions(task)
    assert ledger.replay(facts)[opened(facts, Kind.PROJECT).id].decided_by == (ANA,)


def test_a_stranger_decides_nothing() -> None:
    task = replay(asked())
    with pytest.raises(PressRefused, match="not_yours"):
        pressing.press(task, on(task, Kind.PROJECT, "web"), STRANGER, moment())


def test_the_words_of_a_stranger_answer_nothing() -> None:
    task = replay(asked())
    assert [type(f) for f in answering.reply(task, Utterance(text="web"), STRANGER, moment())] == [e.RemarkMade]


def test_words_never_approve() -> None:
    facts = asked()
    plan = ask(replay(facts), question("plan", APPROVE_OR_NOT), moment())
    task = then(facts, plan)
    assert [type(f) for f in answering.reply(task, Utterance(text="approve"), APPROVER, moment())] == [
        e.ApprovalOffered
    ]


def test_a_question_takes_free_words() -> None:
    facts = asked()
    which = question("question", with_letters(Option(value="a"), Option(value="b")), "Which?")
    task = then(facts, pressing.press(replay(facts), on(replay(facts), Kind.PROJECT, "web"), OWNER, moment()))
    task = then(facts, ask(task, which, moment(cause="q")))
    (made,) = answering.reply(task, Utterance(text="neither, use c"), OWNER, moment())
    assert isinstance(made, e.DecisionMade)
    assert made.words == "neither, use c"


def test_two_people_are_two_people() -> None:
    facts = asked()
    task = then(facts, ask(replay(facts), question("merge_critical", APPROVE_OR_NOT), moment()))
    lead = Presser(person=BO, groups=frozenset({Group.TECH_LEAD}))
    sec = Presser(person=CY, groups=frozenset({Group.SECURITY_TEAM}))
    press = on(task, Kind.MERGE, "approve")
    task = then(facts, pressing.press(task, press, lead, moment()))
    with pytest.raises(PressRefused, match=Refusal.VOTED):
        pressing.press(task, press, lead, moment())
    also_bo = Presser(person=CY, known_as=frozenset({BO}), groups=frozenset({Group.SECURITY_TEAM}))
    with pytest.raises(PressRefused, match=Refusal.VOTED):
        pressing.press(task, press, also_bo, moment())
    with pytest.raises(NotYours) as refused:
        pressing.press(task, press, Presser(person=ANA, groups=frozenset(Group)), moment())
    assert refused.value.own, "whoever asked for it is not one of them, whatever groups they are in"
    (made,) = pressing.press(task, press, sec, moment())
    assert isinstance(made, e.DecisionMade)
    assert made.by == (BO, CY)


def test_votes_for_another_option_do_not_count() -> None:
    facts = asked()
    both = with_letters(Option(value="now", approves=True), Option(value="later", approves=True))
    task = then(facts, ask(replay(facts), question("merge_critical", both), moment()))
    lead = Presser(person=BO, groups=frozenset({Group.TECH_LEAD}))
    task = then(facts, pressing.press(task, on(task, Kind.MERGE, "later"), lead, moment()))
    sec = Presser(person=CY, groups=frozenset({Group.SECURITY_TEAM}))
    (voted,) = pressing.press(task, on(task, Kind.MERGE, "now"), sec, moment())
    assert not isinstance(voted, e.DecisionMade) and task.of_kind(Kind.MERGE)


def test_one_person_is_enough_to_reject_what_needs_two() -> None:
    facts = asked()
    task = then(facts, ask(replay(facts), question("merge_critical", APPROVE_OR_NOT), moment()))
    lead = Presser(person=BO, groups=frozenset({Group.TECH_LEAD}))
    (made,) = pressing.press(task, on(task, Kind.MERGE, "reject"), lead, moment())
    assert isinstance(made, e.DecisionMade)


GATE = question("gate_medium", APPROVE_OR_NOT, default="approve")


def test_a_medium_gate_passes_by_time() -> None:
    facts = asked()
    task = then(facts, ask(replay(facts), GATE, moment()))
    gate = opened(facts, Kind.GATE)
    assert pressing.when_due(task, gate.id, moment(1799)) == []
    (made,) = pressing.when_due(task, gate.id, moment(1800))
    assert isinstance(made, e.DecisionMade)
    assert made.by == ()


def test_a_held_gate_waits_for_ever() -> None:
    facts = asked()
    task = then(facts, ask(replay(facts), GATE, moment()))
    gate = opened(facts, Kind.GATE)
    task = then(facts, pressing.press(task, Press(decision=gate.id, letter=HOLD), OWNER, moment()))
    assert pressing.when_due(task, gate.id, moment(10**7)) == []
    with pytest.raises(PressRefused, match=Refusal.NO_CLOCK):
        pressing.press(task, Press(decision=gate.id, letter=HOLD), APPROVER, moment())


def test_a_channel_may_deny_what_passes_by_time() -> None:
    facts = asked()
    task = then(facts, ask(replay(facts), GATE, moment(channel=ChannelPolicy(on_timeout=OnTimeout.DENY))))
    assert pressing.when_due(task, opened(facts, Kind.GATE).id, moment(10**7)) == []


def test_reminders_stop_after_the_last_one() -> None:
    facts = asked()
    task, id = replay(facts), opened(facts, Kind.PROJECT).id
    task = then(facts, pressing.when_due(task, id, moment(4 * 3600)))
    assert questions(task)[0].reminders == 1
    assert questions(task)[0].due is None


def test_an_escalation_is_reminded_of_three_times_four_hours_apart() -> None:
    facts = asked()
    parked = e.JobParked(task=TaskId("T-1"), at=NOW, job="j", flow="intake", problem="it died", kept="all")
    task = then(facts, decide.park(replay(facts), parked, moment(cause="park")))
    id = opened(facts, Kind.STUCK).id
    for number in (1, 2, 3):
        (reminded,) = then_facts = pressing.when_due(task, id, moment(number * 4 * 3600))
        assert isinstance(reminded, e.DecisionReminded)
        assert reminded.number == number
        task = then(facts, then_facts)
    assert pressing.when_due(task, id, moment(10**7)) == []


def test_a_job_that_parks_while_its_task_is_stopped_takes_the_resume_button_away() -> None:
    facts = asked()
    then(facts, pressing.stop(replay(facts), OWNER, "", moment(cause="stop")))
    parked = e.JobParked(task=TaskId("T-1"), at=NOW, job="j", flow="intake", problem="it died", kept="all")
    task = then(facts, decide.park(replay(facts), parked, moment(cause="park")))
    assert task.of_kind(Kind.STOPPED) is None
    assert task.of_kind(Kind.STUCK) is not None


def test_a_cancel_nobody_confirms_expires_and_nothing_happens() -> None:
    facts = asked()
    task = then(facts, pressing.ask_to_cancel(replay(facts), OWNER, "boring", moment()))
    task = then(facts, pressing.when_due(task, opened(facts, Kind.CANCEL).id, moment(600)))
    assert task.state is TaskState.RECEIVED
    closed = ledger.replay(facts)[opened(facts, Kind.CANCEL).id]
    assert closed.state is DecisionState.EXPIRED
    with pytest.raises(PressRefused, match=Refusal.CLOSED):
        refuse_unless_open(closed)


def test_a_cancel_withdraws_what_was_open_and_wants_a_reason() -> None:
    facts = asked()
    task = then(facts, pressing.ask_to_cancel(replay(facts), OWNER, "", moment()))
    with pytest.raises(PressRefused, match=Refusal.NEEDS_WORDS):
        pressing.press(task, on(task, Kind.CANCEL, "cancel"), OWNER, moment())
    task = then(facts, pressing.press(task, on(task, Kind.CANCEL, "cancel", "boring"), OWNER, moment()))
    assert task.state is TaskState.CANCELLED
    assert task.reason == "boring"
    assert task.open == ()
    states = {d.kind: d.state for d in ledger.replay(facts).values()}
    assert states[Kind.PROJECT] is DecisionState.WITHDRAWN


@pytest.mark.parametrize("kind", ["question", "clarification", "project"])
def test_an_answer_that_is_called_cancel_ends_no_task(kind: str) -> None:
    facts = asked()
    suggested = with_letters(Option(value="cancel", label="cancel"), Option(value="keep", label="keep"))
    task = then(facts, ask(replay(facts), question(kind, suggested, "Which verb?"), moment(cause="q")))
    pressed = Press(decision=opened(facts, Kind(kind)).id, letter=suggested[0].letter)
    made = pressing.press(task, pressed, OWNER, moment())
    assert isinstance(made[0], e.DecisionMade)
    assert not [fact for fact in made if isinstance(fact, e.TaskCancelled)]


def test_stop_and_resume_come_back_to_where_it_was() -> None:
    facts = asked()
    task = then(facts, pressing.stop(replay(facts), OWNER, "", moment(cause="1")))
    assert task.state is TaskState.PAUSED
    with pytest.raises(IllegalMove):
        then(list(facts), pressing.stop(task, OWNER, "", moment(cause="2")))
    task = then(facts, pressing.backburner(task, APPROVER, "", moment(cause="3")))
    assert task.state is TaskState.BACKBURNER
    assert [d.kind for d in questions(task)] == [Kind.PROJECT, Kind.BACKBURNER]
    task = then(facts, pressing.take("resume")(task, OWNER, "", moment(cause="4")))
    assert task.state is TaskState.RECEIVED


def test_a_parked_job_is_retried_by_a_person() -> None:
    facts = asked()
    parked = e.JobParked(task=TaskId("T-1"), at=NOW, job="j", flow="intake", problem="it died", kept="all")
    task = then(facts, decide.park(replay(facts), parked, moment(cause="park")))
    assert task.state is TaskState.BLOCKED
    made = pressing.take("retry")(task, OWNER, "", moment())
    assert isinstance(made[-1], e.JobRetried)
    assert made[-1].job == "j"
    assert then(facts, made).state is TaskState.RECEIVED


def test_a_superseded_card_says_so() -> None:
    facts = asked()
    plan = question("plan", APPROVE_OR_NOT, subject=OfPlan(hash="hash-1", version=1))
    task = then(facts, ask(replay(facts), plan, moment(cause="v1")))
    old = opened(facts, Kind.PLAN)
    task = then(
        facts, supersede(old, task, replace(plan, subject=OfPlan(hash="hash-2", version=2)), moment(cause="v2"))
    )
    assert opened(facts, Kind.PLAN).id != old.id
    with pytest.raises(PressRefused, match=Refusal.CLOSED):
        refuse_unless_open(ledger.replay(facts)[old.id])
    assert [d.subject for d in task.open if d.kind is Kind.PLAN] == [OfPlan(hash="hash-2", version=2)]


def test_a_closed_decision_stays_as_it_is() -> None:
    facts = asked()
    made = pressing.press(replay(facts), on(replay(facts), Kind.PROJECT, "web"), OWNER, moment())
    task = then(facts, made)
    with pytest.raises(OverlordError):
        evolve(task, made[0])


def test_every_error_says_what_to_do() -> None:
    task = replay(asked())
    acts: list[Callable[[], object]] = [
        lambda: pressing.press(task, Press(decision=task.open[0].id, letter="z"), OWNER, moment()),
        lambda: pressing.take("resume")(task, OWNER, "", moment()),
        lambda: pressing.stop(task, STRANGER, "", moment()),
    ]
    for act in acts:
        with pytest.raises(OverlordError) as refused:
            act()
        assert put_into_words(refused.value, str).next_step


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("3", 3), ("up to 2, please", 2), ("0", 0), ("400", MOST_ADDED),
        ("none", None), ("-3", None), ("2 of 5", None), ("1.5", None), ("4000", None), ("", None),
    ],
)  # fmt: skip
def test_a_number_of_subtasks_is_one_number_or_is_asked_for_again(words: str, number: int | None) -> None:
    assert read_number(words) == number
