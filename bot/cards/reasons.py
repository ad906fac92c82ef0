"""Words for the reasons that the domain gives."""

from collections.abc import Callable, Iterable

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.models.ability import Lack, least_window
from agents.domain.models.failure import Fault
from agents.domain.models.money import ModelAskedAgain, ModelLacks
from agents.domain.planning.review import Side
from agents.domain.reason import Cause, Reason, Why
from agents.domain.text.sanitize import one_line


def put(why: Cause) -> str:
    return why if isinstance(why, str) else WORDS[why.code](why)


_ASKED: dict[str, str] = {
    "decompose": "The planner",
    "setup": "The planner",
    "critic": "The critic",
    "custodiet": "The scope guard",
    "debate": "A reviewer",
    "specialist": "A specialist",
    "code_review": "The reviewer of the work",
    "work": "A minion",
    "ask": "The reader of the code",
}
_TIMES = {2: "a second time", 3: "a third time"}
_WHICH = {2: "first", 3: "second"}
FAULTS: dict[Fault, str] = {
    Fault.CUT_OFF: "its {which} answer was cut off",
    Fault.TOO_LONG: "the question was longer than its model takes, so it is asked with less",
    Fault.SILENT: "it gave no answer",
    Fault.UNREADABLE: "its {which} answer could not be read",
    Fault.REFUSED: "its {which} answer does not count",
}


LACKS: dict[Lack, str] = {
    Lack.ANSWER: "it did not answer when it was tried",
    Lack.TAG: "it gave no JSON answer with the tag of its question",
    Lack.TOOLS: "it calls no tools",
    Lack.WINDOW: "it takes {window:,} tokens at once, and {least:,} are needed",
}


def lacks_in_words(role: str, lacks: Iterable[Lack], window: int) -> str:
    return ", ".join(LACKS[lack].format(window=window, least=least_window(role)) for lack in lacks)


def lacking(fact: ModelLacks) -> str:
    return f"{fact.model} may not do as {fact.role}: {lacks_in_words(fact.role, fact.lacks, fact.window)}"


def asked_again(fact: ModelAskedAgain) -> str:
    """Such as "The planner is asked a second time: its first answer was cut off"."""
    who, times = _ASKED.get(fact.question, "A model"), _TIMES.get(fact.time, f"for the {fact.time}th time")
    fault = Fault(fact.fault)
    detail = f" ({one_line(fact.why, 160)})" if fault in (Fault.SILENT, Fault.REFUSED, Fault.UNREADABLE) else ""
    told = FAULTS[fault].format(which=_WHICH.get(fact.time, "last"))
    return f"{who} is asked {times}: {told}{detail}"


def put_all(why: Iterable[Cause]) -> tuple[str, ...]:
    return tuple(map(put, why))


def risk_sentence(level: RiskLevel, why: Iterable[Cause]) -> str:
    mark = ", " if level is RiskLevel.LOW else "; "
    return f"{level.capitalize()} risk: {mark.join(put_all(why))}."


def _with_details(said: str, reason: Reason) -> str:
    return f"{said}: {'; '.join(put_all(reason.details))}" if reason.details else said


def _with_path(said: str, reason: Reason) -> str:
    more = f" and {reason.count - 1:g} more" if reason.count > 1 else ""
    return f"{said}: {reason.names[-1]}{more}"


def _files(reason: Reason) -> str:
    return "1 file changed" if reason.count == 1 else f"{reason.count:g} files changed"


def _attempts(reason: Reason) -> str:
    tries = f"{reason.count:g} attempts" if reason.count != 1 else "One attempt"
    return _with_details(f"{tries} failed", reason)


def _drafts(reason: Reason) -> str:
    many = f"{reason.count:g} decompositions were drafted and none held"
    return _with_details(many if reason.count != 1 else "The first plan did not hold", reason)


def _silent(reason: Reason) -> str:
    silent = (_SIDE.get(name, name) for name in reason.names)
    return f"No verdict from the {' and the '.join(silent) or 'reviewers'}"


def _disagreement(reason: Reason) -> str:
    critic, guard = (" ".join(said.split()).rstrip(".") or "nothing more" for said in reason.names)
    return f"The critic says: {critic}; the scope guard says: {guard}."


_NO_PLANNER = "The reviewers want changes, and no planner is there to make them"
_SIDE: dict[str, str] = {Side.CUSTODIET: "scope guard"}
_UNMEASURED = "nobody measured how much of it is tested"

