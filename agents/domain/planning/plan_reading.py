"""What code makes of a planner's draft before it is checked: plain synonyms, and corrections that people see."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.file_kinds import is_documentation, is_test
from agents.domain.planning.decomposition import Decomposition, Subtask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.text.forms import plain_word
from agents.domain.text.synonyms import SYNONYMS
from agents.domain.workflow.steps import HUMAN, REVIEW
from agents.domain.workflow.workflow import Workflow

Word = TypeVar("Word", bound=StrEnum)


def read_word(said: object, kind: type[Word]) -> Word | None:
    """A word of an enum, or a plain synonym of one; None: it says nothing that we know."""
    if not isinstance(said, str):
        return None
    plain = plain_word(said)
    found = next((each for each in kind if plain_word(each.value) == plain), None)
    other = SYNONYMS.get(kind.__name__, {}).get(plain)
    return found or (kind(other) if other else None)


SHORT = 2  # files that a change on the short path may touch
_IN_FULL = re.compile(r"\bin full\b|\bfull (?:path|review|process)\b|\bno short ?(?:cut|path)", re.IGNORECASE)


def takes_short_path(plan: Decomposition, workflow: Workflow, risk: RiskLevel | None, words: Iterable[str]) -> bool:
    """One subtask, few files and low risk, unless a person asks for the full path or the workflow has more readers."""
    readers = sum(step.parallel for step in workflow.steps if step.type == REVIEW.name)
    people = any(step.type == HUMAN.name for step in workflow.steps)
    (*before, only) = plan.steps
    small = not before and 0 < len(only.files) <= SHORT and not any(path.endswith("/") for path in only.files)
    usual = not only.spike and not only.changes_tests and readers <= 1 and not people
    return small and usual and risk is RiskLevel.LOW and not any(_IN_FULL.search(each) for each in words)


def correct_plan(
    plan: Decomposition, roles: Collection[str], project: str, unfit: Collection[int] = ()
) -> Decomposition:
    """Take away what a planner cannot give, and mark what was corrected. `unfit`: those their role cannot do."""
    subtasks = tuple(_correct(subtask, () if subtask.number in unfit else roles, project) for subtask in plan.subtasks)
    used = {subtask.phase for subtask in subtasks}
    phases = {phase.number: phase for phase in plan.phases if phase.number in used}
    return replace(plan, subtasks=subtasks, phases=tuple(phases[number] for number in sorted(phases)))


def _correct(subtask: Subtask, roles: Collection[str], project: str) -> Subtask:
    kind = kind_of(subtask.kind, subtask.files)
    role = subtask.role if subtask.role in roles else ""
    elsewhere = "" if subtask.project == project else subtask.project
    wrong = {"kind": kind is not subtask.kind, "role": role != subtask.role}
    assumed = (*subtask.assumed, *(name for name, is_wrong in wrong.items() if is_wrong))
    made = replace(subtask, kind=kind, role=role, project=elsewhere, opening=False)
    return replace(made, assumed=tuple(dict.fromkeys(assumed)))


def kind_of(wanted: WorkKind | None, files: Collection[str]) -> WorkKind:
    """The kind that a planner names, unless the files say otherwise or it names none.

    Never a kind that is asked for less than the files call for: a refactoring or a spike is never assumed.
    """
    if wanted is None:
        return _kind_from(files)
    if wanted is WorkKind.DOCS and not all(map(is_documentation, files)):
        return _kind_from(files)
    if wanted is WorkKind.TESTS and not all(is_test(path) or is_documentation(path) for path in files):
        return _kind_from(files)
    if wanted is WorkKind.SPIKE and not all(map(is_documentation, files)):
        return _kind_from(files)
    return wanted


def _kind_from(files: Collection[str]) -> WorkKind:
    if files and all(map(is_documentation, files)):
        return WorkKind.DOCS
    if files and all(is_test(path) or is_documentation(path) for path in files):
        return WorkKind.TESTS
    return WorkKind.FEATURE
