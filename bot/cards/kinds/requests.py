"""Decisions about what was asked for, by whom and for which project."""

from dataclasses import replace

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kinds.task import CorrectionOption, IntakeOption, MeantOption, SecondOption
from agents.domain.decisions.subject import OfWords
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label, request_in_short
from bot.messages import Style


def _intake_text(task: Task, decision: Decision) -> str:
    origin = task.request.origin
    who = f"{origin.by}, who is not a member there, wrote on {origin.url}" if origin else "They wrote"
    return f"{who}:\n\n{cut(task.request.text, 1500)}\n\nNobody plans anything before you decide."


INTAKE = KindCard(
    kind=Kind.INTAKE,
    name="whether to take on a request from outside",
    title=lambda task, d: f"{task.id}: somebody outside asks for this. Accept it?",
    text=_intake_text,
    labels={
        IntakeOption.TAKE: Label("Accept", "Accepted", Style.PRIMARY),
        IntakeOption.CANCEL: replace(CANCEL_TASK, text="Decline", closed="Declined"),
    },
)


def _project_text(task: Task, decision: Decision) -> str:
    return f"“{request_in_short(task)}” could be about several projects. Press one, or reply with its name."


# The options are the projects there are.
PROJECT = KindCard(
    kind=Kind.PROJECT,
    name="which project it is for",
    title=lambda task, d: f"{task.id}: which project is this for?",
    text=_project_text,
)


def _correction_text(task: Task, decision: Decision) -> str:
    kept = "The plan, the work and the checks keep to what was approved, unless you ask for a change."
    return f"It now says: “{cut(decision.question, 1500)}”. {kept}"


CORRECTION = KindCard(
    kind=Kind.CORRECTION,
    name="an edit of the request after its approval",
    title=lambda task, d: f"{task.id}: the request was edited after the plan was approved",
    text=_correction_text,
    labels={
        CorrectionOption.CHANGE: Label("Ask for this change", "Change asked for"),
        CorrectionOption.KEEP: Label("Keep what was approved", "Kept as it was approved"),
    },
)


def _meant_title(task: Task, decision: Decision) -> str:
    what = "which of these do your words answer?" if len(decision.options) > 2 else "one press to confirm"
    return f"{task.id}: {what}"


def _meant_text(task: Task, decision: Decision) -> str:
    words = decision.subject.words if isinstance(decision.subject, OfWords) else ""
    return f"You wrote: “{words}”. It is kept; nothing follows until you press."


# Which open question some words answer: every option but the last is an answer to another decision.
MEANT = KindCard(
    kind=Kind.MEANT,
    name="what some words answer",
    title=_meant_title,
    text=_meant_text,
    labels={MeantOption.REMARK: Label("Just a remark", "Kept as a remark")},
)


def _second_text(task: Task, decision: Decision) -> str:
    return f"You wrote: “{decision.question}”. I kept it as a remark here; a new task gets a thread of its own."


def _remark_label(decision: Decision, option: Option) -> Label:
    """Earlier versions stored the label."""
    return Label(option.label or f"Remark on {decision.task}", "Kept as a remark")


# Words in the thread of somebody else's task.
SECOND = KindCard(
    kind=Kind.SECOND,
    name="whether it is a task of its own",
    title=lambda task, d: f"New task, or a remark on {task.id}?",
    text=_second_text,
    labels={SecondOption.TASK: Label("New task", "New task begun")},
    other=_remark_label,
)
