"""A role that is named for a subtask must be able to do it."""

from dataclasses import replace

from agents.catalog.library import load_catalog
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.fitting import why_unfit
from agents.domain.planning.work_kind import WorkKind
from agents.domain.workflow.roles import Role

CATALOG = load_catalog()


def subtask(*files: str, kind: WorkKind = WorkKind.FEATURE) -> Subtask:
    return Subtask(number=1, title="Codes", why="wanted", kind=kind, files=files)


def excluding(*patterns: str) -> Role:
    role = CATALOG.roles["implementer"]
    return replace(role, name="trader", context=replace(role.context, exclude=patterns))


def test_a_role_that_writes_and_reads_the_files_fits() -> None:
    assert not why_unfit(CATALOG.roles["implementer"], subtask("shop/codes.py"))
    assert not why_unfit(CATALOG.roles["test_engineer"], subtask("tests/test_codes.py"))


def test_a_role_that_never_reads_what_it_would_change_does_not_fit() -> None:
    assert why_unfit(excluding("**/backtest/**"), subtask("shop/backtest/run.py")).endswith(
        "does not read shop/backtest/run.py"
    )
    assert why_unfit(CATALOG.roles["test_engineer"], subtask("shop/codes.py")).endswith("does not read shop/codes.py")


def test_a_role_that_writes_nothing_fits_what_finds_out_alone() -> None:
    reads = replace(CATALOG.roles["implementer"], name="looker", allowed_tools=())
    assert why_unfit(reads, subtask("a.py")) == "the role looker writes nothing"
    assert not why_unfit(reads, subtask("docs/found.md", kind=WorkKind.SPIKE))


def test_the_roles_that_a_planner_is_told_of_are_those_for_subtasks_with_what_they_are_good_at() -> None:
    offered = CATALOG.worker_roles()
    assert {*offered} == {"implementer", "implementer_fast", "ui_designer"}
    assert offered["ui_designer"] == (
        "Does one subtask on what people see; good at components that fit those around them, access for everybody"
    )
