"""Interfaces are locked for all but the subtask that wrote them, whatever else a scope allows."""

import json
from dataclasses import replace

import pytest

from agents.domain.checks.evaluation import Change, Evaluation, Score
from agents.domain.checks.scope import Scope, ScopeMode, widen
from agents.domain.planning.decomposition import with_closing
from agents.domain.planning.opening import INTERFACES, with_opening
from agents.domain.task.locking import locked_paths
from agents.domain.work.work import SubtaskState, Work, WorkState
from agents.domain.workflow.steps import StepLevel
from agents.domain.workflow.workflow import DEFAULT
from agents.minions.engines.builtin.executor import parse_scope
from tests.builders.decompositions import plan, subtask
from tests.builders.working import Working

DONE = SubtaskState.DONE
LOCKED = ("interfaces/**",)


@pytest.mark.parametrize(
    "scope",
    [
        Scope(mode=ScopeMode.UNRESTRICTED, locked=LOCKED),
        Scope(mode=ScopeMode.DIRECTORY, patterns=("**",), locked=LOCKED),
        Scope(mode=ScopeMode.EXPLICIT, patterns=("interfaces/links.pyi",), locked=LOCKED),
    ],
)
def test_no_scope_opens_a_locked_interface_and_only_a_decision_does(scope: Scope) -> None:
    assert "locked interface" in (scope.refuse("interfaces/links.pyi") or "")
    told = parse_scope(scope.dump())
    assert told.locks("interfaces/links.pyi") and not told.locks("src/links.py")
    wider = widen(scope, ("interfaces/links.pyi",))
    assert wider.locks("interfaces/links.pyi"), "more scope is no leave to change an interface"
    opened = Scope(mode=wider.mode, patterns=wider.patterns, locked=LOCKED, opened=("interfaces/links.pyi",))
    assert opened.refuse("interfaces/links.pyi") is None
    assert opened.locks("interfaces/other.pyi"), "only what was asked for"
    assert parse_scope(opened.dump()) == opened


def test_what_minions_were_told_before_there_were_locks_is_as_it_was() -> None:
    assert json.loads(Scope(mode=ScopeMode.DIRECTORY, patterns=("a/**",)).dump()).keys() == {"mode", "patterns"}


def opened(
    files: str = "", outputs: tuple[str, ...] = (INTERFACES,), state: SubtaskState = SubtaskState.DONE
) -> Working:
    """A task whose opening subtask wrote one file, and what its workflow says of such files."""
    design = replace(DEFAULT.implement, name="design", level=StepLevel.TASK, outputs=outputs, config={"files": files})
    workflow = replace(DEFAULT, steps=(*DEFAULT.steps[:2], design, *DEFAULT.steps[2:]))
    working = Working()
    drafted = with_opening(with_closing(plan(subtask(1))), workflow)
    judged = Evaluation(
        subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS, gates=(), feedback=(),
        changes=(Change(path="api/links.yaml", status="A"),),
    )  # fmt: skip
    working.task = replace(
        working.task,
        plan=replace(working.task.plan, draft=drafted, workflow=workflow),
        work=WorkState(subtasks=(Work(number=1, state=state, evaluation=judged), Work(number=2))),
    )
    return working


def test_what_is_locked_is_what_the_workflow_names_or_else_what_was_written() -> None:
    assert locked_paths(opened("docs/design/ api.md").task) == ("docs/design/**", "api.md")
    assert locked_paths(opened().task) == ("api/links.yaml",)
    assert locked_paths(opened(state=SubtaskState.RUNNING).task) == (), "it is not joined yet"
    assert locked_paths(opened(outputs=()).task) == (), "no step there hands in interfaces"
    assert locked_paths(Working().task) == ()


def test_nothing_is_locked_where_the_plan_has_no_opening_subtask() -> None:
    working = opened()
    first = replace(working.task.work.subtasks[0], number=2)
    working.task = replace(working.task, work=WorkState(subtasks=(first,)))
    assert locked_paths(working.task) == ()
