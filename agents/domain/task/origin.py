"""Where a request came from, if not from chat: an issue that somebody gave a label, or an approved proposal."""

from dataclasses import dataclass

from agents.domain.ids import ProposalId, TaskId, Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
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
