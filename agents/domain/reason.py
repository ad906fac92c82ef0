"""Why something is so, as a value. `bot/cards/reasons.py` puts it into words."""

from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    # A subtask was taken to a person.
    ATTEMPTS_FAILED = "attempts_failed"
    HOPELESS = "hopeless"  # another attempt would not fix it
    NO_PATH_NAMED = "no_path_named"
    DOES_NOT_JOIN = "does_not_join"
    KEPT_BRANCH = "kept_branch"
    KEPT_PATCH = "kept_patch"
    # It was dropped, or the task with it.
    DROPPED = "dropped"
    NEEDS_DROPPED = "needs_dropped"
    NOTHING_LEFT = "nothing_left"
    REVERTED = "reverted"
    # The branch it is for has moved on.
    DOES_NOT_MERGE = "does_not_merge"
    # A plan was taken to a person.
    NO_VERDICT = "no_verdict"
    NO_PLANNER = "no_planner"
    NEVER_HELD = "never_held"
    DISAGREEMENT = "disagreement"
    # A change is as risky as it is.
    SELF_ACTING = "self_acting"  # what runs by itself
    AREA = "area"
    UNKNOWN_CHANGE = "unknown_change"
    FILES = "files"
    FILES_OVER = "files_over"
    LINES = "lines"
    LINES_OVER = "lines_over"
    BREAKING = "breaking"
    LINK = "link"
    SUBMODULE = "submodule"
    ODD_NAME = "odd_name"
    NO_SMALLER_RISK = "no_smaller_risk"
    NEW_TESTS = "new_tests"
    DOCUMENTATION = "documentation"
    UNMEASURED = "unmeasured"
    TESTED = "tested"
    TESTED_TOO_LITTLE = "tested_too_little"
    FOUND_OUT = "found_out"
    SAME_CHANGE = "same_change"
    # A project was chosen.
    ISSUE_OF_PROJECT = "issue_of_project"
    PROPOSAL_OF_PROJECT = "proposal_of_project"
    NO_PROJECT = "no_project"
    CHANNELS_PROJECT = "channels_project"
    ONLY_PROJECT = "only_project"
    NAMED_PROJECT = "named_project"
    LIKELY_PROJECT = "likely_project"
    # What a run did, and what comes next.
    BUDGET_USED_UP = "budget_used_up"
    HANDED_OVER = "handed_over"
    UNSURE_MODEL = "unsure_model"
    READ_CHANGES = "read_changes"
    ASKED = "asked"
    NOTHING_YET = "nothing_yet"
    STOPPED = "stopped"
    GAVE_UP = "gave_up"
    JOINS_NEXT = "joins_next"
    TRIES_NEXT = "tries_next"
    PERSON_NEXT = "person_next"
    ANSWER_NEXT = "answer_next"
    RESUMES_NEXT = "resumes_next"
    REMOTE_NEXT = "remote_next"
    GATE_NEXT = "gate_next"
    BY_HAND_NEXT = "by_hand_next"
    # A person must look, though all of it passed.
    SILENT_REVIEWER = "silent_reviewer"
    UNREAD = "unread"
    SECURITY_CONCERNS = "security_concerns"
    UNPROVEN_TESTS = "unproven_tests"
    UNTOLD_TESTS = "untold_tests"
    # What the checks noticed keeps a change from being of low risk.
    CHANGED_TESTS = "changed_tests"
    NO_NEW_TEST = "no_new_test"
    QUIETED_TOOLS = "quieted_tools"
    SKILL_CHANGE = "skill_change"
    NO_SCRIPT = "no_script"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    code: Why
    names: tuple[str, ...] = ()  # of an area, a file, a branch, a subtask
    count: float = 0  # files where one of them is named
    limit: float = 0
    details: tuple["Reason | str", ...] = ()


Cause = Reason | str  # in words where a model, a person, a tool or an earlier version said it
