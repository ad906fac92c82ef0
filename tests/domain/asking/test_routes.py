"""What follows from a reading of a message: never the wrong act, and a question where nobody can tell."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from agents.domain import events as e
from agents.domain.asking.meaning import Message, RouteAnswer, Routed, command_meant, task_meant
from agents.domain.asking.names import Act, Mistake, Route
from agents.domain.asking.routes import after_follow_up, after_route, needs_routing
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.pressing import Press, press
from agents.domain.errors import OverlordError
from agents.domain.ids import PersonId, TaskId
from agents.domain.task.facts import Origin
from agents.domain.task.task import TaskState
from tests.builders.received import Received
from tests.builders.steered import OWNER

S = TaskState


def read(route: Route, confidence: float = 0.9, **more: Any) -> Routed:
    return Routed(route=route, confidence=confidence, **more)


def kinds(started: Received) -> list[Kind]:
    return [decision.kind for decision in started.task.open]


@pytest.mark.parametrize(
    ("routed", "state", "facts"),
    [
        (read(Route.CHANGE), S.RECEIVED, ["DecisionOpened"]),
        (read(Route.QUESTION), S.ANSWERING, ["AnswerWanted", "DecisionOpened"]),
        (
            read(Route.STEER, act=Act.STOP),
            S.WITHDRAWN,
            ["DecisionOpened", "CommandMeant", "TaskWithdrawn"],
        ),
        (
            read(Route.ABOUT_TASK, act=Act.HELP),
            S.WITHDRAWN,
            ["DecisionOpened", "CommandMeant", "TaskWithdrawn"],
        ),
        (read(Route.REMARK), S.WITHDRAWN, ["DecisionOpened", "TaskWithdrawn"]),
        (read(Route.NOTHING), S.WITHDRAWN, ["DecisionOpened", "TaskWithdrawn"]),
    ],
)
def test_what_each_route_leads_to(routed: Routed, state: TaskState, facts: list[str]) -> None:
    """Whatever it was taken for, there is a button that turns it."""
    started = Received()
    found = after_route(started.task, routed, started.moment())
    assert [type(fact).__name__ for fact in found] == facts
    assert started.then(found).state is state and Kind.REROUTE in kinds(started)
    assert after_route(started.task, routed, started.moment()) == [], "once"


@pytest.mark.parametrize(
    "routed",
    [
        *(read(route, 0.69) for route in Route),
        *(read(route, 1.0) for route in (Route.STEER, Route.ABOUT_TASK)),
        read(Route.CHANGE, 1.0, unclear="it is not JSON"),
    ],
)
def test_what_is_not_sure_is_asked(routed: Routed) -> None:
    started = Received()
    started.then(after_route(started.task, routed, started.moment()))
    assert started.task.state is S.RECEIVED and Kind.ROUTE in kinds(started)


@pytest.mark.parametrize(
    "answer",
    [
        {"route": "delete", "confidence": 1.0},
        {"route": ["change", "question"], "confidence": 1.0},
        {"route": "steer", "confidence": 1.0, "act": "explode"},
        {"route": "change", "confidence": 7},
        {"confidence": 1.0},
        {},
    ],
)
def test_answers_that_are_none(answer: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RouteAnswer.model_validate(answer)


def test_a_command_that_names_no_act_is_no_answer() -> None:
    assert RouteAnswer(route=Route.STEER, confidence=1).contradiction()
    assert not RouteAnswer(route=Route.STEER, confidence=1, act=Act.STOP).contradiction()
    assert not RouteAnswer(route=Route.CHANGE, confidence=1).contradiction()


@pytest.mark.parametrize(
    ("written", "text", "meant"),
    [
        ("", "please stop t-3", "T-3"),
        ("T-9", "please stop T-3", "T-3"),
        ("T-3", "stop T-3 and T-4", None),
        ("T-5", "stop the login task", "T-5"),
        ("t-005", "stop the login task", "T-5"),
        ("T-8", "stop the login task", None),
        ("all", "stop everything", None),
    ],
)
def test_a_model_names_no_task_that_it_was_not_shown(written: str, text: str, meant: str | None) -> None:
    assert task_meant(written, text, {"T-5"}) == meant


def test_an_issue_is_a_request_by_what_it_is() -> None:
    task = Received().task
    origin = Origin(key="k", project="shop", number=1, url="u", by="bo", heard=True)
    assert needs_routing(task) and not needs_routing(replace(task, request=replace(task.request, origin=origin)))


def answered(text: str = "how?") -> Received:
    """A question that has its answer."""
    started = Received(text=text)
    started.then(after_route(started.task, read(Route.QUESTION), started.moment()))
    started.then([e.ProjectChosen(task=started.task.id, at=started.moment().at, project="shop", by=None, why="")])
    fact = e.QuestionAnswered(task=started.task.id, at=started.moment().at, number=1, answer="So.")
    started.then([fact])
    return started


def say(started: Received, text: str, routed: Routed) -> list[str]:
    said = Message(by=OWNER.person, text=text, delivery="d")
    if started.task.state is S.ANSWERED:
        started.then([e.FollowUpSaid(task=started.task.id, at=started.moment().at, by=said.by, text=text)])
    found = after_follow_up(started.task, said, routed, started.moment())
    started.then(found)
    return [type(fact).__name__ for fact in found]


def test_a_follow_up_is_a_question_a_request_a_command_or_nothing() -> None:
    assert say(started := answered(), "and why?", read(Route.QUESTION)) == ["QuestionAsked"]
    assert started.task.state is S.ANSWERING and started.task.talk.open_inquiries[0].number == 2
    assert say(started := answered(), "then do it", read(Route.CHANGE)) == ["ChangeWanted", "ProjectChosen"]
    assert started.task.state is S.DECOMPOSING and started.task.request.text == "then do it"
    assert [each.answer for each in started.task.talk.inquiries] == ["So."]
    assert say(started := answered(), "what did it cost", read(Route.ABOUT_TASK, act=Act.COST)) == [
        "CommandMeant",
        "FollowUpSettled",
    ]
    assert started.task.state is S.ANSWERED
    assert say(started := answered(), "great, thanks", read(Route.REMARK)) == ["FollowUpSettled"]
    assert say(started := answered(), "hm", read(Route.CHANGE, 0.5)) == ["DecisionOpened"]
    assert started.task.state is S.ANSWERING and Kind.ROUTE in kinds(started)


def test_what_waits_for_an_answer_is_dropped_with_a_change_and_what_is_at_work_takes_no_follow_ups() -> None:
    say(started := answered(), "and why?", read(Route.QUESTION))
    say(started, "then do it", read(Route.CHANGE))
    assert [each.text for each in started.task.talk.inquiries] == ["how?"]
    assert say(started, "and now?", read(Route.QUESTION)) == []


def test_what_is_said_while_a_question_is_open_does_not_close_it() -> None:
    started = answered()
    say(started, "and why?", read(Route.QUESTION))
    assert say(started, "take your time", read(Route.REMARK)) == [] and started.task.state is S.ANSWERING


def choose(started: Received, kind: Kind, value: str, words: str = "") -> list[str]:
    decision = started.task.of_kind(kind)
    assert decision
    letter = next(option.letter for option in decision.options if option.value == value)
    facts = press(started.task, Press(decision=decision.id, letter=letter, words=words), OWNER, started.moment())
    started.then(facts)
    return [type(fact).__name__ for fact in facts]


@pytest.mark.parametrize(
    ("value", "state"), [("answer", S.ANSWERING), ("change", S.RECEIVED), ("nothing", S.WITHDRAWN)]
)
def test_a_person_says_what_a_message_is(value: str, state: TaskState) -> None:
    started = Received()
    started.then(after_route(started.task, read(Route.QUESTION, 0.1), started.moment()))
    choose(started, Kind.ROUTE, value)
    assert started.task.state is state and Kind.ROUTE not in kinds(started)


def test_what_it_was_taken_for_is_turned_there_and_back() -> None:
    started = answered("why is it slow?")
    assert "ChangeWanted" in choose(started, Kind.REROUTE, "change", "make it quick")
    assert (started.task.state, started.task.request.text) == (S.DECOMPOSING, "make it quick")
    assert "AnswerWanted" in choose(started, Kind.REROUTE, "answer")
    assert (started.task.state, started.task.talk.open_inquiries[0].text) == (S.ANSWERING, "make it quick")
    choose(started, Kind.REROUTE, "withdraw")
    assert started.task.state is S.WITHDRAWN and started.task.talk.mistake is Mistake.BY_PERSON
    assert started.task.open == ()


def test_approved_work_is_not_turned_into_a_question() -> None:
    started = Received()
    started.then(after_route(started.task, read(Route.CHANGE), started.moment()))
    approved = replace(started.task, plan=replace(started.task.plan, accepted="hash"))
    decision = approved.of_kind(Kind.REROUTE)
    assert decision
    with pytest.raises(OverlordError):
        press(approved, Press(decision=decision.id, letter="b"), OWNER, started.moment())


def test_a_command_goes_to_the_task_that_was_named_with_the_words_of_its_author() -> None:
    started = Received(text="please stop T-3")
    routed = read(Route.STEER, act=Act.STOP, about=TaskId("T-3"))
    command = next(
        fact for fact in after_route(started.task, routed, started.moment()) if isinstance(fact, e.CommandMeant)
    )
    assert (command.act, command.about, command.by) == (Act.STOP, "T-3", PersonId("ana"))


def test_a_remark_is_a_command_only_where_that_is_sure() -> None:
    started = answered()
    said = Message(by=OWNER.person, text="what did it cost?", delivery="d")

    def meant(routed: Routed) -> list[str]:
        return [type(fact).__name__ for fact in command_meant(started.task, said, routed, started.moment())]

    assert meant(read(Route.ABOUT_TASK, act=Act.COST)) == ["CommandMeant"]
    assert meant(read(Route.ABOUT_TASK, 0.4, act=Act.COST)) == [] and meant(read(Route.REMARK)) == []
