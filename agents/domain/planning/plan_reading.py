"""What code makes of a planner's draft before it is checked: plain synonyms, and corrections that people see."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.file_kinds import is_documentation, is_test
from agents.domain.planning.decomposition import Confidence, Decomposition, Edge, Subtask
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.planning.work_kind import SubtaskSize, WorkKind
from agents.domain.workflow.steps import HUMAN, REVIEW
from agents.domain.workflow.workflow import Workflow

Word = TypeVar("Word", bound=StrEnum)

_K, _S, _C = WorkKind, SubtaskSize, Confidence
# What models write for a word of ours. Little stands for `refactor` and `spike`, for less is asked of those two.
SYNONYMS: Mapping[type[StrEnum], Mapping[str, StrEnum]] = {
    WorkKind: {
        **dict.fromkeys(("bug", "bugfix", "bug fix", "fixes", "hotfix", "repair", "correction"), _K.FIX),
        **dict.fromkeys(("feat", "features", "new feature", "enhancement", "improvement", "change"), _K.FEATURE),
        **dict.fromkeys(("refactoring", "refactors", "restructuring"), _K.REFACTOR),
        **dict.fromkeys(("doc", "documentation", "documents", "readme"), _K.DOCS),
        **dict.fromkeys(("test", "testing", "unit tests"), _K.TESTS),
        **dict.fromkeys(("research", "investigation", "information spike", "exploration"), _K.SPIKE),
    },
    SubtaskSize: {
        **dict.fromkeys(("s", "xs", "tiny", "little", "extra small"), _S.SMALL),
        **dict.fromkeys(("m", "normal", "moderate", "average"), _S.MEDIUM),
        **dict.fromkeys(("l", "xl", "big", "huge", "extra large"), _S.LARGE),
    },
    Confidence: {
        **dict.fromkeys(("sure", "certain", "very high", "strong"), _C.HIGH),
        **dict.fromkeys(("med", "moderate", "average"), _C.MEDIUM),
        **dict.fromkeys(("unsure", "not sure", "very low", "uncertain", "weak"), _C.LOW),
    },
    **{
        judge: dict.fromkeys(("cannot assess", "unable to assess", "none"), judge("no_verdict"))
        for judge in (Critic, Custodiet)
    },
    Edge: {
        **dict.fromkeys(("block", "blocked by", "needs", "depends on", "requires", "after", "hard"), Edge.BLOCKS),
        **dict.fromkeys(("inform", "informed by", "soft", "note"), Edge.INFORMS),
    },
}


def read_word(said: object, kind: type[Word]) -> Word | None:
    """A word of an enum, or a plain synonym of one; None: it says nothing that we know."""
    if not isinstance(said, str):
        return None
    plain = " ".join(re.sub(r"[_\-]", " ", said).casefold().split())
    words: dict[str, Word] = {each.value.replace("_", " "): each for each in kind}
    found = words.get(plain) or SYNONYMS.get(kind, {}).get(plain)
    return found if isinstance(found, kind) else None


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


def correct_plan(plan: Decomposition, roles: Collection[str], project: str) -> Decomposition:
    """Take away what a planner cannot give, and mark what was corrected."""
    subtasks = tuple(_correct(subtask, roles, project) for subtask in plan.subtasks)
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
