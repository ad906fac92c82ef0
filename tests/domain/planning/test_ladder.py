"""The ladder of planning: who may take its last step, what follows from it, and that nobody waves it through."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.decisions.authority import ChannelPolicy, Kind, PlanPolicy
from agents.domain.errors import PressRefused
from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.planning import planning
from agents.domain.planning.decomposition import Level, with_closing
from agents.domain.planning.ladder import TODO, outline
from agents.domain.planning.plan_faults import faults
from agents.domain.planning.planning import CannotPlan
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.task import decide
from agents.domain.task.fold import replay
from agents.domain.task.task import Task, TaskState
from agents.domain.workflow.workflow import DEFAULT
from bot.cards.plan import LEVEL, SHORT_LEVEL
from tests.builders.decompositions import plan, subtask
from tests.builders.planned import BAD, Planned
from tests.builders.steered import OWNER

ALONE = plan(subtask(1))
AUTO = ChannelPolicy(plan=PlanPolicy.AUTO)


@pytest.fixture
def planned() -> Planned:
    return Planned()


def stuck(planned: Planned, flow: str = "decompose") -> Task:
    parked = e.JobParked(
        task=planned.task.id, at=planned.task.changed_at, job="j", flow=flow, problem="it is down", kept=""
    )
    return planned.then(decide.park(planned.task, parked, planned.moment()))


def simpler(planned: Planned) -> Task:
    return planned.then(planning.note_simplified(planned.task, "it was cut off", planned.task, planned.moment()))


def test_an_outline_has_no_fault_that_code_can_see_and_marks_what_is_missing() -> None:
    made = with_closing(outline("add a login page\n" * 40, heed=("use argon2",)))
    assert faults(made, ()) == []
    assert len(made.subtasks) == 2 and not made.subtasks[0].files
    assert all(text.startswith(TODO) for text in (*(each.what for each in made.assumptions), made.subtasks[0].test))
    assert "use argon2" in made.subtasks[0].why


def test_every_level_has_its_words() -> None:
    assert LEVEL.keys() == SHORT_LEVEL.keys() == set(Level)


@pytest.mark.parametrize("error", list(ErrorClass))
@pytest.mark.parametrize("cut_off", [False, True])
def test_which_failures_a_smaller_question_may_mend(error: ErrorClass, cut_off: bool) -> None:
    failure = Failure(error=error, message="", cut_off=cut_off)
    assert failure.simpler_may_do is (cut_off or error is ErrorClass.RESOURCE)


def test_only_who_may_approve_a_plan_may_take_the_outline(planned: Planned) -> None:
    assert stuck(planned).state is TaskState.BLOCKED
    with pytest.raises(PressRefused, match="not_yours"):
        planned.press(Kind.STUCK, "outline", by=OWNER)
    task = planned.press(Kind.STUCK, "outline")
    assert (task.state, task.plan.level, task.plan.level_why) == (TaskState.IN_REVIEW, Level.MINIMAL, "it is down")
    assert not task.parked and not task.problem and task.plan.number == 1
    assert replay(planned.facts) == task


def test_the_owner_may_still_try_again_and_cancel(planned: Planned) -> None:
    task = stuck(planned)
    question = task.of_kind(Kind.STUCK)
    assert question and [option.value for option in question.options] == ["retry", "outline", "cancel"]
    assert planned.press(Kind.STUCK, "retry", by=OWNER).state is TaskState.DECOMPOSING


def test_other_steps_that_get_stuck_offer_no_outline(planned: Planned) -> None:
    planned.draft()
    question = stuck(planned, flow="review").of_kind(Kind.STUCK)
    assert question and [option.value for option in question.options] == ["retry", "cancel"]


def test_three_drafts_that_do_not_hold_offer_it_and_a_planner_who_says_no_does_not(planned: Planned) -> None:
    for _ in range(1 + DEFAULT.plan.max_retries):
        planned.draft(BAD)
    question = planned.task.of_kind(Kind.NO_PLAN)
    assert question and [option.value for option in question.options] == ["outline", "cancel"]
    with pytest.raises(PressRefused):
        planned.press(Kind.NO_PLAN, "outline", by=OWNER)
    assert planned.press(Kind.NO_PLAN, "outline").plan.level is Level.MINIMAL
    other = Planned()
    refused = other.draft(CannotPlan(why="it must not be done")).of_kind(Kind.NO_PLAN)
    assert refused and [option.value for option in refused.options] == ["cancel"]


@pytest.mark.parametrize("level", list(Level))
def test_only_an_ordinary_plan_is_waved_through(planned: Planned, level: Level) -> None:
    planned.draft(ALONE)
    planned.task = replace(planned.task, plan=replace(planned.task.plan, level=level))
    task = planned.review(Critic.PROCEED, Custodiet.OK, channel=AUTO)
    assert bool(task.plan.accepted) is (level is Level.PRIMARY)
    assert bool(task.of_kind(Kind.PLAN)) is (level is not Level.PRIMARY)


@pytest.mark.parametrize(
    ("critic", "custodiet", "state", "kind"),
    [
        (Critic.PROCEED, Custodiet.OK, TaskState.AWAITING_APPROVAL, Kind.PLAN),
        (Critic.REVISE, Custodiet.WARN, TaskState.AWAITING_APPROVAL, Kind.DEBATE),
        (Critic.NO_VERDICT, Custodiet.NO_VERDICT, TaskState.AWAITING_APPROVAL, Kind.DEBATE),
        (Critic.HALT, Custodiet.BLOCK, TaskState.BLOCKED, Kind.PLAN),
    ],
)
def test_an_outline_is_judged_as_any_plan_and_never_sent_to_a_planner(
    planned: Planned, critic: Critic, custodiet: Custodiet, state: TaskState, kind: Kind
) -> None:
    stuck(planned)
    planned.press(Kind.STUCK, "outline")
    task = planned.review(critic, custodiet, asks=True)
    assert task.state is state and task.of_kind(kind)
    assert not any(isinstance(fact, e.DecompositionSentBack) for fact in planned.facts)


def test_a_smaller_question_stays_small_until_a_person_has_a_word_in_it(planned: Planned) -> None:
    assert simpler(planned).plan.level is Level.SIMPLIFIED
    assert planned.draft(BAD).plan.level is Level.SIMPLIFIED, "sent back by code: the window is as small as before"
    assert stuck(planned).plan.level is Level.PRIMARY, "given up: whoever retries asks for all of it"


def test_what_came_too_late_is_not_noted(planned: Planned) -> None:
    seen = planned.task
    assert (
        planning.note_simplified(
            replace(seen, request=replace(seen.request, text="another")), "cut off", seen, planned.moment()
        )
        == []
    )
    planned.draft()
    assert planning.note_simplified(planned.task, "cut off", planned.task, planned.moment()) == []


def test_words_of_people_are_in_the_next_outline(planned: Planned) -> None:
    stuck(planned)
    planned.press(Kind.STUCK, "outline")
    planned.review(Critic.PROCEED, Custodiet.OK)
    planned.press(Kind.PLAN, "changes", "write only src/login.py")
    assert planned.task.plan.level is Level.PRIMARY
    stuck(planned)
    task = planned.press(Kind.STUCK, "outline")
    assert task.plan.draft and "write only src/login.py" in task.plan.draft.subtasks[0].why and task.plan.number == 2
