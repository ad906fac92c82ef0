"""Helpers that the tests of steering share with others."""

from datetime import UTC, datetime, timedelta

from agents.domain.decisions.authority import ChannelPolicy, Group, Kind, Presser
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.pressing import Press
from agents.domain.events import Event
from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.task import decide
from agents.domain.task.facts import Request
from agents.domain.task.fold import replay
from agents.domain.task.task import Task

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


ANA, BO, CY = PersonId("ana"), PersonId("bo"), PersonId("cy")


OWNER = Presser(person=ANA)


APPROVER = Presser(person=BO, groups=frozenset({Group.APPROVER}))


def moment(after: float = 0, cause: str = "x", channel: ChannelPolicy | None = None) -> Moment:
    return Moment(at=NOW + timedelta(seconds=after), cause=cause, channel=channel or ChannelPolicy())


def asked(request: str = "add login", projects: tuple[str, ...] = ("api", "web")) -> list[Event]:
    thread, at = Thread("console:general:1"), moment().at
    request_ = Request(text=request, by=ANA, thread=thread, channel="console:general", at=at)
    facts = decide.open_task(TaskId("T-1"), request_, moment())
    return [*facts, *decide.choose_project(replay(facts), projects, moment(cause="intake"))]


def on(task: Task, kind: Kind, value: str, words: str = "") -> Press:
    decision = task.of_kind(kind)
    assert decision
    letter = next(o.letter for o in decision.options if o.value == value)
    return Press(decision=decision.id, letter=letter, words=words)
