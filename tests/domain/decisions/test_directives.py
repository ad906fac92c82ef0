"""What people make of what supervisors ask for: a subtask, a task of its own, or nothing; the rest stays open."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.kinds.learning.directives import ask_about
from agents.domain.decisions.pressing import press
from agents.domain.decisions.subject import OfDirectives
from agents.domain.decisions.table import open_questions
from agents.domain.ids import project_id
from agents.domain.project.project import Project
from agents.domain.supervision.directive import Became, Directive, DirectiveType, Pending
from agents.domain.supervision.facts import Supervision
from agents.domain.work.work import SubtaskState
from tests.builders.steered import APPROVER, NOW, on
from tests.builders.supervision import directive
from tests.builders.working import Working

STORE = directive("store it elsewhere", type=DirectiveType.FUNCTIONAL)
NAMES = directive("use one name")


def asked(*wanted: Directive, pending: Sequence[Directive] | None = None) -> tuple[Working, Moment]:
    working = Working()
    known = Supervision(
        pending=tuple(Pending(directive=each, since=0) for each in (wanted if pending is None else pending))
    )
    project = Project(id=project_id("api"), changed_at=NOW, supervision=known)
    working.then(open_questions(working.task, ask_about(working.task, wanted, "c"), working.moment()))
    return working, working.moment(project=lambda: project)


def decide(working: Working, moment: Moment, value: str) -> list[e.Event]:
    return [*press(working.task, on(working.task, Kind.DIRECTIVES, value), APPROVER, moment)]


def became(facts: Sequence[e.Event]) -> list[tuple[str, Became]]:
    return [(fact.directive, fact.became) for fact in facts if isinstance(fact, e.DirectiveEnded)]


def still_asked(facts: Sequence[e.Event]) -> list[tuple[str, ...]]:
    opened = [fact.decision.subject for fact in facts if isinstance(fact, e.DecisionOpened)]
    return [about.directives for about in opened if isinstance(about, OfDirectives)]


def test_one_is_decided_and_the_others_are_asked_about_again() -> None:
    working, moment = asked(STORE, NAMES)
    facts = decide(working, moment, "dismiss_1")
    assert became(facts) == [(STORE.id, Became.DISMISSED)] and still_asked(facts) == [(NAMES.id,)]
    last, moment = asked(NAMES)
    assert still_asked(decide(last, moment, "dismiss_1")) == []


def test_one_that_is_added_becomes_a_subtask_of_this_task() -> None:
    working, moment = asked(STORE)
    facts = decide(working, moment, "add_1")
    [amended] = [fact for fact in facts if isinstance(fact, e.PlanAmended)]
    [ended] = [fact for fact in facts if isinstance(fact, e.DirectiveEnded)]
    assert len(amended.added) == 1 and (ended.became, ended.subtask) == (Became.SUBTASK, amended.added[0])


def test_one_that_is_a_task_of_its_own_is_approved_by_the_same_press() -> None:
    working, moment = asked(STORE)
    facts = decide(working, moment, "own_1")
    made = [fact.proposal.id for fact in facts if isinstance(fact, e.ProposalMade)]
    assert made == [fact.proposal for fact in facts if isinstance(fact, e.ProposalApproved)] and len(made) == 1
    assert became(facts) == [(STORE.id, Became.TASK)]


def test_one_that_lapsed_meanwhile_is_settled_and_nothing_else_comes_of_it() -> None:
    working, moment = asked(STORE, NAMES, pending=(NAMES,))
    facts = decide(working, moment, "add_1")
    assert became(facts) == [] and not any(isinstance(fact, e.PlanAmended) for fact in facts)
    [settled] = [fact for fact in facts if isinstance(fact, e.DirectivesSettled)]
    assert settled.directives == (STORE.id,) and still_asked(facts) == [(NAMES.id,)]


def test_what_was_held_starts_once_it_is_decided_and_only_while_there_is_work() -> None:
    working, moment = asked(STORE)
    waiting = working.set(1, state=SubtaskState.PENDING, queued=False, attempt=0)
    assert any(isinstance(fact, e.SubtaskReady) for fact in decide(working, moment, "dismiss_1"))
    for work in waiting.work.subtasks:
        working.set(work.number, state=SubtaskState.DONE)
    assert not any(isinstance(fact, e.SubtaskReady) for fact in decide(working, moment, "dismiss_1"))
