"""A job that failed for good."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.task.stuck import StuckOption
from agents.domain.decisions.subject import OfJob
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, OUTLINE, KindCard, Label, show_request
from bot.messages import Style

# What a flow is doing, as people would say it.
FLOW: dict[str, str] = {
    "intake": "reading the message",
    "follow_up": "reading what was said",
    "answer": "answering the question",
    "decompose": "planning",
    "check_edit": "checking an edit of the plan",
    "draft_skill": "drafting the skill",
    "check_skill": "checking an edit of the skill",
    "review": "the review of the plan",
    "debate": "the debate about the plan",
    "understand": "reading what was said",
    "prepare_ground": "setting the project up",
    "begin_work": "beginning the work",
    "resume_work": "going on with the work",
    "work": "a minion's work",
    "evaluate": "checking the work",
    "run_step": "checking the work",
    "await_checks": "reading the remote checks",
    "integrate": "bringing the work together",
    "open_pull": "opening the pull request",
    "ask_merge": "asking for the merge",
    "merge": "the merge",
    "revert_phase": "taking a phase back",
    "keep_work": "keeping what there was",
    "publish_branch": "bringing the branch to you",
    "tidy": "tidying up",
    "go_on_without": "waiting for the supervisors",
    "replan": "planning what remains",
    "address": "reading what supervisors ask for",
}


def _text(task: Task, decision: Decision) -> str:
    flow = decision.subject.flow if isinstance(decision.subject, OfJob) else ""
    if any(option.value == StuckOption.LESS for option in decision.options):
        return (
            f"Planning needs more room than its model has, also with the least to read. {show_request(task, decision)}"
        )
    failed = f"{FLOW.get(flow, flow).capitalize()} could not be finished, and I stopped trying."
    return f"{failed} {show_request(task, decision)}"


CARD = KindCard(
    kind=Kind.STUCK,
    name="work that got stuck",
    title=lambda task, d: f"{task.id} got stuck",
    text=_text,
    labels={
        StuckOption.RETRY: Label("Retry step", "Retried", Style.PRIMARY),
        StuckOption.LESS: Label(
            "Ask for less",
            "Asked for less",
            asks="What should be done first, in a sentence or two? It takes the place of the request.",
        ),
        StuckOption.OUTLINE: OUTLINE,
        StuckOption.CANCEL: CANCEL_TASK,
    },
    at_work="Got stuck: it needs you",
    trouble=True,
)
