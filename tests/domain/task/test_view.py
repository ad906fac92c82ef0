"""Who may see a task: the table for direct messages."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import ChannelPolicy, Group, Kind, Presser
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.decisions.subject import OfStep
from agents.domain.ids import DecisionId, PersonId, TaskId, Thread, project_id
from agents.domain.learning.proposal import Listed
from agents.domain.project.project import Project
from agents.domain.task.facts import Request
from agents.domain.task.task import Task, TaskState
from agents.domain.task.view import Pending, in_thread, is_stalled, may_see
from tests.builders.proposals import proposal_of

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
ANA, BEN = PersonId("ana"), PersonId("ben")
ASKED = Request(text="hush", by=ANA, thread=Thread("slack:T1:D1:1"), channel="slack:T1:D1", at=AT, direct=True)
TASK = Task(id=TaskId("T-1"), changed_at=AT, request=ASKED)
GATE = Decision(
    id=DecisionId("d"), task=TASK.id, kind=Kind.GATE, options=(), put_to=ANA, opened_at=AT,
    subject=OfStep(subtask=1, attempt=1, commit="c", risk=RiskLevel.HIGH),
)  # fmt: skip
DECIDED = replace(GATE, state=DecisionState.DECIDED, decided_by=(BEN,))

# the viewer's group, and whether they see it while: nothing waits, a high gate waits, ben has decided that gate
TABLE: list[tuple[Group | None, bool, bool, bool]] = [
    (None, False, False, True),
    (Group.APPROVER, True, True, True),
    (Group.TECH_LEAD, False, True, True),
    (Group.SECURITY_TEAM, False, True, True),
    (Group.DEVOPS_TEAM, False, False, True),
    (Group.ADMIN, False, False, True),
]


def seen(viewer: Presser, *decisions: Decision, task: Task = TASK) -> bool:
    return may_see(task, viewer, ChannelPolicy(), decisions)


def test_the_table_is_whole() -> None:
    assert {row[0] for row in TABLE} == {None, *Group} - {Group.OWNER}


@pytest.mark.parametrize(("group", "idle", "asked", "decided"), TABLE)
def test_who_sees_what_was_asked_for_directly(group: Group | None, idle: bool, asked: bool, decided: bool) -> None:
    ben = Presser(person=BEN, groups=frozenset({group} if group else ()))
    assert (seen(ben), seen(ben, GATE), seen(ben, DECIDED)) == (idle, asked, decided)


def test_the_owner_sees_it_under_any_id_they_had() -> None:
    assert seen(Presser(person=ANA))
    assert seen(Presser(person=PersonId("ana-elsewhere"), known_as=frozenset({ANA})))


def test_what_others_decided_opens_it_to_nobody_else() -> None:
    assert not seen(Presser(person=PersonId("cy")), DECIDED)


def test_everybody_sees_what_was_asked_for_in_a_channel() -> None:
    assert seen(Presser(person=BEN), task=replace(TASK, request=replace(TASK.request, direct=False)))


@pytest.mark.parametrize(
    ("pending", "state", "stalled"),
    [
        (Pending(), TaskState.RUNNING, True),
        (Pending(jobs=1), TaskState.RUNNING, False),
        (Pending(unread=1), TaskState.RUNNING, False),
        (Pending(), TaskState.DONE, False),
    ],
)
def test_a_task_stands_still_where_nothing_runs_and_nobody_was_asked(
    pending: Pending, state: TaskState, stalled: bool
) -> None:
    task = replace(TASK, state=state)
    assert is_stalled(task, pending) is stalled
    assert not is_stalled(replace(task, open=(GATE,)), pending)


def test_its_thread_shows_what_projects_ask_for_there_and_in_no_other() -> None:
    mine, other = replace(GATE, id=DecisionId("m")), replace(GATE, id=DecisionId("o"), task=TaskId("T-2"))
    made = proposal_of("Install a compiler", TASK.id), proposal_of("Other", TaskId("T-2"))
    listed = tuple(Listed(task=each.related_tasks[0], proposal=each) for each in made)
    shop = Project(id=project_id("shop"), changed_at=AT, open=(mine, other), proposals=listed)
    task = replace(TASK, open=(GATE,))
    shown = in_thread(task, [shop, Project(id=project_id("blog"), changed_at=AT)])
    assert shown.open == (GATE, mine) and shown.proposals == made[:1]
    assert in_thread(task, []) is task
