"""The commands that work with no model at all."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from agents.domain.decisions import pressing
from agents.domain.decisions.authority import QUEUE, Presser, check
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.pressing import Steer
from agents.domain.decisions.subject import PhaseAct
from agents.domain.errors import NoSuchTask, OverlordError
from agents.domain.hours import NoSuchHours, read_hours
from agents.domain.ids import PersonId, surface_of
from agents.domain.project.linking import Side
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import small_number
from bot.cards import replies
from bot.cards.personal.digest import NOT_HERE, NOT_HERE_STEP, hours_card
from bot.cards.replies import Page, QueueStatus
from bot.cards.scene import Bill
from bot.cards.status import cost_card, status_card, why_card
from bot.config.settings import Named
from bot.delivery.announcer import NO_HOUSE, House, redraw_status, reply, whisper, wish
from bot.intake.access import needs_of, read_waiting, sees
from bot.intake.conversation import PRIVATE, Command, Meaning, Verb, point_to_button
from bot.intake.linking import Linking
from bot.intake.naming import Namer
from bot.messages import Card, Said
from bot.permissions import Permissions
from store.chat.digests import Reader
from store.codec import Cause
from store.streams.log import Which
from store.transaction import Transaction

# Commands that change a task. Rights are checked inside, at this moment.
STEERS: dict[Verb, Steer] = {
    Verb.STOP: pressing.stop,
    Verb.RESUME: pressing.take("resume"),
    Verb.CANCEL: pressing.ask_to_cancel,
    Verb.BACKBURNER: pressing.backburner,
    Verb.RETRY: pressing.take("retry", "hint"),
    Verb.RESTART_PHASE: pressing.change_phase(PhaseAct.RESTART),
    Verb.REVERT_PHASE: pressing.change_phase(PhaseAct.REVERT),
    Verb.APPROVE: pressing.offer_approval,
    Verb.MUTE: pressing.mute(True),
    Verb.UNMUTE: pressing.mute(False),
}


def is_free(meaning: Meaning) -> bool:
    """Whoever wants work to stop, go on or be decided is heard at any time."""
    return isinstance(meaning, Command) and meaning.verb in (*STEERS, Verb.PAUSE_QUEUE, Verb.RESUME_QUEUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A command, who gave it, and the task of the thread it was given in."""

    command: Command
    said: Said
    speaker: Presser
    task: Task | None
    house: House = NO_HOUSE
    named: Named = field(default_factory=Named)


