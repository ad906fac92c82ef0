"""A second request in a task's thread that turned out to be a remark reaches minions, if its author may steer them."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.decisions import pressing, table
from agents.domain.decisions.authority import ChannelPolicy, Kind, NotYours, Presser
from agents.domain.decisions.decision import HOLD, Decision, with_letters
from agents.domain.decisions.kind import Chosen
from agents.domain.decisions.kinds.task.second import SECOND, SecondOption, apply_second
from agents.domain.decisions.subject import OfRemark
from agents.domain.ids import DecisionId
from agents.domain.task.fold import replay
from tests.builders.steered import ANA, CY, asked, moment

DECISION = Decision(
    id=DecisionId("d"), task=replay(asked()).id, kind=Kind.SECOND, opened_at=moment().at,
    question="use tabs", put_to=ANA,
    options=with_letters(*(SECOND.option(value) for value in SecondOption)),
)  # fmt: skip


def facts(option: SecondOption, subject: OfRemark | None) -> list[e.Event]:
    chosen = next(each for each in DECISION.options if each.value == option)
    decision = replace(DECISION, subject=subject)
    return list(apply_second(replay(asked()), subject, Chosen(decision=decision, option=chosen, by=(ANA,)), moment()))


def test_a_remark_of_somebody_entitled_reaches_minions_at_once() -> None:
    [remark] = facts(SecondOption.REMARK, OfRemark(entitled=True))
    assert isinstance(remark, e.RemarkMade)
    assert (remark.by, remark.text, remark.entitled, remark.urgent) == (ANA, "use tabs", True, True)


@pytest.mark.parametrize(
    ("option", "subject"),
    [
        (SecondOption.REMARK, OfRemark(entitled=False)),
        (SecondOption.REMARK, None),
        (SecondOption.TASK, OfRemark(entitled=True)),
    ],
)
def test_nothing_else_reaches_them(option: SecondOption, subject: OfRemark | None) -> None:
    assert facts(option, subject) == []


def test_no_clock_begins_again_for_a_decision_that_is_not_there() -> None:
    assert pressing.begin_clock_again(replay(asked()), DecisionId("unknown"), moment()) == []


def test_whom_it_was_put_to_may_decide_whatever_groups_they_are_in() -> None:
    """The question goes to whoever wrote the remark, who need not be the task's owner."""
    author = Presser(person=CY)
    for letter in ("a", HOLD):
        table.refuse_unless_entitled(replace(DECISION, put_to=CY), letter, author, ANA, ChannelPolicy())
        with pytest.raises(NotYours):
            table.refuse_unless_entitled(DECISION, letter, author, ANA, ChannelPolicy())
