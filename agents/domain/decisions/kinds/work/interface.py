"""A minion needs to change an interface after it was locked. The evidence is the paths; all other subtasks are told."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.scope import widen
from agents.domain.decisions.authority import APPROVAL, Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, assents, same_option
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, waiting_run


class InterfaceOption(StrEnum):
    CHANGE = "change"
    KEEP = "keep"


def apply_interface(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    work, paths = waiting_run(task, subject), chosen.decision.plain_evidence
    if work is None:
        return []
    granted = chosen.option.value == InterfaceOption.CHANGE
    answer = (
        f"You may change these interfaces: {', '.join(paths)}. The others are told."
        if granted
        else f"No, the interfaces stay as they are. {chosen.words}".strip()
    )
    opened, scope = (paths, widen(work.scope, paths)) if granted else ((), work.scope)
    return [
        e.ScopeSettled(
            **about_run(task, work, moment.at), scope=scope, answer=answer, by=chosen.person, opened=tuple(opened)
        )
    ]


def read_interface(decision: Decision, text: str) -> Option | None:
    return same_option(decision, InterfaceOption.CHANGE if assents(text) else InterfaceOption.KEEP)


INTERFACE = DecisionKind(
    name=Kind.INTERFACE,
    subject=OfRun,
    rule=APPROVAL,
    apply=apply_interface,
    options=InterfaceOption,
    approves=frozenset({InterfaceOption.CHANGE}),
    needs_words=frozenset({InterfaceOption.KEEP}),
    reads=read_interface,
)
