"""Commands in free words are said again as commands, by whoever said them: rights and confirmations are as always."""

from dataclasses import replace
from datetime import datetime

from agents.domain import events as e
from agents.domain.asking.names import Act
from agents.domain.ids import Account, PersonId, Thread, surface_of
from bot.messages import Said
from store.chat.deliveries import Received
from store.codec import Recorded, shape
from store.transaction import Transaction

READER = "commands"
BATCH = 400

WORDS: dict[Act, str] = {
    Act.STOP: "stop",
    Act.RESUME: "resume",
    Act.CANCEL: "cancel",
    Act.RETRY: "retry",
    Act.SNOOZE: "snooze",
    Act.APPROVE: "approve",
    Act.STATUS: "status",
    Act.WHY: "why",
    Act.COST: "cost",
    Act.TASKS: "tasks",
    Act.FOR_ME: "what needs me",
    Act.WHO_CAN_APPROVE: "who can approve",
    Act.PAUSE_QUEUE: "pause the queue",
    Act.RESUME_QUEUE: "resume the queue",
    Act.QUEUE_STATUS: "queue status",
    Act.HELP: "help",
}
OF_A_TASK = frozenset(
    {Act.STOP, Act.RESUME, Act.CANCEL, Act.RETRY, Act.SNOOZE, Act.APPROVE, Act.STATUS, Act.WHY, Act.COST}
)


def command_words(command: e.CommandMeant) -> str:
    """As a person would type it."""
    about = f" {command.about}" if command.about and command.act in OF_A_TASK else ""
    return f"{WORDS[command.act]}{about}"


def say_meant(tx: Transaction, at: datetime) -> int:
    """The cursor moves in the transaction that stores the deliveries, so a command is said once."""
    if not tx.log.read_up_to(READER):  # a database of an earlier version has none, and many other facts
        tx.log.mark_read(READER, tx.log.first_of(e.CommandMeant) - 1)
    unread = tx.log.unread(READER, BATCH)
    for recorded in unread:
        if isinstance(recorded.event, e.CommandMeant):
            tx.deliveries.keep(_received(_said(recorded, recorded.event, tx, at)))
    if unread:
        tx.log.mark_read(READER, unread[-1].seq)
    return len(unread)


def _said(recorded: Recorded, meant: e.CommandMeant, tx: Transaction, at: datetime) -> Said:
    key, task = f"meant:{meant.task}:{recorded.version}", tx.log.task(meant.task)
    words = command_words(meant)
    first = tx.deliveries.find(meant.delivery) if meant.delivery else None
    if first and first.kind == Said.__name__:
        said = shape(Said).validate_json(first.body)
        return replace(said, key=key, also="", message="", on="", text=words, mentions_bot=True, at=at)
    # what brought the words is not kept any more: without memberships, so with no right that hangs on one
    request = task.request
    return Said(
        key=key,
        thread=request.thread,
        channel=request.channel,
        message="",
        by=_account(meant.by, request.thread, tx),
        text=words,
        mentions_bot=True,
        direct=request.direct,
        at=at,
    )


def _account(person: PersonId, thread: Thread, tx: Transaction) -> Account:
    known = sorted(tx.people.get(person).accounts)
    here = [each for each in known if surface_of(each) == surface_of(thread)]
    return (*here, *known, Account(f"{surface_of(thread)}:"))[0]


def _received(said: Said) -> Received:
    return Received(
        key=said.key,
        also="",
        kind=Said.__name__,
        body=shape(Said).dump_json(said).decode(),
        account=said.by,
        channel=said.channel,
        thread=said.thread,
        at=said.at,
    )
