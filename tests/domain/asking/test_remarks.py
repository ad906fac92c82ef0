"""Remarks in a task's thread that ask about the code, or that are commands in free words."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.asking.names import Act
from agents.domain.asking.remarks import WHICH_COMMAND, Intent, Understood, after_remark
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts
from agents.domain.decisions.subject import OfWords
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.task.task import TaskState
from tests.builders.planned import Planned
from tests.builders.steered import ANA, OWNER


def remark(planned: Planned, text: str) -> e.RemarkMade:
    made = e.RemarkMade(task=planned.task.id, at=planned.moment().at, by=ANA, text=text, entitled=True, delivery="d")
    planned.then([made])
    return made


def after(planned: Planned, text: str, understood: Understood) -> Facts:
    return after_remark(planned.task, remark(planned, text), understood, planned.moment())


def test_a_question_is_answered_beside_the_work() -> None:
    planned = Planned()
    before = planned.task.state
    [asked] = after(planned, "where are sessions kept?", Understood(intent=Intent.QUESTION, confidence=0.9))
    assert isinstance(asked, e.QuestionAsked) and asked.number == 1
    planned.then([asked, e.QuestionAnswered(task=planned.task.id, at=planned.moment().at, number=1, answer="There.")])
    assert planned.task.state is before and planned.task.talk.inquiries[0].answer == "There."


def test_a_question_that_is_not_sure_or_of_no_project_stays_a_remark() -> None:
    assert after(Planned(), "sessions?", Understood(intent=Intent.QUESTION, confidence=0.5)) == []
    planned = Planned()
    planned.task = replace(planned.task, project="")
    assert after(planned, "where are sessions kept?", Understood(intent=Intent.QUESTION, confidence=0.9)) == []


@pytest.mark.parametrize(
    ("text", "task", "about"),
    [
        ("hold it for now", "", "T-1"),
        ("hold T-4 for now", "", "T-4"),
        ("hold it", "T-9", "T-1"),
    ],
)
def test_a_command_is_for_the_named_task_or_the_threads_own(text: str, task: str, about: str) -> None:
    said = Understood(intent=Intent.COMMAND, confidence=0.9, act=Act.STOP, task=task)
    [meant] = after(Planned(), text, said)
    assert isinstance(meant, e.CommandMeant)
    assert (meant.act, meant.about, meant.by, meant.delivery) == (Act.STOP, about, ANA, "d")


@pytest.mark.parametrize(
    "said",
    [
        Understood(intent=Intent.COMMAND, confidence=0.6, act=Act.CANCEL),
        Understood(intent=Intent.COMMAND, confidence=1.0),
    ],
)
def test_a_command_that_is_not_sure_or_names_nothing_is_none_and_its_author_hears_so(said: Understood) -> None:
    [asked] = after(Planned(), "hm, stop?", said)
    assert isinstance(asked, e.TaskAskedAbout) and (asked.about, asked.by) == (WHICH_COMMAND, ANA)


def test_a_command_for_several_tasks_is_for_none() -> None:
    said = Understood(intent=Intent.COMMAND, confidence=1.0, act=Act.STOP, task="T-2")
    [asked] = after(Planned(), "hold T-2 and T-3", said)
    assert isinstance(asked, e.TaskAskedAbout) and asked.about == WHICH_COMMAND


def test_a_command_is_no_wish_for_the_minions() -> None:
    planned = Planned()
    facts = after(planned, "please hold this", Understood(intent=Intent.COMMAND, confidence=0.9, act=Act.STOP))
    assert [wish.words for wish in planned.task.wishes] == ["please hold this"]
    assert planned.then(facts).wishes == () and planned.task.state is TaskState.DECOMPOSING


@pytest.mark.parametrize(
    "said",
    [
        Understood(intent=Intent.WHY, confidence=0.9),
        Understood(intent=Intent.QUESTION, confidence=0.9),
        Understood(intent=Intent.COST, confidence=0.9),
    ],
)
def test_what_is_surely_a_question_is_no_wish_and_its_number_is_not_given_again(said: Understood) -> None:
    planned = Planned()
    facts = after(planned, "why is there no test?", said)
    assert [wish.number for wish in planned.task.wishes] == [1]
    assert planned.then(facts).wishes == ()
    after(planned, "use tabs", Understood(intent=Intent.OTHER, confidence=0.9))
    assert [(wish.words, wish.number) for wish in planned.task.wishes] == [("use tabs", 2)], "who heard one hears it"


def test_what_may_be_a_question_stays_a_wish() -> None:
    planned = Planned()
    facts = after(planned, "why not with a test", Understood(intent=Intent.WHY, confidence=0.5))
    assert [wish.words for wish in planned.then(facts).wishes] == ["why not with a test"]


def test_a_wish_that_is_not_sure_is_asked_about_where_a_plan_is_shown() -> None:
    hm = Understood(intent=Intent.CHANGE, confidence=0.5)
    assert after(Planned(), "perhaps use the library", hm) == [], "there is nothing to change yet"
    planned = Planned()
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    [first] = after(planned, "perhaps use the library", hm)
    planned.then([first])
    assert isinstance(first, e.DecisionOpened) and first.decision.kind is Kind.CHANGE
    gone, second = after(planned, "or the other one", hm)
    assert isinstance(gone, e.DecisionWithdrawn) and gone.decision == first.decision.id, "one at a time"
    assert isinstance(second, e.DecisionOpened) and second.decision.subject == OfWords(words="or the other one")
    planned.then([gone, second])
    [withdrawn, asked] = after(planned, "use the library", Understood(intent=Intent.CHANGE, confidence=0.9))
    assert isinstance(withdrawn, e.DecisionWithdrawn) and isinstance(asked, e.PlanChangeRequested)
    assert (asked.words, asked.by, asked.entitled) == ("use the library", ANA, True)


@pytest.mark.parametrize("value", ["yes", "no"])
def test_whoever_is_asked_says_whether_it_was_meant_for_the_plan(value: str) -> None:
    planned = Planned()
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    planned.then(after(planned, "perhaps use the library", Understood(intent=Intent.CHANGE, confidence=0.5)))
    task = planned.press(Kind.CHANGE, value, by=OWNER)
    assert (task.state is TaskState.DECOMPOSING) is (value == "yes")
    assert (task.of_kind(Kind.PLAN) is None) is (value == "yes")


def test_consent_in_words_offers_the_button() -> None:
    yes = Understood(intent=Intent.APPROVE, confidence=0.9)
    assert after(Planned(), "fine with me", yes) == [], "there is nothing to approve"
    planned = Planned()
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    [offered] = after(planned, "fine with me", yes)
    plan = planned.task.of_kind(Kind.PLAN)
    assert isinstance(offered, e.ApprovalOffered) and plan and offered.decision == plan.id


def test_nothing_follows_once_the_task_has_ended() -> None:
    planned = Planned()
    planned.task = replace(planned.task, state=TaskState.DONE)
    said = Understood(intent=Intent.STATUS, confidence=1.0)
    made = e.RemarkMade(task=planned.task.id, at=planned.moment().at, by=ANA, text="?", entitled=True, delivery="d")
    assert after_remark(planned.task, made, said, planned.moment()) == []
