"""Who is heard: whether a message is an instruction to the bot, or only talk near it."""

from collections.abc import Callable
from dataclasses import replace

from agents.domain.decisions.authority import Presser
from agents.domain.decisions.table import questions
from agents.domain.task.task import Task
from bot.messages import Said
from store.chat.threads import ThreadNotes


def is_instruction(
    said: Said, notes: ThreadNotes | None, task: Task | None, speaker: Presser, answers: Callable[[], bool]
) -> bool:
    """A mention or a direct message always; an untagged reply only from those who are part of the talk.

    `answers`: whether the words are an answer that the speaker may give.
    """
    if said.direct or said.mentions_bot:
        return True
    if task is None or notes is None or said.addresses_other:
        return False
    if any(speaker.is_(question.put_to) for question in questions(task)):
        return True  # a pending question takes an untagged reply from those it was put to
    part_of_it = speaker.is_(task.request.by) or said.by == notes.starter or said.by in notes.mentioners
    return not notes.elsewhere and (part_of_it or answers())


def after(said: Said, notes: ThreadNotes) -> ThreadNotes:
    """What the thread remembers once this was said."""
    if said.mentions_bot:
        return replace(notes, mentioners=notes.mentioners | {said.by}, elsewhere=False)
    return replace(notes, elsewhere=notes.elsewhere or said.addresses_other)
