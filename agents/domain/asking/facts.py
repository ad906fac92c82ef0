"""Facts of a conversation: what its words are taken for, what was asked about the code, and what was answered."""

from dataclasses import dataclass, replace

from agents.domain.asking.names import Act, Mistake
from agents.domain.fact import Event, Fold, Measured
from agents.domain.ids import PersonId, TaskId

MOST_KEPT = 6  # questions that a task remembers whole; all of them are in the log


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A place in the code that an answer rests on. It was looked up: it is there."""

    path: str
    line: int = 0  # 0: the whole file
    last: int = 0  # 0: that line alone


def place_name(task: TaskId, number: int, place: int) -> str:
    """What is kept of a place under: the lines around it, as they were when the question was answered."""
    return f"{task}.answer-{number}-{place}.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """One question about the code, and its answer once there is one."""

    number: int
    by: PersonId
    text: str
    answer: str = ""
    evidence: tuple[Evidence, ...] = ()
    invented: int = 0  # places that the answer named and that are not there
    commit: str = ""  # that it is about
    web: str = ""  # where the forge shows the files of that commit; empty: nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkState:
    """What of a task is talk: the last questions about the code."""

    inquiries: tuple[Inquiry, ...] = ()
    mistake: Mistake | None = None
    meant: str = ""  # the command that it was, where it was one

    @property
    def last_number(self) -> int:
        return self.inquiries[-1].number if self.inquiries else 0

    @property
    def open_inquiries(self) -> tuple[Inquiry, ...]:
        return tuple(each for each in self.inquiries if not each.answer)

    def on(self, number: int) -> Inquiry | None:
        return next((each for each in self.inquiries if each.number == number), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeWanted(Event):
    """What was taken for something else asks for a change: it goes on as a request."""

    by: PersonId
    request: str = ""  # in other words; empty: as it stands


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWanted(Event):
    """The request is a question about the code: no plan, no branch, no approval."""

    number: int
    by: PersonId  # who asks
    text: str
    chosen_by: PersonId | None = None  # who said that it is one; None: a model took it for one


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Event):
    """A further question about the code, in the thread of a question or beside other work."""

    number: int
    by: PersonId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAnswered(Measured):
    number: int
    answer: str
    evidence: tuple[Evidence, ...] = ()
    invented: int = 0
    commit: str = ""
    web: str = ""
    turns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpSaid(Event):
    """Something was said in the thread of a question; what it is, is not known yet."""

    by: PersonId
    text: str
    delivery: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpSettled(Event):
    """What was said there asks for nothing more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandMeant(Event):
    """Free words were a command. It is carried out as if it had been typed, with the rights of whoever said it."""

    by: PersonId
    act: Act
    about: TaskId | None = None  # None: the thread's task, or the only one that can be meant
    words: str = ""
    delivery: str = ""  # that brought the words


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWithdrawn(Event):
    """It was no request. It leaves the lists; the log keeps it."""

    by: PersonId | None  # None: a model took the words for something else
    mistake: Mistake
    meant: str = ""  # the command that it was, where it was one


fold = Fold[TalkState]()


@fold.on(AnswerWanted)
def _(state: TalkState, fact: AnswerWanted) -> TalkState:
    return _ask(replace(state, mistake=None, meant=""), Inquiry(number=fact.number, by=fact.by, text=fact.text))


@fold.on(QuestionAsked)
def _(state: TalkState, fact: QuestionAsked) -> TalkState:
    return _ask(state, Inquiry(number=fact.number, by=fact.by, text=fact.text))


@fold.on(QuestionAnswered)
def _(state: TalkState, fact: QuestionAnswered) -> TalkState:
    def with_answer(each: Inquiry) -> Inquiry:
        if each.number != fact.number:
            return each
        places = fact.evidence
        found = replace(each, answer=fact.answer, evidence=places, invented=fact.invented)
        return replace(found, commit=fact.commit, web=fact.web)

    return replace(state, inquiries=tuple(map(with_answer, state.inquiries)))


@fold.on(ChangeWanted)
def _(state: TalkState, fact: ChangeWanted) -> TalkState:
    """What is not answered yet is not waited for any more."""
    answered = tuple(each for each in state.inquiries if each.answer)
    return replace(state, inquiries=answered, mistake=None, meant="")


@fold.on(TaskWithdrawn)
def _(state: TalkState, fact: TaskWithdrawn) -> TalkState:
    return replace(state, mistake=fact.mistake, meant=fact.meant)


def _ask(state: TalkState, asked: Inquiry) -> TalkState:
    return replace(state, inquiries=(*state.inquiries, asked)[-MOST_KEPT:])
