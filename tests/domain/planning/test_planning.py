"""From a draft to a plan that a person may approve."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.asking import remarks
from agents.domain.asking.remarks import Intent
from agents.domain.decisions import answering, pressing
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import ChannelPolicy, Group, Kind, PlanPolicy, Presser
from agents.domain.decisions.pressing import Steer
from agents.domain.decisions.subject import OfPlan
from agents.domain.decisions.table import questions
from agents.domain.errors import IllegalMove, PressRefused
from agents.domain.ids import PersonId
from agents.domain.limits import Limits
from agents.domain.planning import planning
from agents.domain.planning.decomposition import Decomposition
from agents.domain.planning.planning import CannotPlan, Clarify, after_debate, after_review
from agents.domain.planning.review import Critic, Custodiet, Debate
from agents.domain.task import decide
from agents.domain.task.decide import Wording
from agents.domain.task.fold import evolve
from agents.domain.task.task import TaskState
from agents.domain.workflow.workflow import DEFAULT, Resolved
from tests.builders.decompositions import plan, subtask
from tests.builders.planned import BAD, GOOD, Planned
from tests.builders.reviews import review
from tests.builders.steered import APPROVER, BO, NOW, OWNER, moment, on


@pytest.fixture
def planned() -> Planned:
    return Planned()


def test_approved_at_first_goes_to_a_person_bound_to_the_hash(planned: Planned) -> None:
    planned.draft()
    task = planned.review(Critic.PROCEED, Custodiet.OK)
    assert task.state is TaskState.AWAITING_APPROVAL
    decision = task.of_kind(Kind.PLAN)
    assert decision and task.plan.draft
    assert decision.subject == OfPlan(hash=task.plan.draft.hash, version=task.plan.number)
    with pytest.raises(PressRefused):
        planned.press(Kind.PLAN, "approve", by=OWNER)  # the owner is no approver here
    task = planned.press(Kind.PLAN, "approve")
    assert task.state is TaskState.RUNNING
    assert isinstance(decision.subject, OfPlan) and task.plan.accepted == decision.subject.hash


def test_a_faulty_draft_goes_back_with_the_reasons_and_is_reviewed_by_nobody(planned: Planned) -> None:
    task = planned.draft(BAD)
    assert task.state is TaskState.DECOMPOSING
    assert "takes 9 h" in task.plan.feedback[0]
    assert task.plan.draft is None


def test_three_decompositions_then_a_person(planned: Planned) -> None:
    planned.draft(BAD)
    planned.draft()
    planned.review(Critic.REVISE, Custodiet.WARN, asks=True)
    assert planned.task.state is TaskState.DECOMPOSING
    planned.draft()
    task = planned.review(Critic.REVISE, Custodiet.WARN, asks=True)
    assert task.state is TaskState.AWAITING_APPROVAL
    assert task.of_kind(Kind.DEBATE)
    assert sum(isinstance(f, e.DecompositionEscalated) for f in planned.facts) == 1


def test_a_persons_word_starts_the_count_anew_and_marks_what_changed(planned: Planned) -> None:
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    task = planned.press(Kind.PLAN, "changes", "leave the reset link out")
    assert task.state is TaskState.DECOMPOSING
    assert [wish.words for wish in task.wishes] == ["leave the reset link out"] and not task.plan.feedback
    assert task.plan.tries == 0
    task = planned.draft(plan(subtask(1)))
    assert task.plan.number == 2
    assert task.plan.previous
    assert task.plan.previous.subtasks[0] == GOOD.subtasks[0]


def test_a_plan_that_grows_in_small_steps_is_approved_anew_each_time(planned: Planned) -> None:
    """Attack 29: an approval is bound to one version, and the card of an older one approves nothing."""
    shown = []
    for size in (1, 2, 3):
        planned.draft(plan(*(subtask(number) for number in range(1, size + 1))))
        task = planned.review(Critic.PROCEED, Custodiet.OK)
        decision = task.of_kind(Kind.PLAN)
        assert (
            decision
            and task.plan.draft
            and decision.subject == OfPlan(hash=task.plan.draft.hash, version=task.plan.number)
        )
        shown.append((decision, on(task, Kind.PLAN, "approve")))
        if size < 3:
            planned.press(Kind.PLAN, "changes", "and one more thing")
    assert [task.plan.number, len({decision.subject for decision, _ in shown})] == [3, 3]
    for decision, press in shown[:-1]:
        assert task.decision(decision.id) is None, "it is closed"
        with pytest.raises(PressRefused):
            pressing.press(task, press, APPROVER, planned.moment())
    last = shown[-1][0].subject
    assert isinstance(last, OfPlan) and planned.press(Kind.PLAN, "approve").plan.accepted == last.hash


def test_a_conflict_is_debated_and_only_then_ruled(planned: Planned) -> None:
    planned.draft()
    task = planned.review(Critic.REVISE, Custodiet.OK)
    assert isinstance(planned.facts[-1], e.ReviewersDisagreed)
    assert task.state is TaskState.IN_REVIEW
    held = Debate(began=review(Critic.REVISE, Custodiet.OK), now=review(Critic.PROCEED, Custodiet.OK))
    task = planned.then(after_debate(task, held, planned.moment()))
    assert task.state is TaskState.AWAITING_APPROVAL
    assert task.of_kind(Kind.PLAN)


def test_an_unresolved_debate_offers_three_ways_and_the_end(planned: Planned) -> None:
    planned.draft()
    task = planned.review(Critic.REVISE, Custodiet.OK)
    held = Debate(began=review(Critic.REVISE, Custodiet.OK), now=review(Critic.REVISE, Custodiet.OK))
    task = planned.then(after_debate(task, held, planned.moment()))
    decision = task.of_kind(Kind.DEBATE)
    assert decision
    assert [o.value for o in decision.options] == ["approve", "narrow", "information", "edit", "cancel"]
    assert planned.press(Kind.DEBATE, "approve").state is TaskState.RUNNING


def test_with_debates_off_the_matrix_applies_as_it_is(planned: Planned) -> None:
    planned.draft()
    task = planned.review(Critic.PROCEED, Custodiet.WARN, asks=True, limits=Limits(debate_rounds=0))
    assert task.of_kind(Kind.PLAN)


def test_a_stop_blocks_at_once_and_nobody_can_approve_it(planned: Planned) -> None:
    planned.draft()
    task = planned.review(Critic.PROCEED, Custodiet.BLOCK)
    assert task.state is TaskState.BLOCKED
    decision = task.of_kind(Kind.PLAN)
    assert decision
    assert not any(option.approves for option in decision.options)
    assert planned.press(Kind.PLAN, "changes", "only what was asked").state is TaskState.DECOMPOSING


@pytest.mark.parametrize(
    ("critic", "custodiet"), [(Critic.NO_VERDICT, Custodiet.OK), (Critic.PROCEED, Custodiet.NO_VERDICT)]
)
def test_no_verdict_is_never_an_approval(planned: Planned, critic: Critic, custodiet: Custodiet) -> None:
    planned.draft()
    task = planned.review(critic, custodiet)
    assert task.of_kind(Kind.PLAN) is None
    assert task.of_kind(Kind.DEBATE)
    assert not task.plan.accepted


def test_a_channel_may_let_a_single_subtask_through(planned: Planned) -> None:
    auto = ChannelPolicy(plan=PlanPolicy.AUTO)
    planned.draft(plan(subtask(1)))
    task = planned.review(Critic.PROCEED, Custodiet.OK, channel=auto)
    assert task.state is TaskState.RUNNING and [point.what for point in task.plan.points] == ["too big"]
    other = Planned()
    other.draft()
    assert other.review(Critic.PROCEED, Custodiet.OK, channel=auto).state is TaskState.AWAITING_APPROVAL


def test_the_planner_may_ask_and_is_answered_in_words(planned: Planned) -> None:
    task = planned.draft(Clarify(question="Which database?", options=("sqlite", "postgres")))
    assert task.state is TaskState.DECOMPOSING
    task = planned.then(answering.reply(task, Utterance(text="the one in docker"), OWNER, planned.moment()))
    assert [(wish.about, wish.words) for wish in task.wishes] == [("Which database?", "the one in docker")]
    assert questions(task) == ()


def test_a_planner_that_cannot_goes_to_a_person_who_cannot_approve_nothing(planned: Planned) -> None:
    task = planned.draft(CannotPlan(why="I only rehearse"))
    decision = task.of_kind(Kind.NO_PLAN)
    assert decision and decision.evidence == ("I only rehearse",)
    assert not any(option.approves for option in decision.options)
    assert task.problem == "I only rehearse"
    task = planned.then(answering.reply(task, Utterance(text="then use the file"), OWNER, planned.moment()))
    assert task.state is TaskState.DECOMPOSING and task.wishes[0].words == "then use the file"


def test_a_plan_that_was_snoozed_by_its_own_button_is_asked_about_again(planned: Planned) -> None:
    planned.draft()
    shown = planned.review(Critic.PROCEED, Custodiet.OK).of_kind(Kind.PLAN)
    task = planned.press(Kind.PLAN, "backburner")
    assert task.state is TaskState.BACKBURNER and not task.of_kind(Kind.PLAN)
    task = planned.press(Kind.BACKBURNER, "resume")
    again = task.of_kind(Kind.PLAN)
    assert shown and again and again.id != shown.id and (again.subject, again.options) == (shown.subject, shown.options)
    assert planned.press(Kind.PLAN, "approve").state is TaskState.RUNNING


@pytest.mark.parametrize("rest", [pressing.stop, pressing.backburner])
def test_a_plan_that_stayed_open_while_the_task_rested_is_asked_about_once(planned: Planned, rest: Steer) -> None:
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    planned.then(rest(planned.task, OWNER, "", planned.moment()))
    task = planned.then(pressing.take("resume")(planned.task, OWNER, "", planned.moment()))
    assert [d.kind for d in questions(task)] == [Kind.PLAN]


def test_a_corrected_request_sends_the_plan_back_whatever_it_waits_for(planned: Planned) -> None:
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.BLOCK)
    task = planned.then(decide.correct(planned.task, Wording(text="something else"), OWNER, planned.moment()))
    assert task.state is TaskState.DECOMPOSING and questions(task) == ()
    assert task.request.text == "something else" and "corrected" in task.wishes[0].words


def test_an_edit_that_changes_no_word_or_is_not_its_authors_changes_nothing(planned: Planned) -> None:
    planned.draft()
    same = planned.task.request.text
    assert decide.correct(planned.task, Wording(text=same), OWNER, planned.moment()) == []
    assert (
        decide.correct(planned.task, Wording(text="something else"), Presser(person=PersonId("cy")), planned.moment())
        == []
    )


def test_a_corrected_request_changes_nothing_else_once_the_plan_is_accepted(planned: Planned) -> None:
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    planned.press(Kind.PLAN, "approve")
    task = planned.then(decide.correct(planned.task, Wording(text="something else"), OWNER, planned.moment()))
    assert task.state is TaskState.RUNNING


def test_what_somebody_else_says_to_the_bot_is_a_task_unless_it_surely_changes_the_plan_that_is_shown(
    planned: Planned,
) -> None:
    remark = e.RemarkMade(task=planned.task.id, at=NOW, by=BO, text="use tabs", asks=True)

    def asked(intent: Intent, confidence: float) -> Kind | None:
        understood = remarks.Understood(intent=intent, confidence=confidence)
        facts = remarks.after_remark(planned.task, remark, understood, planned.moment())
        return next((fact.decision.kind for fact in facts if isinstance(fact, e.DecisionOpened)), None)

    assert asked(Intent.CHANGE, 0.9) is Kind.SECOND, "no plan is shown"
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    assert asked(Intent.CHANGE, 0.6) is Kind.SECOND and asked(Intent.OTHER, 0.9) is Kind.SECOND
    assert asked(Intent.CHANGE, 0.9) is not Kind.SECOND and asked(Intent.STATUS, 0.9) is None


def test_work_on_an_older_request_or_plan_is_overtaken(planned: Planned) -> None:
    before = planned.task
    assert not planning.overtaken(before, planned.task)
    planned.then(decide.correct(planned.task, Wording(text="something else"), OWNER, planned.moment()))
    assert planning.overtaken(before, planned.task)


def test_a_shared_budget_is_raised_for_this_task_alone(planned: Planned) -> None:
    reached = e.BudgetReached(
        task=planned.task.id, at=NOW, job="j1", flow="review", budget="day 2026-01-02", limit=2.0, spent=1.9
    )
    planned.then(planning.over_budget(planned.task, reached, planned.moment()))
    task = planned.press(Kind.BUDGET, "3", by=APPROVER)
    assert task.money.raised == (("day 2026-01-02", 3.0),) and task.money.budget is None


def test_with_no_money_left_to_argue_the_table_is_read_as_it_is(planned: Planned) -> None:
    planned.draft()
    task = planned.review(Critic.PROCEED, Custodiet.WARN, asks=True)
    assert task.state is TaskState.IN_REVIEW and task.plan.review
    held = Debate(began=task.plan.review, now=task.plan.review)
    assert planned.then(planning.after_debate(task, held, planned.moment(), paid=False)).of_kind(Kind.PLAN)


def test_work_that_reports_while_the_task_is_stopped_is_kept(planned: Planned) -> None:
    planned.then(pressing.stop(planned.task, OWNER, "", planned.moment()))
    task = planned.draft()
    assert task.state is TaskState.PAUSED
    task = planned.press(Kind.STOPPED, "resume", by=OWNER)
    assert task.state is TaskState.IN_REVIEW


def test_a_plan_cannot_be_accepted_twice(planned: Planned) -> None:
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    task = planned.press(Kind.PLAN, "approve")
    with pytest.raises(IllegalMove):
        evolve(task, e.PlanAccepted(task=task.id, at=NOW, hash="x", by=()))


def test_a_used_up_budget_pauses_and_a_raise_runs_the_job_again(planned: Planned) -> None:
    reached = e.BudgetReached(
        task=planned.task.id, at=NOW, job="j1", flow="review", budget="task T-1", limit=2.0, spent=1.9
    )
    task = planned.then(planning.over_budget(planned.task, reached, planned.moment()))
    assert task.state is TaskState.BLOCKED
    lead = Presser(person=APPROVER.person, groups=frozenset({Group.APPROVER}))
    task = planned.press(Kind.BUDGET, "4", by=lead)
    assert task.money.budget == 4.0
    assert isinstance(planned.facts[-1], e.JobRetried)
    assert task.state is not TaskState.BLOCKED


def test_a_late_review_of_a_cancelled_task_records_nothing(planned: Planned) -> None:
    planned.draft()
    planned.then(pressing.ask_to_cancel(planned.task, OWNER, "no", planned.moment()))
    task = planned.press(Kind.CANCEL, "cancel", by=OWNER)
    assert after_review(task, review(Critic.PROCEED, Custodiet.OK), moment()) == []
    assert decide.choose_project(task, ("api",), moment()) == []


def test_an_empty_plan_is_no_plan() -> None:
    assert Decomposition(goal="x", subtasks=()).order() == []


def test_a_projects_own_steps_are_noted_before_the_planner_is_asked(planned: Planned) -> None:
    own = replace(DEFAULT, name="own")
    found, now = Resolved(workflow=own, left_out=("line 3",)), planned.moment()
    [read] = planning.note_workflow(planned.task, found, planned.task, now)
    assert isinstance(read, e.WorkflowRead) and (read.workflow, read.left_out) == (own, ("line 3",))
    task = planned.then([read])
    assert planning.note_workflow(task, found, task, now) == [], "once"
    assert planning.note_workflow(task, replace(found, left_out=()), task, now), "what is left out has changed"
    assert planning.note_workflow(task, replace(found, workflow=DEFAULT, left_out=("line 3",)), task, now) == []
    assert planning.note_workflow(task, replace(found, workflow=replace(own, name="new")), task, now)
    planned.draft()
    assert planning.note_workflow(task, found, planned.task, now) == [], "it was drafted meanwhile"


def test_that_a_smaller_question_is_asked_is_noted_while_it_is_planned(planned: Planned) -> None:
    task = planned.task
    [noted] = planning.note_simplified(task, "x" * 500, task, planned.moment())
    assert isinstance(noted, e.PlanningSimplified) and len(noted.why) == 400
    planned.draft()
    assert planning.note_simplified(task, "late", planned.task, planned.moment()) == []
