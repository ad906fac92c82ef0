"""What people say to the cleanups that supervisors collected, once the work itself is done."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.pressing import press
from agents.domain.ids import project_id
from agents.domain.project.project import Project
from agents.domain.supervision.directive import Became, Pending
from agents.domain.supervision.facts import Supervision
from agents.domain.supervision.tuning import SupervisorSettings
from tests.builders.steered import APPROVER, NOW, on
from tests.builders.supervision import directive
from tests.builders.working import Working

NAMES = directive("use one name")


def decide(value: str) -> Sequence[e.Event]:
    working = Working()
    working.ask(Kind.POLISH, None)
    known = Supervision(pending=(Pending(directive=NAMES, since=0),))
    project = Project(id=project_id("api"), changed_at=NOW, supervision=known)
    watched = SupervisorSettings(enabled=True)
    moment = working.moment(project=lambda: project, supervision=lambda task: watched)
    return [*press(working.task, on(working.task, Kind.POLISH, value), APPROVER, moment)]


def test_cleanups_become_subtasks_of_a_phase_of_their_own() -> None:
    facts = decide("clean")
    [begun] = [fact for fact in facts if isinstance(fact, e.PolishingBegun)]
    [ended] = [fact for fact in facts if isinstance(fact, e.DirectiveEnded)]
    assert len(begun.subtasks) == 1 and begun.by == APPROVER.person
    assert (ended.directive, ended.became, ended.subtask) == (NAMES.id, Became.SUBTASK, begun.subtasks[0])


def test_without_them_the_work_goes_on_to_its_end() -> None:
    facts = decide("skip")
    [ended] = [fact for fact in facts if isinstance(fact, e.PolishingEnded)]
    assert ended.by == APPROVER.person
    assert not any(isinstance(fact, e.PolishingBegun | e.DirectiveEnded) for fact in facts)
