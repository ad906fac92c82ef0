"""What follows from the reading of a message: below 0.7, or where nobody could read it, a person says what it is."""

from agents.domain import events as e
from agents.domain.asking.meaning import Message, Routed, command_of, in_words
from agents.domain.asking.names import Mistake, Route
from agents.domain.asking.turning import ask_about_code, settle_follow_up, turn_into_request
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Question
from agents.domain.decisions.subject import OfWords
from agents.domain.decisions.table import ask
from agents.domain.task.task import Task, TaskState


def needs_routing(task: Task) -> bool:
    """What was said in chat and is nothing yet. Issues and approved proposals ask for work by what they are."""
    fresh = task.state is TaskState.RECEIVED and not task.of_kind(Kind.ROUTE) and not task.of_kind(Kind.REROUTE)
    return fresh and task.request.origin is None and task.request.mandate is None


def after_route(task: Task, routed: Routed, moment: Moment) -> Facts:
    """Of a first message. A request for a change goes on as such; whatever it is taken for, a button turns it."""
    if not needs_routing(task):
        return []
    said = Message(by=task.request.by, text=task.request.text, delivery=task.request.delivery)
    if not routed.sure:
        return _ask_what_it_is(task, said, routed, moment)
    turns = ask(task, Question(kind=Kind.REROUTE), moment)
    match routed.route:
        case Route.CHANGE:
            return turns
        case Route.SKILL:
            return [want_skill(task, moment), *turns]
        case Route.QUESTION:
            return [*ask_about_code(task, said.by, said.text, moment), *turns]
        case Route.ABOUT_TASK | Route.STEER:
            command = command_of(task, said, routed, moment)
            return [*turns, command, _withdrawn(task, Mistake.COMMAND, moment, in_words(command))]
        case Route.REMARK | Route.NOTHING:
            return [*turns, _withdrawn(task, Mistake.TALK, moment)]


def after_follow_up(task: Task, said: Message, routed: Routed, moment: Moment) -> Facts:
    """Of something that was said in the thread of a question."""
    if not task.is_question:
        return []
    if not routed.sure:
        return _ask_what_it_is(task, said, routed, moment)
    match routed.route:
        case Route.QUESTION:
            return ask_about_code(task, said.by, said.text, moment)
        case Route.CHANGE:
            return turn_into_request(task, said.by, said.text, moment)
        case Route.SKILL:
            first, *others = turn_into_request(task, said.by, said.text, moment)
            return [first, want_skill(task, moment), *others]
        case Route.ABOUT_TASK | Route.STEER:
            return [command_of(task, said, routed, moment), *settle_follow_up(task, moment)]
        case Route.REMARK | Route.NOTHING:
            return settle_follow_up(task, moment)


def after_mandate(task: Task, moment: Moment) -> Facts:
    """Of an approved proposal: its type says whether a skill comes of it."""
    mandate = task.request.mandate
    return [want_skill(task, moment)] if mandate and mandate.skill and task.skill is None else []


def want_skill(task: Task, moment: Moment) -> e.SkillWanted:
    """Code says so: by a command, a reading that is sure, or the type of an approved proposal."""
    mandate = task.request.mandate
    revises = mandate.revises if mandate else ""
    return e.SkillWanted(task=task.id, at=moment.at, by=task.request.by, revises=revises)


def _withdrawn(task: Task, mistake: Mistake, moment: Moment, meant: str = "") -> e.TaskWithdrawn:
    return e.TaskWithdrawn(task=task.id, at=moment.at, by=None, mistake=mistake, meant=meant)


def _ask_what_it_is(task: Task, said: Message, routed: Routed, moment: Moment) -> Facts:
    if task.of_kind(Kind.ROUTE):
        return []
    why = (routed.unclear,) if routed.unclear else ()
    question = Question(kind=Kind.ROUTE, subject=OfWords(words=said.text), put_to=said.by, evidence=why)
    return ask(task, question, moment)
