"""Facts of a task as a whole: what was asked for, how people steer it, and which of its jobs got stuck."""

from dataclasses import dataclass
from datetime import datetime

from agents.domain.asking.names import Route
from agents.domain.fact import Event, Measured
from agents.domain.ids import PersonId, ProposalId, TaskId, Thread
from agents.domain.planning.decomposition import Decomposition
from agents.domain.reason import Cause


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
    skill: bool = False  # what was approved is to become a skill
    revises: str = ""  # the skill that is to be better; empty: a new one


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
    workflow: str = ""  # that was chosen with it, in words; the text does not say it any more
    role: str = ""  # that was chosen with it, in the same way
    delivery: str = ""  # that brought it
    wants: Route | None = None  # what it is, where whoever asks says so
    follows: TaskId | None = None  # the ended task in whose thread it was said
    plan: Decomposition | None = None  # that a feature file brought along, for the first version
    file: str = ""  # that file, as it was written

    @property
    def whole(self) -> str:
        """As whoever plans and argues about it is shown it."""
        return f"{self.text}\n\n{self.file}" if self.file else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequested(Event):
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpOpened(Event):
    """After the end somebody asked for more in the thread: another task that knows this one."""

    by: PersonId
    follow_up: TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestVouched(Event):
    """Somebody outside asked, and a person takes it on."""

    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChosen(Event):
    project: str  # empty: none is configured
    by: PersonId | None  # None: a rule chose it, and `why` says which
    why: Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class RemarkMade(Event):
    """Someone who is heard said something that answers no open question."""

    by: PersonId
    text: str
    entitled: bool = False  # the owner or an approver said it: minions at work are told
    urgent: bool = False  # the bot was mentioned: it does not wait for a minion's next turn
    asks: bool = False  # somebody else said it to the bot: it may ask for a task of its own
    talk: bool = False  # a greeting or a thank-you: nothing is asked for
    delivery: str = ""  # that brought it


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCorrected(Event):
    """The request's author edited the message."""

    by: PersonId
    request: str
    hidden: int = 0
    workflow: str = ""  # that it chooses now
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEdited(Event):
    """The request's author edited the message after the plan was approved: what was decided stays as it was."""

    by: PersonId
    request: str
    hidden: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WishWeighed(Measured):
    """What somebody said while minions worked was compared with the accepted plan."""

    wish: int
    contradicts: str = ""  # what of the plan; empty: nothing that was found
    unclear: Cause = ""  # why nobody could tell


@dataclass(frozen=True, slots=True, kw_only=True)
class WishSettled(Event):
    """A person chose between a wish and the plan that it contradicts."""

    wish: int
    by: PersonId
    first: bool  # the wish goes before the plan; else the plan stays


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskStopped(Event):
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResumed(Event):
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskBackburnered(Event):
    by: PersonId


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCancelled(Event):
    by: PersonId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMuted(Event):
    by: PersonId
    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobParked(Measured):
    """A job was given up after its recoveries were used up."""

    job: str
    flow: str
    problem: str
    kept: str
    overflow: bool = False  # what it would ask is longer than its model takes


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRetried(Event):
    """A person asked for a parked job to be run again."""

    by: PersonId
    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsRemoved(Event):
    """What this person had said, at their request. The facts that held it stay."""

    person: PersonId
    texts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAskedAbout(Event):
    """Someone asked how it stands; the answer is made from facts."""

    by: PersonId
    about: str  # status, why or cost; which_command where a command was meant, and not which one is known
    words: str = ""  # of a remark that surely asks this and nothing else
