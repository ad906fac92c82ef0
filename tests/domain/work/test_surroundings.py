"""What a minion is told of the work around its own, and what holds where nobody answered."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain import events as e
from agents.domain.ids import PersonId
from agents.domain.planning.decomposition import Assumption, Decomposition, PlanPhase, with_closing
from agents.domain.planning.facts import PlanState
from agents.domain.task.fold import evolve
from agents.domain.task.reports import summary_of
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, notes_for
from agents.domain.work.surroundings import found_out, surroundings
from agents.domain.work.work import SubtaskState, Work, WorkState
from agents.llm.prompts import Prompts
from agents.minions.engines.builtin.transcript import opening
from agents.ports import Brief, Checkout, Workspace
from tests.builders.decompositions import spike, subtask
from tests.domain.work.test_dispatching import AT, at_work
from tests.llm.rig import SECRET, files

PLAN = with_closing(
    Decomposition(
        goal="users can log in",
        subtasks=(spike(1, title="Find the hot path"), subtask(2, 1), subtask(3, 2)),
        phases=(PlanPhase(number=1, interfaces=("check(name) returns a bool",)),),
        assumptions=(Assumption(what="one process serves all"),),
    )
)


@pytest.fixture
def task() -> Task:
    works = tuple(Work(number=each.number) for each in PLAN.subtasks)
    spiked = replace(works[0], state=SubtaskState.DONE, summary="It is check_password.", note="Called 3 times a login.")
    made = at_work(*PLAN.steps)
    return replace(made, plan=PlanState(draft=PLAN), work=WorkState(subtasks=(spiked, *works[1:]), branch="b"))


def first_words(task: Task, number: int) -> str:
    place = Checkout(project="p", branch="b", base="c", head="c", workspace=Workspace(path=Path("/nowhere")))
    brief = Brief(task=task, subtask=PLAN.subtasks[number - 1], work=task.work.on(number), checkout=place)
    return opening(Prompts(SECRET, files=files).text, brief, "", ())[1]


def test_each_is_told_what_others_do_and_what_the_plan_takes_for_granted(task: Task) -> None:
    about = surroundings(task, PLAN.subtasks[1])
    others = about["others"]
    assert isinstance(others, list)
    assert [(other["number"], other["state"], other["waits"]) for other in others] == [
        (1, "done", False),
        (3, "pending", True),
    ]
    assert about["goal"] == "users can log in" and about["agreed"] == ["check(name) returns a bool"]
    said = first_words(task, 2)
    assert "- 3 (not begun, waits for yours): " in said and "> one process serves all" in said
    alone = replace(task, plan=PlanState(draft=with_closing(Decomposition(goal="g", subtasks=(subtask(2),)))))
    assert surroundings(alone, subtask(2))["others"] == [], "where there is one, nothing is said of others"


def test_what_a_spike_found_goes_whole_to_those_who_need_it_and_to_the_thread(task: Task) -> None:
    whole = "It is check_password.\nCalled 3 times a login."
    assert notes_for(task, PLAN.subtasks[1]) == (f"T-1.1: {whole}",)
    assert found_out(task, task.work.on(1)) == summary_of(task, 1) == whole
    assert found_out(task, task.work.on(2)) == ""


def test_a_default_without_options_holds_for_all_that_follows(task: Task) -> None:
    mine = replace(task.work.on(2), state=SubtaskState.RUNNING, attempt=1)
    running = replace(task, work=replace(task.work, subtasks=(task.work.on(1), mine, *task.work.subtasks[2:])))
    asked = e.MinionAsked(**about_run(running, mine, AT), commit="c", question="How many tries?")
    silent = e.MinionAnswered(**about_run(running, mine, AT), answer="The default holds: ten", by=())
    heard = replace(silent, by=(PersonId("ana"),))
    settled = evolve(evolve(running, asked), silent)
    assert settled.work.on(2).settled == ("How many tries? The default holds: ten",)
    assert evolve(evolve(running, asked), heard).work.on(2).settled == (), "that is a wish"
    works = settled.work.subtasks
    again = (works[0], replace(works[1], attempt=2, answer=""), *works[2:])
    later = replace(settled, work=replace(settled.work, subtasks=again))
    for number in (2, 3):
        assert "> T-1.2 asked: How many tries? The default holds: ten" in first_words(later, number)
