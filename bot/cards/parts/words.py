"""Words that several cards share: what a plan's level, an argument and a flow are called."""

from agents.domain.decisions.kind import Withdrawal
from agents.domain.planning.debate import Position
from agents.domain.planning.decomposition import Level

POSITION: dict[Position, str] = {Position.MAINTAIN: "keeps to it", Position.REVISE: "gives way"}

# What a reader of a plan should know of how it came about.
LEVEL: dict[Level, str] = {
    Level.PRIMARY: "",
    Level.SIMPLIFIED: (
        "simplified. The planner could not take in or finish the whole, so it was shown the request and the top of the "
        "project alone. Look twice at the files."
    ),
    Level.MINIMAL: (
        "No model could plan this. This is a one-step plan: the request as one subtask, with TODO where you "
        "know more than I do."
    ),
}

SHORT_LEVEL: dict[Level, str] = {
    Level.PRIMARY: "",
    Level.SIMPLIFIED: "simplified, from less than all there is",
    Level.MINIMAL: "a one-step plan",
}

# What a flow is doing, as people would say it.
FLOW: dict[str, str] = {
    "intake": "choosing the project",
    "decompose": "planning",
    "review": "the review of the plan",
    "debate": "the debate about the plan",
    "understand": "reading what was said",
    "begin_work": "beginning the work",
    "resume_work": "going on with the work",
    "work": "a minion's work",
    "evaluate": "judging the work",
    "integrate": "bringing the work together",
    "open_pull": "opening the pull request",
    "merge": "the merge",
    "keep_work": "keeping what there was",
    "publish_branch": "bringing the branch to you",
    "tidy": "tidying up",
}

# Why a question is no longer needed.
WITHDRAWN: dict[str, str] = {
    Withdrawal.SAID_SINCE: "something else was said since",
    Withdrawal.DECIDED: "what it was about is decided",
    Withdrawal.CHANGES: "changes were asked for",
    Withdrawal.CANCELLED: "the task was cancelled",
    Withdrawal.TAKEN_OVER: "somebody took it over",
    Withdrawal.BUDGET: "its budget is used up, and that is asked now",
    Withdrawal.CORRECTED: "the request was corrected",
    Withdrawal.EDITED: "the request was edited again",
    Withdrawal.STUCK: "its work got stuck, and that is asked now",
    Withdrawal.FAILED: "the task failed",
    Withdrawal.DONE: "the task is done",
    Withdrawal.SNOOZED: "the task was laid aside",
}