def obey(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> str:
    """Do what was asked, and say in a few words what was done."""
    verb = asked.command.verb
    if verb is Verb.ASIDE:
        return "an aside"
    if steer := STEERS.get(verb):
        task = tx.log.in_thread(_task(asked, tx, permissions).id)
        facts = steer(task, asked.speaker, asked.command.words, moment)
        cause = Cause(actor=asked.said.by, delivery=asked.said.key)
        tx.log.append(task.id, facts, cause)
        point_to_button(facts, asked.said, tx)
        if verb in (Verb.MUTE, Verb.UNMUTE):
            off_or_on = "off" if verb is Verb.MUTE else "on"
            answer(asked.said, replies.said_card(f"Reminders for {task.id} are {off_or_on}"), tx)
        return f"{verb} {task.id}"
    if card := ANSWERS[verb](asked, tx, permissions, moment):
        answer(asked.said, card, tx, private=verb in PRIVATE)
    return f"answered {verb}"


def answer(said: Said, card: Card, tx: Transaction, *, private: bool = False) -> None:
    """In the thread, or where nobody else reads it: what only the asker wants to know is noise to all others."""
    alone = private and not said.direct and surface_of(said.by) == surface_of(said.thread)
    (whisper if alone else reply)(said, card, tx, said.at)


def _task(asked: Asked, tx: Transaction, permissions: Permissions) -> Task:
    """The task that is named, or the thread's, or the only one the speaker has open."""
    if asked.command.task:
        task = tx.log.task(asked.command.task)
        if not sees(asked.speaker, task, tx, permissions):
            raise NoSuchTask(task.id)
        return task
    if asked.task:
        return asked.task
    notes = tx.threads.find(asked.said.thread)
    bound = tx.log.task(notes.task) if notes and notes.task else None  # if it is archived, this says so
    if bound and bound.state is not TaskState.WITHDRAWN:
        return bound
    speaker = asked.speaker
    mine = tx.log.tasks(ended=False, limit=6, which=Which(owners=speaker.known_as | {speaker.person}))
    if len(mine) == 1:
        return mine[0]
    which = ", ".join([*(t.id for t in mine[:5]), *("…" for _ in mine[5:])]) or "none is yours"
    raise OverlordError(
        f"Which task do you mean ({which})?", next_step=f"Say `{asked.command.verb} T-…` or say it in its thread."
    )


NOBODY = PersonId("")  # owns the queue

Answer = Callable[
    [Asked, Transaction, Permissions, Moment], Card | None
]  # None: it says what there is to say elsewhere


def _status(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card:
    if asked.task is None and asked.command.task is None:
        return _tasks(asked, tx, permissions, moment)
    task = _task(asked, tx, permissions)
    bill = Bill(spent=tx.calls.spent_on(task.id), budget=moment.budget)
    card = status_card(task, tx.people.name, bill, tx.jobs.current_pause())
    return Card(title=card.title, text=card.text, rows=card.rows, lines=card.lines, tone=card.tone)


def _tasks(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card:
    """What was asked for in a direct message is listed in one alone: others read what stands in a channel."""

    def is_listed(task: Task) -> bool:
        return not task.request.direct or (asked.said.direct and sees(asked.speaker, task, tx, permissions))

    found = [id for id, direct in tx.log.under_way() if not direct or is_listed(tx.log.task(id))]
    page = _page(asked, len(found))
    return replies.tasks_card([tx.log.task(id) for id in found[page.slice]], tx.people.name, page)


def _needs(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card:
    needs = needs_of(tx, asked.speaker, permissions, moment.at)
    here = [waiting for waiting in needs if asked.said.direct or not waiting.direct]
    page = _page(asked, len(here))
    return replies.needs_card(read_waiting(tx, here[page.slice]), page, len(needs) - len(here))


def _page(asked: Asked, total: int) -> Page:
    """`tasks 2` asks for the second page; the words of other commands name none."""
    said = asked.command.words if asked.command.verb in (Verb.TASKS, Verb.WHAT_NEEDS_ME) else ""
    of = Verb.WHAT_NEEDS_ME if asked.command.verb is Verb.WHAT_NEEDS_ME else Verb.TASKS
    page = Page(number=small_number(said) or 1, total=total, of=of)
    if page.number > page.last:
        raise OverlordError(
            f"There is no page {page.number} of that", next_step=f"Say `{of} {page.last}` for the last."
        )
    return page


def _hours(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card:
    """What one person sets for themselves; without a time or a word it only says what holds."""
    people, said = {asked.speaker.person, *asked.speaker.known_as}, asked.said
    known = tx.digests.of(people) or Reader(person=asked.speaker.person)
    try:
        hours = read_hours(asked.command.words, known.hours)
    except NoSuchHours as problem:
        step = "Write it as in `digest on 9:00 Europe/Vienna` or `quiet 18:00-8:00`."
        raise OverlordError(f"I do not know {problem}", next_step=step) from problem
    if hours == known.hours:
        return hours_card(hours, known.due)
    if hours.digest is not None and said.direct:
        known = replace(known, account=said.by, thread=said.thread, memberships=said.memberships)
    if hours.digest is not None and not known.thread:
        raise OverlordError(NOT_HERE, next_step=NOT_HERE_STEP)
    saved = tx.digests.save(replace(known, hours=hours), moment.at)
    return hours_card(saved.hours, saved.due)


def _cost(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card:
    task = _task(asked, tx, permissions)
    return cost_card(task, Bill(spent=tx.calls.spent_on(task.id), budget=moment.budget))


def _why(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card:
    return why_card(_task(asked, tx, permissions), tx.people.name)


def _queue(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card:
    return replies.queue_card(queue_status(tx))


def queue_status(tx: Transaction) -> QueueStatus:
    paused = tx.jobs.current_pause()
    return QueueStatus(
        paused_by=tx.people.name(paused.by) if paused else "",
        paused_at=paused.at if paused else None,
        waiting=tuple(tx.jobs.waiting_tasks()),
    )


def _pause_queue(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card | None:
    check(QUEUE, asked.speaker, NOBODY, moment.channel)
    if tx.jobs.pause(asked.speaker.person, asked.said.key, moment.at):
        _tell_of_queue(asked, tx, permissions, moment, paused=True)
    return _queue(asked, tx, permissions, moment)


def _resume_queue(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card | None:
    check(QUEUE, asked.speaker, NOBODY, moment.channel)
    if tx.jobs.resume():
        _tell_of_queue(asked, tx, permissions, moment, paused=False)
    return _queue(asked, tx, permissions, moment)


def _tell_of_queue(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment, *, paused: bool) -> None:
    """On the status card of every task in work, and in the threads of those that wait; where it is said it is seen."""
    by, waiting = tx.people.name(asked.speaker.person), tx.jobs.waiting_tasks()
    for id, _ in tx.log.under_way():
        task = tx.log.task(id)
        if not task.in_work:
            continue
        redraw_status(tx, task, permissions, moment.at, asked.house)
        key = f"queue:{id}"
        if task.request.thread != asked.said.thread and (id in waiting if paused else tx.posts.is_wanted(key)):
            card = replies.queue_news_card(task, by, paused=paused)
            tx.posts.want(wish(key, task.request.thread, card), moment.at)


def _link(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card | None:
    if not asked.said.direct:
        raise OverlordError("Linking accounts is done in private", next_step="Say `link` to me in a direct message.")
    linking, side = Linking(tx, permissions, moment.at), Side(account=asked.said.by, thread=asked.said.thread)
    if not asked.command.words:
        return linking.offer(side, moment.limits.link_code)
    linking.take(side, asked.command.words, moment.limits.link_code)
    return None


def _naming(asked: Asked, tx: Transaction, permissions: Permissions, moment: Moment) -> Card | None:
    namer = Namer(said=asked.said, speaker=asked.speaker, permissions=permissions, named=asked.named)
    return namer.obey(asked.command.words, tx)


ANSWERS: dict[Verb, Answer] = {
    Verb.HELP: lambda asked, tx, permissions, moment: replies.HELP,
    Verb.STATUS: _status,
    Verb.TASKS: _tasks,
    Verb.WHAT_NEEDS_ME: _needs,
    Verb.DIGEST: _hours,
    Verb.QUIET: _hours,
    Verb.COST: _cost,
    Verb.WHY: _why,
    Verb.WHO_CAN_APPROVE: lambda asked, tx, permissions, moment: replies.who_card(permissions.who_can_approve()),
    Verb.LINK: _link,
    Verb.QUEUE: _queue,
    Verb.PAUSE_QUEUE: _pause_queue,
    Verb.RESUME_QUEUE: _resume_queue,
    Verb.NAMING: _naming,
}
