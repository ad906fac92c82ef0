"""A minion needs to write more than the plan names. The evidence is the paths."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.checks.scope import widen
from agents.domain.decisions.authority import APPROVAL, Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, assents, same_option
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.dispatching import about_run, waiting_run


class ScopeOption(StrEnum):
    ALLOW = "allow"
    REFUSE = "refuse"


def apply_scope(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    work, paths = waiting_run(task, subject), chosen.decision.plain_evidence
    if work is None:
        return []
    granted = chosen.option.value == ScopeOption.ALLOW
    scope = widen(work.scope, paths) if granted else work.scope
    answer = (
        f"You may now write these too: {', '.join(paths)}"
        if granted
        else f"No, stay within what you may write. {chosen.words}".strip()
    )
    return [e.ScopeSettled(**about_run(task, work, moment.at), scope=scope, answer=answer, by=chosen.person)]


def read_scope(decision: Decision, text: str) -> Option | None:
    return same_option(decision, ScopeOption.ALLOW if assents(text) else ScopeOption.REFUSE)


SCOPE = DecisionKind(
    name=Kind.SCOPE,
    subject=OfRun,
    rule=APPROVAL,
    apply=apply_scope,
    options=ScopeOption,
    approves=frozenset({ScopeOption.ALLOW}),
    needs_words=frozenset({ScopeOption.REFUSE}),
    reads=read_scope,
)
