"""`overlord workflows`: what can be chosen, step by step, and where the subtasks of a task stand."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agents.catalog.library import load_catalog
from agents.domain.decisions.authority import ChannelPolicy, PlanPolicy
from agents.domain.decisions.table import open_questions
from agents.domain.events import Event, StepDue
from agents.domain.ids import TaskId
from agents.domain.planning.planning import Draft, after_draft, after_review
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.task.decide import choose_project
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, start_next
from agents.domain.work.stepping import stands_at
from agents.domain.work.work import SubtaskState
from agents.domain.workflow.workflow import DEFAULT
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction
from tests.builders.decompositions import plan, subtask as one_subtask
from tests.builders.reviews import review
from tests.builders.shell import Shell
from tests.builders.steered import moment
from tests.domain.work.test_dispatching import AT, at_work, subtask

MVP = load_catalog().workflows["mvp"]
CONFIG = """
workflow:
  template: mvp
  overrides:
    quick_review: {max_retries: 1}
    licences: {type: gate, command: make licences, position: after test}
workflows:
  careful:
    extends: default
    description: Slow and sure.
    steps:
      review: {parallel: 2}
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def _state(shell: Shell, config: str) -> None:
    shell.home.mkdir(mode=0o700)
    (shell.home / "overlord.yaml").write_text(config)


OURS = ["default", "enterprise", "mvp", "open_source", "security_critical", "with_test_engineer"]


def test_the_workflows_that_come_with_overlord_are_listed(shell: Shell) -> None:
    heading, *lines, _, chosen = shell.run("workflows").out.splitlines()
    assert heading.split() == ["workflow", "of", "steps", "what", "for"]
    assert [line.split()[0] for line in lines] == OURS
    assert all("(comes with Overlord)  plan, plan_review, " in line for line in lines)
    assert (
        "Fast iteration for prototypes." in lines[OURS.index("mvp")]
        and chosen == "Where nothing else is chosen: default"
    )
    told = shell.run("workflows", "list", "--json").json
    assert [(each["name"], each["source"]) for each in told] == [(name, "") for name in OURS]
    assert told[0]["hash"] == DEFAULT.hash and told[0]["steps"][0]["name"] == "plan"


def test_what_overlord_yaml_says_is_in_it(shell: Shell) -> None:
    _state(shell, CONFIG)
    of = {each["name"]: each["source"] for each in shell.run("workflows", "--json").json}
    assert of == {**dict.fromkeys(OURS, ""), "mvp": "overlord.yaml", "careful": "overlord.yaml"}
    assert shell.run("workflows").out.endswith("Where nothing else is chosen: mvp\n")
    shown = shell.run("workflows", "show", "mvp").out
    rows = {line.split()[0]: line.split() for line in shown.splitlines() if line}
    assert rows["licences"] == ["licences", "gate", "subtask", "`make", "licences`", "quick_review", "implement", "2"]
    assert rows["quick_review"][-2:] == ["implement", "1"]
    assert rows["merge"] == ["merge", "merge", "task", "a", "person", "(the", "end)"]
    assert "skip_edge_cases: true" in shown and "Minions are not told to add tests" in shown
    assert "reviewer twice" in shell.run("workflows", "show", "careful").out
    assert shell.run("workflows", "show", "careful", "--json").json["description"] == "Slow and sure."


def test_one_that_is_not_there_is_said_with_the_nearest(shell: Shell) -> None:
    assert "There is no workflow mpv. Did you mean `mvp`?" in shell.run("workflows", "show", "mpv", code=1).err
    assert "Say which workflow" in shell.run("workflows", "show", code=1).err
    assert "Say which workflow" in shell.run("workflows", "show", "mvp", "--task", "T-1", code=1).err
    assert "T-9" in shell.run("workflows", "show", "--task", "T-9", code=1).err


def test_a_task_is_shown_with_the_workflow_it_keeps(shell: Shell) -> None:
    shell.ask("add login")
    assert "T-1 keeps no workflow yet" in shell.run("workflows", "show", "--task", "1", code=1).err
    asyncio.run(_begin_work(shell))
    out = shell.run("workflows", "show", "--task", "t-1").out
    assert f"T-1 goes by mvp, version {MVP.version}" in out
    row = next(line for line in out.splitlines() if line.startswith("implement "))
    assert row.endswith("T-1.1 (pending)")
    assert "At no step: T-1.2 pending" in out
    told = shell.run("workflows", "show", "--task", "T-1", "--json").json
    assert told["workflow"]["hash"] == MVP.hash
    assert [each["step"] for each in told["subtasks"]] == ["implement", ""]


async def _begin_work(shell: Shell) -> None:
    with closing(Database(f"sqlite:///{shell.home / 'overlord.db'}")) as database:
        await database.write(_approve_under_mvp)


def _approve_under_mvp(tx: Transaction) -> None:
    """What happens to a request until its first minion is about to start."""
    auto = ChannelPolicy(plan=PlanPolicy.AUTO)
    moments = (replace(moment(cause=f"step-{at}"), channel=auto, workflow=lambda _: MVP) for at in range(4))
    _record(tx, lambda task: choose_project(task, ("api",), next(moments)))
    _record(tx, lambda task: after_draft(task, Draft(says=plan(one_subtask(1))), next(moments)))
    _record(tx, lambda task: after_review(task, review(Critic.PROCEED, Custodiet.OK), next(moments)))
    begin = next(moments)
    _record(tx, lambda task: open_questions(task, start_next(task, begin), begin))


def _record(tx: Transaction, decide: Callable[[Task], list[Event]]) -> None:
    task = tx.log.task(TaskId("T-1"))
    tx.log.append(task.id, decide(task), Cause(actor="overlord", delivery="job:1"))


def _standing(task: Task, **changes: object) -> str:
    work = replace(task.work.on(1), **changes)  # type: ignore[arg-type]
    found = stands_at(task, work)
    return found.name if found else ""


def test_where_a_subtask_stands() -> None:
    task = at_work(subtask(1))
    assert _standing(task) == "" and _standing(task, queued=True) == "implement"
    assert _standing(task, state=SubtaskState.RUNNING, attempt=1) == "implement"
    due = StepDue(**about_run(task, task.work.on(1), AT), step="review", visit=1)
    assert _standing(task, state=SubtaskState.EVALUATING, step=due.step) == "review"
    assert _standing(task, state=SubtaskState.NEEDS_HUMAN, step="test") == "test"
    assert _standing(task, state=SubtaskState.DONE, step="commit") == ""
    assert _standing(task, state=SubtaskState.RUNNING, step="gone_since") == "implement"
