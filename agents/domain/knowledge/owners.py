"""Who writes which part of what is known of a project, and a change that one of them wants.

It knows nothing else: what is decided on, and every fact that tells of it, stands above.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class Folder(StrEnum):
    """The folders beneath `docs/knowledge/`. Each has one owner."""

    CONVENTIONS = "conventions"
    DESIGN = "design"
    LESSONS = "lessons"
    DOMAIN = "domain"


class Supervisor(StrEnum):
    """Who looks across finished work."""

    CODE_STYLE = "code_style"
    DESIGN = "design"
    INTERNALISER = "internaliser"


OWNER: dict[Folder, Supervisor] = {
    Folder.CONVENTIONS: Supervisor.CODE_STYLE,
    Folder.DESIGN: Supervisor.DESIGN,
    Folder.LESSONS: Supervisor.INTERNALISER,
    Folder.DOMAIN: Supervisor.INTERNALISER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteChange:
    """What a supervisor wants a note to say from now on. Nothing of it is in force before a person's merge."""

    folder: Folder
    slug: str  # the name of the file, without `.md`
    title: str
    rules: tuple[str, ...]  # what to do, one a line
    good: str = ""
    bad: str = ""
    rationale: str = ""
    what: str = ""  # that changed, in a few words, for the note's history
    confidence: str = "medium"  # a planning Confidence
    needs_user_review: bool = False  # inert until a person confirms it
    deprecates: bool = False  # the note no longer applies; its text stays to be read
    by: Supervisor
    task: str  # after which it was written

    @property
    def name(self) -> str:
        return f"{self.folder}/{self.slug}"

    @property
    def id(self) -> str:
        """Of the same change after the same task it is the same, however often it is made."""
        said = (self.task, self.by, self.name, self.title, *self.rules, self.good, self.bad, self.rationale)
        return hashlib.sha256("\x1f".join((*said, str(self.deprecates))).encode()).hexdigest()[:22]


class Move(StrEnum):
    """What a change does to a note."""

    ADDED = "added"
    CHANGED = "changed"
    ESTABLISHED = "established"  # it says what it said, and a person stands by it now
    DEPRECATED = "deprecated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A change of a note as a commit has it."""

    change: NoteChange
    move: Move
    established: bool = False  # a person confirmed it
    before: tuple[str, ...] = ()  # the rules as they were


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """That an entitled person said so. Without it nothing is written as established."""

    decision: str  # its id
    by: str  # who made it
