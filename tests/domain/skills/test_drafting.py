"""A skill from a draft to the work on its file, by facts alone."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import SKILL, Change, Evaluation, GateRun, RiskLevel, Score
from agents.domain.checks.risk import Risk
from agents.domain.decisions import pressing
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.decision import DecisionState
from agents.domain.decisions.kinds.learning.skill_draft import SKILL_DRAFT, SkillOption
from agents.domain.decisions.subject import OfSkill
from agents.domain.decisions.table import ask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.reason import Reason, Why
from agents.domain.skills.drafting import (
    NewDraft,
    Shelf,
    after_draft,
    is_current,
    makes_skill,
    plan_of,
    question_of,
    risk_of_change,
    state_of,
    touches_skills,
)
from agents.domain.skills.facts import SkillWork
from agents.domain.skills.fared import Fared
from agents.domain.skills.registry import EVOLVED, MANUAL, register
from agents.domain.skills.skill import Skill
from agents.domain.skills.spec import Known, SkillSpec, SkillState
from agents.domain.task.task import Task, TaskState
from agents.domain.work.work import DeliveryState, SubtaskState, Work, WorkState
from agents.domain.workflow.workflow import DEFAULT
from tests.builders.planned import Planned
from tests.builders.steered import APPROVER, BO, OWNER, on

SPEC = SkillSpec(name="add-route", description="Adds a route", keywords=("route",), instructions="1. Read the routes.")
OTHER = Known(name="routes", keywords=("route",))
PATH = ".overlord/skills/add-route.yaml"
LOW, HIGH = Risk(level=RiskLevel.LOW, why=()), Risk(level=RiskLevel.HIGH, why=())


class Drafted(Planned):
    """A task that is to make a skill, and what was drafted for it."""

    def __init__(self, spec: SkillSpec = SPEC, known: tuple[Known, ...] = (), revises: str = "") -> None:
        super().__init__()
        wanted = e.SkillWanted(task=self.task.id, at=self.moment().at, by=BO, revises=revises)
        self.then([wanted])
        self.put(spec, known)

    def put(self, spec: SkillSpec, known: tuple[Known, ...] = ()) -> None:
        shelf, moment = Shelf(folder=".overlord/skills", known=known), self.moment()
        self.then(after_draft(self.task, NewDraft(spec=spec, shelf=shelf, into="main", workflow=DEFAULT), moment))
        assert self.task.skill
        only = (SkillOption.EDIT, SkillOption.REJECT) if self.task.skill.faults else ()
        self.then(ask(self.task, question_of(self.task.skill, SKILL_DRAFT.offer(*only)), moment))

    def approved(self) -> Task:
        return self.press(Kind.SKILL_DRAFT, "approve")

    def decide(self, value: str, words: str = "", by: Presser = APPROVER) -> Task:
        return self.press(Kind.SKILL_DRAFT, value, words, by)

    @property
    def skill(self) -> SkillWork:
        assert self.task.skill
        return self.task.skill


def test_a_draft_is_put_to_a_person_with_all_that_is_known_of_it() -> None:
    drafted = Drafted()
    skill, asked = drafted.skill, drafted.task.of_kind(Kind.SKILL_DRAFT)
    assert (skill.number, skill.spec, skill.path, skill.faults, skill.into) == (1, SPEC, PATH, (), "main")
    assert asked and asked.subject == OfSkill(draft=1, skill=SPEC.hash) and asked.question == "add-route"
    assert [option.value for option in asked.options] == ["approve", "edit", "reject"]
    assert makes_skill(drafted.task) and state_of(drafted.task) is SkillState.DRAFT


def test_a_draft_with_faults_says_where_and_cannot_be_approved() -> None:
    drafted = Drafted(known=(OTHER,))
    assert drafted.skill.faults == ("keywords: `route` calls for the skill `routes`",)
    asked = drafted.task.of_kind(Kind.SKILL_DRAFT)
    assert asked and [option.value for option in asked.options] == ["edit", "reject"]
    assert asked.evidence == drafted.skill.faults
    patterns = Drafted(replace(SPEC, file_patterns=("/etc/*",)))
    assert patterns.skill.faults[0].startswith("file patterns: "), "the name of a field is put into words"


def test_a_new_draft_takes_the_place_of_the_one_before() -> None:
    drafted = Drafted()
    first = drafted.task.of_kind(Kind.SKILL_DRAFT)
    drafted.decide("edit", "2. Write a test.", by=OWNER)
    drafted.put(replace(SPEC, description="Adds a route, and its test"))
    second = drafted.task.of_kind(Kind.SKILL_DRAFT)
    assert first and second and first.id != second.id and drafted.skill.number == 2
    assert not is_current(drafted.task, OfSkill(draft=1, skill=SPEC.hash))
    assert not is_current(drafted.task, OfSkill(draft=2, skill=SPEC.hash)), "the same number with another text"
    assert not is_current(drafted.task, OfSkill(draft=1, skill=drafted.skill.spec.hash))
    assert is_current(drafted.task, OfSkill(draft=2, skill=drafted.skill.spec.hash))


def test_what_was_approved_is_one_subtask_that_may_write_one_file() -> None:
    drafted = Drafted()
    task = drafted.approved()
    assert task.skill and task.skill.approved_by == BO and task.plan.draft
    only, closing = task.plan.draft.subtasks
    assert (only.number, only.kind, only.files, only.why) == (1, WorkKind.DOCS, (PATH,), "Adds a route")
    assert only.hours == 0.5 and only.review_minutes == 5 and PATH in only.test and closing.closing
    assert task.plan.draft.goal == "Add the skill add-route" and task.plan.draft.into == "main"
    assert task.plan.accepted == task.plan.draft.hash and task.plan.approved_by == (BO,)
    assert task.plan.workflow == DEFAULT, "the one that was shown with it"
    assert state_of(task) is SkillState.APPROVED


def test_a_revision_says_so() -> None:
    skill = SkillWork(revises="add-route", spec=replace(SPEC, description=""), folder="x")
    plan = plan_of(skill, "main")
    assert plan.goal == "Revise the skill add-route" and plan.subtasks[0].why == "a person approved it"


def test_an_edit_is_looked_at_again_and_a_rejection_ends_the_task() -> None:
    edited = Drafted()
    edited.decide("edit", "2. Write a test.", by=OWNER)
    assert edited.skill.edited == replace(SPEC, instructions="2. Write a test.") and edited.skill.spec == SPEC
    rejected = Drafted()
    task = rejected.decide("reject", "we have one")
    assert task.state is TaskState.CANCELLED and task.skill and task.skill.rejected
    said = [fact.reason for fact in rejected.facts if isinstance(fact, e.SkillRejected)]
    assert said == ["we have one"] and state_of(task) is SkillState.REJECTED


def test_a_press_on_a_draft_that_is_not_shown_any_more_does_nothing() -> None:
    drafted = Drafted()
    asked = drafted.task.of_kind(Kind.SKILL_DRAFT)
    assert asked and asked.state is DecisionState.OPEN
    older = replace(drafted.task, skill=replace(drafted.skill, number=2))
    drafted.task = older
    drafted.press(Kind.SKILL_DRAFT, "approve")
    assert drafted.skill.approved_by is None and not drafted.task.plan.accepted


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"state": TaskState.DONE}, SkillState.MERGED),
        ({"state": TaskState.CANCELLED}, SkillState.FAILED),
        ({"state": TaskState.ANSWERING}, SkillState.FAILED),
        ({"delivery": DeliveryState(pull=7)}, SkillState.IN_PR),
        ({"work": WorkState(subtasks=(Work(number=1, branch="b", state=SubtaskState.EVALUATING),))}, "validating"),
        ({"work": WorkState(subtasks=(Work(number=1, branch="b", state=SubtaskState.DONE),))}, SkillState.VALIDATING),
        ({"work": WorkState(branch="b", subtasks=(Work(number=1, state=SubtaskState.RUNNING),))}, SkillState.WRITING),
        ({"work": WorkState(subtasks=(Work(number=1, state=SubtaskState.RUNNING),))}, SkillState.APPROVED),
    ],
)
def test_how_far_a_skill_has_come(change: dict[str, object], state: SkillState) -> None:
    approved = replace(Drafted().approved(), work=WorkState())
    assert state_of(replace(approved, **change)) is SkillState(state)  # type: ignore[arg-type]


def test_who_ended_before_the_approval_was_rejected() -> None:
    assert state_of(replace(Drafted().task, state=TaskState.CANCELLED)) is SkillState.REJECTED
    assert not makes_skill(replace(Drafted().task, state=TaskState.ANSWERED))
    assert not makes_skill(Planned().task)


def test_the_risk_of_a_skill_is_never_low() -> None:
    task, file = Drafted().approved(), Change(path=PATH, status="A", added=3, removed=0)
    medium = Risk(level=RiskLevel.MEDIUM, why=(Reason(code=Why.SKILL_CHANGE),))
    assert risk_of_change(task, [file], HIGH) == medium, "one file, approved by its name"
    assert risk_of_change(task, [file, replace(file, path="src/app.py")], HIGH) == HIGH
    assert risk_of_change(task, [replace(file, path="src/app.py")], LOW) == medium
    assert risk_of_change(Drafted().task, [file], HIGH) == HIGH, "nobody approved it yet"
    assert risk_of_change(Planned().task, [file], LOW) == LOW


def test_a_task_about_something_else_touches_skills_where_their_check_ran() -> None:
    def judged(gate: str) -> Task:
        gates = (GateRun(name=gate, score=Score.PASS, why="so it is"),)
        evaluation = Evaluation(
            subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS, gates=gates, feedback=()
        )
        return replace(Planned().task, work=WorkState(subtasks=(Work(number=1, evaluation=evaluation),)))

    assert touches_skills(judged(SKILL)) and not touches_skills(judged("tests"))
    assert risk_of_change(judged(SKILL), [], LOW).level is RiskLevel.MEDIUM
    assert risk_of_change(judged("tests"), [], LOW) == LOW


def test_a_skill_is_registered_with_where_it_came_from_and_how_it_fared() -> None:
    def skill(name: str, source: str) -> Skill:
        return Skill(name=name, description="", version="1", instructions="x", source=source)

    fared = {
        ("shop", "ours"): Fared(tasks=2, passed=1),
        ("blog", "ours"): Fared(tasks=3, passed=3),
        ("shop", "own"): Fared(tasks=4, passed=1),
        ("blog", "own"): Fared(tasks=9, passed=9),
    }
    own, ours = register([skill("own", "shop"), skill("ours", "")], {("shop", "own")}, fared)
    assert (own.origin, own.fared) == (EVOLVED, Fared(tasks=4, passed=1)), "another project's is another skill"
    assert (ours.origin, ours.fared) == (MANUAL, Fared(tasks=5, passed=4)), "what comes with us is used everywhere"


@pytest.mark.parametrize(("tasks", "passed", "low"), [(4, 0, False), (5, 2, True), (6, 3, False), (5, 3, False)])
def test_a_skill_helps_too_seldom_after_five_tasks(tasks: int, passed: int, low: bool) -> None:
    assert Fared(tasks=tasks, passed=passed).is_low is low


def test_a_draft_that_showed_no_workflow_is_approved_under_the_current_one() -> None:
    drafted = Drafted()
    drafted.task = replace(drafted.task, plan=replace(drafted.task.plan, proposed=None))
    own = replace(DEFAULT, name="own")
    moment = drafted.moment(workflow=lambda task: own)
    chosen = on(drafted.task, Kind.SKILL_DRAFT, "approve")
    drafted.then(pressing.press(drafted.task, chosen, APPROVER, moment))
    assert drafted.task.plan.workflow == own
