"""A minion needs to write more than the plan names. The evidence is the paths."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.assent import assents
from agents.domain.decisions.authority import APPROVERS, Kind, Requester, Rule
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, same_option
from agents.domain.decisions.subject import OfRun
from agents.domain.task.task import Task
from agents.domain.work.runs import about_run, waiting_run
from agents.domain.work.scope import widen

GROWTH = Rule(who=APPROVERS, requester=Requester.UNLESS_CHANNEL_FORBIDS)


class ScopeOption(StrEnum):
    ALLOW = "allow"
    REFUSE = "refuse"


def apply(task: Task, subject: OfRun, chosen: Chosen, moment: Moment) -> Facts:
    work, paths = waiting_run(task, subject), chosen.decision.evidence
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


def reads(decision: Decision, text: str) -> Option | None:
    return same_option(decision, ScopeOption.ALLOW if assents(text) else ScopeOption.REFUSE)


SCOPE = DecisionKind(
    name=Kind.SCOPE,
    subject=OfRun,
    rule=GROWTH,
    apply=apply,
    options=ScopeOption,
    approves=frozenset({ScopeOption.ALLOW}),
    needs_words=frozenset({ScopeOption.REFUSE}),
    reads=reads,
)
