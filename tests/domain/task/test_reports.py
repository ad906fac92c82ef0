"""What others read of a task's subtasks: in a pull request, on an issue, and in the notes of those that build on it."""

from dataclasses import replace

import pytest

from agents.domain import events as e
from agents.domain.planning.decomposition import Need
from agents.domain.task.facts import Origin
from agents.domain.task.reports import Act, on_issue, summary_of
from agents.domain.task.task import Task
from agents.domain.work.dispatching import notes_for
from agents.domain.work.work import Ending, SubtaskState, Work
from agents.ports import History
from bot.cards.work.outside import issue_comment, pull_text
from tests.domain.work.test_dispatching import AT, at_work, played, subtask


def with_work(task: Task, *work: Work) -> Task:
    return replace(task, work=replace(task.work, subtasks=work))


def test_a_pull_request_names_what_was_done_first_and_then_what_was_dropped() -> None:
    task = at_work(subtask(1), subtask(2), subtask(3))
    states = (SubtaskState.FAILED, SubtaskState.DONE, SubtaskState.BLOCKED)
    task = with_work(task, *(Work(number=number, state=state) for number, state in enumerate(states, 1)))
    _, body = pull_text(task, History())
    lines = [line for line in body.splitlines() if line.startswith("- ")]
    assert lines[:3] == ["- Step 2", "- Dropped: Step 1", "- Dropped: Step 3"]


def test_a_subtask_is_given_the_notes_of_those_it_needs_alone() -> None:
    third = replace(subtask(3), needs=(Need(number=1), Need(number=4)))
    task = at_work(subtask(1), subtask(2), third, subtask(4))
    notes = {1: "the table is `users`", 2: "nobody needs this", 3: "", 4: ""}
    task = with_work(task, *(Work(number=number, note=note) for number, note in notes.items()))
    assert notes_for(task, third) == ("T-1.1: the table is `users`",)


def failed(task: Task, **more: object) -> e.MinionFailed:
    about = {"task": task.id, "at": AT, "subtask": 1, "attempt": 1, "ending": Ending.TURNS, "problem": "no end"}
    return e.MinionFailed(**{**about, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(("told", "stays"), [("new", "new"), ("", "old")])
def test_a_failed_minion_leaves_its_commit_or_the_one_before(told: str, stays: str) -> None:
    task = with_work(at_work(subtask(1)), Work(number=1, attempt=1, state=SubtaskState.RUNNING, commit="old"))
    [work] = played(task, failed(task, commit=told)).work.subtasks
    assert (work.commit, work.problem) == (stays, "no end")


def test_an_issue_is_told_which_subtask_needs_a_person() -> None:
    task = at_work(subtask(1))
    assert on_issue(task, failed(task)) is None, "it came from no issue"
    origin = Origin(key="issue:7", project="shop", number=7, url="https://forge.example/7", by="ana", heard=True)
    task = replace(task, request=replace(task.request, origin=origin))
    said = on_issue(task, failed(task))
    assert said and said.act is Act.ATTENTION
    assert issue_comment(task, failed(task)) == "T-1.1 (Step 1) needs a person. It came to the end of its turns. no end"
    blocked = on_issue(task, failed(task, ending=Ending.BLOCKED))
    assert blocked and blocked.act is Act.BLOCKED
    assert issue_comment(task, failed(task, ending=Ending.BLOCKED)).startswith("T-1.1 (Step 1) cannot be done")


def test_an_issue_is_told_how_its_task_ended_and_nothing_of_the_machine() -> None:
    task = at_work(subtask(1))
    origin = Origin(key="issue:7", project="shop", number=7, url="https://forge.example/7", by="ana", heard=True)
    task = replace(task, request=replace(task.request, origin=origin))
    again = "\n\nPut the label back to ask again."
    about = {"task": task.id, "at": AT}
    told = {
        e.TaskFailed(**about, reason="nothing came of it"): (  # type: ignore[arg-type]
            "issue:7:T-1:failed", Act.BLOCKED, f"T-1 failed: nothing came of it{again}",
        ),
        e.TaskCancelled(**about, by=task.request.by, reason="not now"): (  # type: ignore[arg-type]
            "issue:7:T-1:cancelled", Act.BLOCKED, f"T-1 was cancelled: not now{again}",
        ),
        e.JobParked(**about, job="j1", flow="work", problem="/root: no space", kept=""): (  # type: ignore[arg-type]
            "issue:7:T-1:parked:j1", Act.ATTENTION, "T-1 got stuck and needs a person. The card in chat says why.",
        ),
    }  # fmt: skip
    for fact, (key, act, text) in told.items():
        said = on_issue(task, fact)
        assert said and (said.key, said.act, issue_comment(task, fact)) == (key, act, text)


def test_what_is_said_of_the_whole_is_what_bringing_it_together_took() -> None:
    task = at_work(subtask(1), subtask(2))
    said = with_work(task, *(Work(number=each, attempt=1, summary=f"did {each}") for each in (1, 2, 3)))
    assert [summary_of(said, each) for each in (1, 2, 3)] == ["did 1", "did 2", ""]
    mended = with_work(task, Work(number=1), Work(number=2), Work(number=3, attempt=2, summary="mended the joint"))
    assert summary_of(mended, 3) == "mended the joint"
