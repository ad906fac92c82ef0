"""A plan that a person changes by hand, line by line: what comes of it, what is refused, and who reads it again."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.decisions.authority import Kind, NotYours, Presser
from agents.domain.planning import planning
from agents.domain.planning.decomposition import Decomposition, Edge, Need, with_closing
from agents.domain.planning.plan_editing import HEAD, BadEdit, edit_plan, faults_of_edit, to_lines
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.fold import replay
from agents.domain.task.task import Task, TaskState
from agents.domain.task.wishes import Source
from tests.builders.decompositions import plan, subtask
from tests.builders.planned import Planned
from tests.builders.steered import ANA, CY, OWNER

FORM = replace(subtask(1), title="Write the form", files=("form.py",))
CHECK = replace(subtask(2, 1), title="Check it", files=("check.py", "src/"))
JOIN = replace(subtask(3, 1, 2), title="Put both together", files=("app.py",))
PLAN = with_closing(plan(FORM, CHECK, JOIN))
LINES = to_lines(PLAN)
FILES = ("form.py", "check.py", "app.py", "src/a.py")


def edited(*lines: str) -> Decomposition:
    return edit_plan(PLAN, "\n".join(lines)).plan


def steps(made: Decomposition) -> list[tuple[int, str, tuple[int, ...]]]:
    return [(step.number, step.title, step.blocked_by) for step in made.steps]


def test_the_form_shows_a_line_for_each_subtask_and_none_for_the_closing_one() -> None:
    head, first, second, third = LINES.splitlines()
    assert head == HEAD and first.split(" | ")[:2] == ["1", "Write the form"]
    assert second.endswith("| check.py, src/ | 1") and third.endswith("| app.py | 1, 2")


def test_a_line_that_is_left_out_drops_its_subtask_and_nobody_waits_for_it() -> None:
    _, first, _, third = LINES.splitlines()
    edit = edit_plan(PLAN, f"{first}\n{third}")
    assert steps(edit.plan) == [(1, "Write the form", ()), (2, "Put both together", (1,))]
    assert edit.words.startswith("dropped 2 (Check it)") and not edit.grew
    assert edit.plan.closing and edit.plan.closing.blocked_by == (1, 2), "the whole is judged all the same"
    assert edit.plan.hash != PLAN.hash


def test_lines_in_another_order_are_numbered_anew() -> None:
    made = edited("2 | Check it", "1", "3")
    assert [step.title for step in made.steps] == ["Check it", "Write the form", "Put both together"]
    assert steps(made)[0] == (1, "Check it", (2,)) and steps(made)[2] == (3, "Put both together", (2, 1))


def test_names_kinds_roles_files_and_what_comes_first_can_be_written_over() -> None:
    edit = edit_plan(PLAN, "1 | Draw the form | fix | implementer | form.py, style.py |\n2 | | | | check.py | \n3")
    first, second, _ = edit.plan.steps
    assert (first.title, first.kind, first.role) == ("Draw the form", WorkKind.FIX, "implementer")
    assert first.files == ("form.py", "style.py") and second.files == ("check.py",) and not second.blocked_by
    assert edit.grew
    for said in ("renamed 1", "a fix in place of", "gave 1 to implementer", "let 1 write style.py", "took src/ from 2"):
        assert said in edit.words


@pytest.mark.parametrize(
    ("line", "grew"),
    [
        ("1 | Another name", False),
        ("1 | | | | |", False),
        ("2 | | | | check.py, src/a.py | 1", False),
        ("2 | | | | check.py, src/, other.py | 1", True),
        ("1 | | refactor", True),
        ("1 | | | reviewer", True),
    ],
)
def test_it_grew_where_it_writes_more_or_is_other_work(line: str, grew: bool) -> None:
    others = [each for each in LINES.splitlines()[1:] if each[0] != line[0]]
    assert edit_plan(PLAN, "\n".join((line, *others))).grew is grew


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cancel the task instead"),
        (LINES, "Nothing was changed"),
        ("9 | Something new", "no subtask of this plan"),
        ("one | Write the form", "no subtask of this plan"),
        ("1\n1", "stands there twice"),
        ("1 | | magic", "no kind of work"),
        ("1 | | | | | 7", "waits for 7"),
        ("1 | | | | | 2\n2 | | | | | 1\n3", "in a circle"),
        ("1 | | | | ../../etc/passwd", "not a path inside the project"),
        ("1 | | | | src/*", "a pattern"),
        ("1 | a | fix | b | c | 1 | more", "more than six fields"),
        ("1 | | docs | | form.py", "its files are not"),
    ],
)
def test_what_makes_no_plan_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(BadEdit, match=said) as refused:
        edit_plan(PLAN, text)
    assert refused.value.next_step


def shown(critic: Critic = Critic.PROCEED) -> Planned:
    planned = Planned()
    planned.draft(plan(FORM, CHECK, JOIN))
    planned.review(critic, Custodiet.OK)
    return planned


def check(planned: Planned) -> Task:
    edit = next(fact for fact in reversed(planned.facts) if isinstance(fact, e.PlanEdited))
    return planned.then(planning.after_edit(planned.task, edit, FILES, {"implementer": ()}, planned.moment()))


def test_an_edit_that_did_not_grow_is_a_version_that_a_person_may_approve_at_once() -> None:
    planned = shown()
    before = planned.task.plan
    task = planned.press(Kind.PLAN, "edit", "1\n3", by=OWNER)
    assert task.state is TaskState.DECOMPOSING and task.plan.draft == before.draft, "not before code looked at it"
    task = check(planned)
    assert (task.state, task.plan.number, task.plan.edited_by) == (TaskState.AWAITING_APPROVAL, 2, ANA)
    assert task.plan.previous == before.draft and task.plan.review == before.review
    assert task.plan.draft and task.plan.draft.hash != (before.draft and before.draft.hash)
    (wish,) = task.wishes
    assert (wish.source, wish.by) == (Source.EDIT, ANA) and "dropped 2" in wish.words
    assert planned.press(Kind.PLAN, "approve").plan.accepted == task.plan.draft.hash
    assert replay(planned.facts) == planned.task


def test_an_edit_that_grew_is_read_again_and_outlives_a_plan_that_was_sent_back() -> None:
    planned = shown()
    planned.press(Kind.PLAN, "edit", "1 | | | | form.py, app.py\n3", by=OWNER)
    task = check(planned)
    assert task.state is TaskState.IN_REVIEW and task.of_kind(Kind.PLAN) is None
    task = planned.review(Critic.REVISE, Custodiet.WARN, asks=True)
    assert task.state is TaskState.DECOMPOSING and task.plan.feedback
    assert ["dropped 2" in wish.words for wish in task.wishes] == [True]


def argued() -> Planned:
    """Reviewers who could not agree, so a person judges."""
    planned = Planned()
    planned.draft(plan(FORM, CHECK, JOIN))
    task = planned.review(Critic.REVISE, Custodiet.OK)
    assert task.plan.debate, "they argue"
    planned.then(planning.after_debate(task, task.plan.debate, planned.moment()))
    return planned


def test_a_plan_that_reviewers_left_open_is_edited_and_a_person_still_judges_it() -> None:
    planned = argued()
    assert planned.task.of_kind(Kind.DEBATE) and planned.task.state is TaskState.AWAITING_APPROVAL
    held = planned.task.plan.debate
    planned.press(Kind.DEBATE, "edit", "1\n3", by=OWNER)
    task = check(planned)
    assert (task.state, task.plan.number) == (TaskState.AWAITING_APPROVAL, 2)
    assert task.of_kind(Kind.DEBATE) and task.of_kind(Kind.PLAN) is None and task.plan.debate == held
    assert planned.press(Kind.DEBATE, "approve").plan.accepted == (task.plan.draft and task.plan.draft.hash)
    assert replay(planned.facts) == planned.task
    planned = argued()
    planned.press(Kind.DEBATE, "edit", "1 | | | | form.py, app.py\n3", by=OWNER)
    assert check(planned).state is TaskState.IN_REVIEW, "it grew"


def test_what_a_reviewer_stopped_is_read_again_however_small_the_edit() -> None:
    planned = shown(Critic.HALT)
    assert planned.task.state is TaskState.BLOCKED
    planned.press(Kind.PLAN, "edit", "1\n3", by=OWNER)
    assert check(planned).state is TaskState.IN_REVIEW


def test_each_fault_names_the_row_and_the_field_that_it_is_about() -> None:
    def places(text: str) -> set[tuple[int | None, str]]:
        planned = shown()
        return {(fault.number, fault.field) for fault in faults_of_edit(planned.task, text)}

    assert places("1 | | magic\n2 | | | | | 9\n3") == {(1, "kind"), (2, "after")}
    assert places("3 | | | | ../x\n1 | | docs | | form.py") == {(3, "files"), (1, "kind")}, "by the numbers before"
    assert places("1 | | | | | 2\n2 | | | | | 1\n3") <= {(1, "after"), (2, "after")}
    assert places("") == {(None, "")}
    assert not places("1\n3")


def test_an_edit_that_was_not_taken_stands_in_the_form_again() -> None:
    planned = shown()
    tried = "1 | | | nobody |\n3"
    planned.press(Kind.PLAN, "edit", tried, by=OWNER)
    task = check(planned)
    assert task.plan.edit_refused and task.plan.edit_tried == tried
    task = planned.press(Kind.PLAN, "changes", "use tabs", by=OWNER)
    assert not task.plan.edit_tried and not task.plan.edit_refused, "what comes next has nothing to do with it"


def test_an_edit_of_a_stopped_plan_that_was_not_taken_offers_again_what_could_be_chosen() -> None:
    planned = shown(Critic.HALT)
    before = planned.task.of_kind(Kind.PLAN)
    planned.press(Kind.PLAN, "edit", "1 | | | nobody |\n3", by=OWNER)
    after = check(planned).of_kind(Kind.PLAN)
    assert before and after and [each.value for each in after.options] == [each.value for each in before.options]


def test_what_does_not_fit_the_project_is_told_and_the_plan_is_as_it_was() -> None:
    planned = shown()
    before = planned.task.plan.draft
    planned.press(Kind.PLAN, "edit", "1 | | | nobody | scr/new.py\n2\n3", by=OWNER)
    task = check(planned)
    assert task.state is TaskState.AWAITING_APPROVAL and task.plan.draft == before and task.plan.number == 1
    assert any("no folder scr" in why for why in task.plan.edit_refused)
    assert any("role nobody" in why for why in task.plan.edit_refused)
    assert planned.press(Kind.PLAN, "approve").plan.accepted == (before and before.hash)


def test_only_the_owner_and_approvers_edit_by_hand() -> None:
    planned = shown()
    with pytest.raises(NotYours):
        planned.press(Kind.PLAN, "edit", "1\n3", by=Presser(person=CY))


def test_edges_that_only_inform_stay() -> None:
    told = replace(JOIN, needs=(*JOIN.needs[:1], Need(number=2, edge=Edge.INFORMS)))
    made = edit_plan(with_closing(plan(FORM, CHECK, told)), "2\n1\n3 | | | | | 1").plan
    assert made.steps[2].blocked_by == (2,) and made.steps[2].informed_by == (1,)


def test_an_edit_that_was_not_taken_comes_back_whole() -> None:
    head, first, second, third = LINES.splitlines()
    shown = to_lines(PLAN, "\n".join(("# a comment", "2 | Look twice | | | check.py |", "1", "9 | new", "")))
    lines = shown.splitlines()
    assert lines[0] == head and lines[2] == first, "a number alone means the line as it was"
    assert [part.strip() for part in lines[1].split("|")[:2]] == ["2", "Look twice"]
    assert lines[1].split("|")[2].strip() == second.split("|")[2].strip(), "an empty kind is the one before"
    assert lines[1].split("|")[4].strip() == "check.py" and not lines[1].endswith(" "), "what is emptied stays empty"
    assert lines[3:] == [f"# {third}"], "what was dropped is there to be taken back, and no number is made up"


def test_nothing_is_wrong_with_an_edit_where_there_is_no_plan() -> None:
    assert faults_of_edit(Planned().task, "anything") == ()
