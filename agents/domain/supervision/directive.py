"""What a supervisor asks for: a typed directive, the order in which directives are heeded, and which ones lapse."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from agents.domain.ids import TaskId, derive_id, fingerprint
from agents.domain.knowledge.owners import Supervisor
from agents.domain.planning.work_kind import WorkKind

WORDS = 200  # characters of a description, and of a rationale
MOST_FILES = 10


class DirectiveType(StrEnum):
    FUNCTIONAL = "functional"  # the approach must change
    CLEANUP = "cleanup"  # the code should agree with itself; it waits for the polishing phase


class Priority(StrEnum):
    CRITICAL = "critical"  # to go on would do harm
    NORMAL = "normal"
    LOW = "low"


class Became(StrEnum):
    """How a directive ended. One that lapses, by its age or for want of room, leaves no fact."""

    SUBTASK = "subtask"  # of the same task
    TASK = "task"  # of its own
    HANDLED = "handled"  # it is done already, and code or a person says how
    DISMISSED = "dismissed"


_NO_WORDS = re.compile(r"[\W_\d]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    id: str
    type: DirectiveType
    source: Supervisor
    description: str
    rationale: str = ""
    priority: Priority = Priority.NORMAL
    files: tuple[str, ...] = ()
    task: TaskId  # after whose work it was asked for

    @property
    def likeness(self) -> str:
        """The same for two that say the same of the same files."""
        return fingerprint(self.type, *sorted(self.files), _NO_WORDS.sub(" ", self.description.casefold()).strip())

    @property
    def is_cleanup(self) -> bool:
        return self.type is DirectiveType.CLEANUP

    @property
    def is_critical(self) -> bool:
        return self.priority is Priority.CRITICAL and not self.is_cleanup

    @property
    def kind(self) -> WorkKind:
        """Of the subtask that it becomes. What it is, code says; a cleanup changes no behaviour."""
        return WorkKind.REFACTOR if self.is_cleanup else WorkKind.FIX


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A directive that nobody has dealt with. `since`: how many subtasks of its project were finished by then."""

    directive: Directive
    since: int


_FIRST = [*Priority]


def in_order(directives: Iterable[Directive]) -> tuple[Directive, ...]:
    """What must be done first comes first: functional before cleanup, then by priority. No model has a say in it."""
    return tuple(sorted(directives, key=lambda each: (each.is_cleanup, _FIRST.index(each.priority))))


def directive_id(call: str, source: Supervisor, likeness: str) -> str:
    """The same call gives the same ids, however often its answer is read."""
    return derive_id("directive", call, source, likeness)


def add(pending: tuple[Pending, ...], new: Iterable[Directive], *, finished: int, cap: int) -> tuple[Pending, ...]:
    """With new ones, but none that says what another says already. The oldest cleanups make room."""
    known = {each.directive.likeness for each in pending}
    fresh = list[Pending]()
    for directive in new:
        if directive.likeness not in known:
            known.add(directive.likeness)
            fresh.append(Pending(directive=directive, since=finished))
    every = (*pending, *fresh)
    too_many = sum(each.directive.is_cleanup for each in every) - cap
    lapsed = [each for each in every if each.directive.is_cleanup][: max(0, too_many)]
    return tuple(each for each in every if each not in lapsed)


def age(pending: tuple[Pending, ...], *, finished: int, most: int) -> tuple[Pending, ...]:
    """Without cleanups that nobody picked up for so many finished subtasks."""
    return tuple(each for each in pending if not (each.directive.is_cleanup and finished - each.since > most))