WORDS: dict[Why, Callable[[Reason], str]] = {
    Why.ATTEMPTS_FAILED: _attempts,
    Why.HOPELESS: lambda r: _with_details("Another attempt would not fix this", r),
    Why.NO_PATH_NAMED: lambda r: "No path was named that could be allowed",
    Why.DOES_NOT_JOIN: lambda r: "Its commits do not fit on what the other subtasks brought in meanwhile",
    Why.KEPT_BRANCH: lambda r: f"Kept: branch {r.names[0]}",
    Why.KEPT_PATCH: lambda r: f"Kept: patch {r.names[0]}",
    Why.DROPPED: lambda r: _with_details("dropped" if r.details else "dropped by a person", r),
    Why.NEEDS_DROPPED: lambda r: f"it waits for {r.names[0]}, which was dropped",
    Why.REVERTED: lambda r: "taken back with its phase",
    Why.NOTHING_LEFT: lambda r: "every subtask failed or was dropped",
    Why.DOES_NOT_MERGE: lambda r: "The branch it is for has moved on, and the two do not fit together",
    Why.NO_VERDICT: _silent,
    Why.NO_PLANNER: lambda r: _with_details(_NO_PLANNER, r),
    Why.NEVER_HELD: _drafts,
    Why.DISAGREEMENT: _disagreement,
    Why.SELF_ACTING: lambda r: _with_path("what runs by itself (CI, hooks, editors, coding agents)", r),
    Why.AREA: lambda r: _with_path(r.names[0], r),
    Why.UNKNOWN_CHANGE: lambda r: "it is not known what changed",
    Why.FILES: _files,
    Why.FILES_OVER: lambda r: f"{_files(r)}: more than {r.limit:g}",
    Why.LINES: lambda r: f"{r.count:,.0f} lines changed",
    Why.LINES_OVER: lambda r: f"{r.count:,.0f} lines changed: more than {r.limit:,.0f}",
    Why.BREAKING: lambda r: _with_path("may break what others use", r),
    Why.LINK: lambda r: _with_path("a link", r),
    Why.SUBMODULE: lambda r: _with_path("a submodule", r),
    Why.ODD_NAME: lambda r: _with_path("an odd name", r),
    Why.NO_SMALLER_RISK: lambda r: f"{_files(r)}: no rule for a smaller risk fits",
    Why.NEW_TESTS: lambda r: "only new tests",
    Why.DOCUMENTATION: lambda r: "documentation alone",
    Why.UNMEASURED: lambda r: _UNMEASURED,
    Why.TESTED: lambda r: f"{r.count:g} % of lines tested",
    Why.TESTED_TOO_LITTLE: lambda r: f"{r.count:g} % of lines tested, {r.limit:g} % or less",
    Why.FOUND_OUT: lambda r: "it finds something out and changed nothing",
    Why.SAME_CHANGE: lambda r: f"the same change passed as {r.names[0]}",
    Why.ISSUE_OF_PROJECT: lambda r: "it is an issue of this project",
    Why.PROPOSAL_OF_PROJECT: lambda r: "the proposal is about this project",
    Why.NO_PROJECT: lambda r: "no project is configured",
    Why.CHANNELS_PROJECT: lambda r: "it is this channel's project",
    Why.ONLY_PROJECT: lambda r: "it is the only project",
    Why.NAMED_PROJECT: lambda r: "the request names it",
    Why.LIKELY_PROJECT: lambda r: "the request reads like it; say so if it is another one",
    Why.BUDGET_USED_UP: lambda r: f"the budget of {r.names[0]} is used up",
    Why.HANDED_OVER: lambda r: "handed over",
    Why.UNSURE_MODEL: lambda r: "the model was not sure",
    Why.READ_CHANGES: lambda r: "Read the changes",
    Why.ASKED: lambda r: "Asked a question and waits",
    Why.NOTHING_YET: lambda r: "Nothing yet",
    Why.STOPPED: lambda r: "A person stopped it",
    Why.GAVE_UP: lambda r: f"Gave up ({r.names[0].replace('_', ' ')})",
    Why.JOINS_NEXT: lambda r: "Its step gate, then the task's branch",
    Why.TRIES_NEXT: lambda r: "Another attempt, which heeds what was found",
    Why.PERSON_NEXT: lambda r: "A person decides",
    Why.ANSWER_NEXT: lambda r: "A person answers, and it goes on where it is",
    Why.RESUMES_NEXT: lambda r: "It goes on when the task is resumed",
    Why.REMOTE_NEXT: lambda r: "Remote checks are waited for",
    Why.GATE_NEXT: lambda r: "It is joined to the task's branch",
    Why.BY_HAND_NEXT: lambda r: "A person finishes it by hand",
    Why.SILENT_REVIEWER: lambda r: "no reviewer gave a verdict",
    Why.UNPROVEN_TESTS: lambda r: "its new tests pass without it, too",
    Why.UNTOLD_TESTS: lambda r: "the tests failed before as well, and do not say which",
    Why.CHANGED_TESTS: lambda r: "existing tests were changed",
    Why.NO_NEW_TEST: lambda r: "no new test",
    Why.QUIETED_TOOLS: lambda r: "comments tell tools to look away",
    Why.NO_SCRIPT: lambda r: "this is a rehearsal without a model, and I have no script for it",
    Why.SKILL_CHANGE: lambda r: "it changes what minions are told to do",
    Why.UNREAD: lambda r: "not all of it was read",
    Why.SECURITY_CONCERNS: lambda r: "a reviewer has security concerns",
}
