"""What was asked for, by whom and where: one value from the delivery to the task."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.ids import PersonId, ProposalId, TaskId, Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The issue that somebody gave a label."""

    key: str  # of this labelling: the same issue labelled anew is a new request
    project: str
    number: int
    url: str
    by: str  # the author's login
    heard: bool  # whether its author may ask for work; if not, a person decides first


@dataclass(frozen=True, slots=True, kw_only=True)
class Mandate:
    """The proposal that a task carries out, and where that was made."""

    proposal: ProposalId
    title: str
    project: str
    task: TaskId
    thread: Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    text: str
    by: PersonId  # who owns the task
    thread: Thread
    channel: str  # "console:general": whose policy holds
    at: datetime
    hidden: int = 0  # characters that nobody sees, which were taken out of the text
    origin: Origin | None = None  # the issue it came from; None: it was said in chat
    direct: bool = False  # to the bot alone, so not everybody may see it
    mandate: Mandate | None = None  # the approved proposal that it carries out
