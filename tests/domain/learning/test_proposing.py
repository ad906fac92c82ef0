"""What is worth a proposal: failures that several tasks met, flags of reviewers, skills that help too seldom."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import CodeReview, Evaluation, Opinion, Score, Systemic
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Follows, Moment, Question
from agents.domain.ids import TaskId
from agents.domain.learning.proposal import Level, Proposal, ProposalType, Trigger, likeness
from agents.domain.learning.proposing import MOST, MOST_TASKS, after_blocker, look_for_patterns
from agents.domain.learning.signature import Obstacle, Pattern, Signature
from agents.domain.skills.fared import Fared
from agents.domain.task.facts import Origin
from agents.domain.task.task import TaskState
from tests.builders.working import Working

BLOCKER = "The command cargo is not installed"
FLAG = Systemic(kind="config_change", what="Every module swallows errors", action=" Log them ")
FRESH = Signature(check="tests", obstacle=Obstacle.MISSING_MODULE, names=("flask", "jinja2"), area="src")


def tasks(count: int) -> tuple[TaskId, ...]:
    return tuple(TaskId(f"T-{number}") for number in range(1, count + 1))


def reviewed(*flags: Systemic, title: str = "") -> Working:
    working = Working()
    review = CodeReview(reviewer="custodiet", opinion=Opinion.APPROVED, systemic=flags, title=title)
    judged = Evaluation(
        subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS, gates=(), reviews=(review,), feedback=()
    )
    working.set(1, evaluation=judged)
    return working


def proposals(follows: Follows) -> list[Proposal]:
    """Each is recorded, and put to a person."""
    made = [each.proposal for each in follows if isinstance(each, e.ProposalMade)]
    asked = [each for each in follows if isinstance(each, Question)]
    assert [each.cause for each in asked] == [each.id for each in made] and len(follows) == 2 * len(made)
    assert all(each.kind is Kind.PROPOSAL and each.text == one.title for each, one in zip(asked, made, strict=True))
    return made


def meets(count: int) -> Any:
    def repeated(task: object, fresh: Sequence[Signature]) -> Sequence[Pattern]:
        return [Pattern(signature=each, tasks=tasks(count)) for each in fresh]

    return repeated


@pytest.mark.parametrize(("count", "impact"), [(2, Level.MEDIUM), (3, Level.HIGH)])
def test_what_several_tasks_met_is_proposed_with_where_and_whom(count: int, impact: Level) -> None:
    working = Working()
    [made] = proposals(look_for_patterns(working.task, [FRESH], working.moment(repeated=meets(count))))
    assert made.title == f"Remove what {count} tasks failed on (tests: flask, jinja2)"
    assert made.rationale.trigger is Trigger.REPEATED and made.estimated_impact is impact
    assert made.rationale.evidence[0] == "T-1 met it in `src`: tests: flask, jinja2"
    assert made.proposed_action.endswith("so that no other task meets it in `src`: tests: flask, jinja2")
    assert (made.type, made.risk, made.project) == (ProposalType.TOOL_FIX, Level.MEDIUM, "api")
    assert made.related_tasks == tasks(count) and made.related_issues == ()


def test_of_many_tasks_the_last_are_named_and_the_issue_that_asked() -> None:
    working = Working()
    origin = Origin(key="k", project="api", number=7, url="u", by="bo", heard=True)
    task = replace(working.task, request=replace(working.task.request, origin=origin))
    plain = replace(FRESH, names=(), area="", obstacle=Obstacle.NO_NETWORK)
    [made] = proposals(look_for_patterns(task, [plain], working.moment(repeated=meets(MOST_TASKS + 1))))
    assert made.related_tasks == tasks(MOST_TASKS + 1)[-MOST_TASKS:] and made.related_issues == (7,)
    assert len(made.rationale.evidence) == MOST_TASKS and made.rationale.evidence[0] == "T-2 met it: tests: no network"
    assert (made.type, made.risk) == (ProposalType.CONFIG_CHANGE, Level.HIGH), "by what was in the way"


def test_a_flag_of_a_reviewer_is_proposed_once_however_often_it_is_raised() -> None:
    working = reviewed(FLAG, replace(FLAG, what="every module swallows errors!"))
    [made] = proposals(look_for_patterns(working.task, [], working.moment()))
    assert made.title == "Fix project-wide: every module swallows errors!"
    assert made.rationale.trigger is Trigger.REVIEW and made.proposed_action == "Log them"
    assert made.rationale.evidence == ("The scope guard of T-1 says: every module swallows errors!",)
    assert (made.type, made.risk) == (ProposalType.CONFIG_CHANGE, Level.HIGH)
    quiet = reviewed(replace(FLAG, action=" ", what="x " * MOST), title="Security")
    [long] = proposals(look_for_patterns(quiet.task, [], quiet.moment()))
    assert long.proposed_action == long.rationale.evidence[0].removeprefix("The Security of T-1 says: ")
    assert len(long.proposed_action) <= MOST


def test_two_reviewers_who_say_the_same_in_other_words_make_one_proposal() -> None:
    again = replace(FLAG, what="In every module errors are swallowed")
    other = replace(FLAG, what="No module writes a log")
    made = proposals(look_for_patterns(reviewed(FLAG, again, other).task, [], Working().moment()))
    assert [each.rationale.evidence[0].rpartition(": ")[2] for each in made] == [again.what, other.what]


def test_a_skill_that_helps_too_seldom_is_to_be_revised() -> None:
    working = Working()
    moment = working.moment(skills_fared=lambda task: {"add-route": Fared(tasks=6, passed=1)})
    [made] = proposals(look_for_patterns(working.task, [], moment))
    assert (made.type, made.risk, made.revises) == (ProposalType.NEW_SKILL, Level.LOW, "add-route")
    assert made.title == "Revise the skill add-route"
    assert made.rationale.evidence == ("Of the last 6 tasks that used the skill add-route, 1 were merged",)


def test_a_rehearsal_gives_rise_to_what_it_flags_on_purpose_alone() -> None:
    working = reviewed(FLAG)
    task = replace(working.task, plan=replace(working.task.plan, rehearsal=True))
    moment = working.moment(repeated=meets(3), skills_fared=lambda task: {"x": Fared(tasks=6, passed=1)})
    assert [made.rationale.trigger for made in proposals(look_for_patterns(task, [FRESH], moment))] == [Trigger.REVIEW]
    assert after_blocker(task, working.first, BLOCKER, moment) == []


def test_what_is_open_or_turned_down_already_is_not_proposed_again() -> None:
    working = reviewed(FLAG)
    assert look_for_patterns(working.task, [], working.moment(is_proposed=lambda its: True)) == []
    ended = replace(working.task, state=TaskState.DONE)
    assert look_for_patterns(ended, [], working.moment()) == []


def blocked(working: Working, number: int = 1, **more: object) -> list[Proposal]:
    moment: Moment = working.moment(**more)
    return proposals(after_blocker(working.task, working.task.work.on(number), f" {BLOCKER} ", moment))


def test_what_a_minion_could_not_remove_is_worth_a_task_of_its_own() -> None:
    working = Working()
    [made] = blocked(working)
    assert made.title == "Remove what blocked “part 1”" and made.rationale.trigger is Trigger.BLOCKER
    assert made.rationale.evidence == (f"T-1.1 (part 1) reports: {BLOCKER}",)
    assert made.proposed_action == f"A task of its own that removes what blocked “part 1”: {BLOCKER}"
    assert (made.type, made.estimated_impact, made.risk) == (ProposalType.TOOL_FIX, Level.HIGH, Level.MEDIUM)
    assert made.related_tasks == (working.task.id,) and made.project == "api"
    last = working.task.work.subtasks[-1].number
    assert blocked(working, last)[0].estimated_impact is Level.MEDIUM, "nothing waits for it"


def test_one_that_an_earlier_version_proposed_is_known_by_its_own_likeness() -> None:
    working = Working()
    before = likeness("api", Trigger.BLOCKER, BLOCKER)
    assert blocked(working, is_proposed=lambda its: its.likeness == before) == []
    now = blocked(working)[0].likeness
    assert now != before and blocked(working, is_proposed=lambda its: its.likeness == now) == []
