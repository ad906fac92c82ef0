"""The plan names no files for a subtask: what may it write? The evidence is what we suggest.

Everything is an explicit choice of a person.
"""

from enum import StrEnum

from agents.domain.checks.scope import Scope, ScopeMode, paths_in, paths_within, widen
from agents.domain.decisions.authority import APPROVAL, Kind
from agents.domain.decisions.decision import Decision, Option
from agents.domain.decisions.kind import Chosen, DecisionKind, Facts, Moment, assents, same_option
from agents.domain.decisions.subject import OfSubtask
from agents.domain.task.task import Task
from agents.domain.work.dispatching import start
from agents.domain.work.work import SubtaskState


class StartScopeOption(StrEnum):
    ALLOW = "allow"
    UNRESTRICTED = "unrestricted"
    PATHS = "paths"


ANY_APPROVAL = Option(value="", approves=True)  # they say yes to something, and the buttons say to what


def apply_start_scope(task: Task, subject: OfSubtask, chosen: Chosen, moment: Moment) -> Facts:
    work = task.work.on(subject.subtask) if task.in_work else None
    if work is None or work.state is not SubtaskState.PENDING or work.queued:
        return []
    match chosen.option.value:
        case StartScopeOption.UNRESTRICTED:
            allowed = Scope(mode=ScopeMode.UNRESTRICTED)
        case StartScopeOption.PATHS:
            allowed = widen(Scope(mode=ScopeMode.EXPLICIT), paths_in(chosen.words))
        case _:
            allowed = Scope(mode=ScopeMode.DIRECTORY, patterns=chosen.decision.plain_evidence)
    return [start(task, work, allowed, moment.at)]


def read_start_scope(decision: Decision, text: str) -> Option | None:
    """A yes, or paths that are named instead: a person must press before either holds."""
    if assents(text):
        return same_option(decision, StartScopeOption.ALLOW)
    return same_option(decision, StartScopeOption.PATHS) if paths_within(text) else ANY_APPROVAL


START_SCOPE = DecisionKind(
    name=Kind.START_SCOPE,
    subject=OfSubtask,
    rule=APPROVAL,
    apply=apply_start_scope,
    options=StartScopeOption,
    approves=frozenset(StartScopeOption),
    needs_words=frozenset({StartScopeOption.PATHS}),
    reads=read_start_scope,
)
