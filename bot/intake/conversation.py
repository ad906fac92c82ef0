"""What a sentence means. First a grammar that needs no model; what it does not know is a request or an answer."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from agents.domain.ids import TaskId


class Verb(StrEnum):
    HELP = "help"
    STATUS = "status"
    TASKS = "tasks"
    STOP = "stop"
    RESUME = "resume"
    CANCEL = "cancel"
    BACKBURNER = "backburner"
    RETRY = "retry"
    APPROVE = "approve"
    COST = "cost"
    WHY = "why"
    WHO_CAN_APPROVE = "who can approve"
    WHAT_NEEDS_ME = "what needs me"
    MUTE = "mute"
    UNMUTE = "unmute"
    ASIDE = "aside"
    LINK = "link"


# What is answered to the asker alone.
PRIVATE = frozenset({Verb.HELP, Verb.STATUS, Verb.TASKS, Verb.WHAT_NEEDS_ME})


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    verb: Verb
    task: TaskId | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Anything else: a request where no task lives yet, an answer or a remark where one does."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallTalk(Words):
    """No request, wherever it is said; in a task's thread it may still be an answer."""

    greets: bool  # wants a word in return


Meaning = Command | Words

_TASK = r"(?:\s+(?:it|this|(?:the |this )?task))?(?:\s+(?P<task>T-\d+))?"
_PAGE = r"(?:\s+(?:page\s+)?(?P<words>[0-9]{1,6}))?"
_REASON = r"(?:\s*(?:[:,;–—-]|\bbecause\b)\s*(?P<words>.+))?"

# A command is the whole message, so that "stop the server from crashing" stays a request.
_GRAMMAR: tuple[tuple[Verb, str], ...] = (
    (Verb.HELP, r"help|\?|what can you do\??"),
    (Verb.STATUS, rf"(?:status|how is it going|what(?: i|')s happening)(?:\s+of)?{_TASK}\??"),
    (Verb.TASKS, rf"(?:tasks|list(?: tasks)?|queue){_PAGE}"),
    (Verb.STOP, rf"(?:stop|pause|halt|🛑){_TASK}"),
    (Verb.RESUME, rf"(?:resume|continue|go on|bring back){_TASK}"),
    (Verb.CANCEL, rf"(?:cancel|abort|drop){_TASK}{_REASON}"),
    (Verb.BACKBURNER, rf"(?:snooze|backburner|later|not now){_TASK}"),
    (Verb.RETRY, rf"(?:retry|try again){_TASK}"),
    (Verb.APPROVE, rf"(?:approved?|lgtm|ship it){_TASK}"),
    (Verb.COST, rf"(?:cost|costs|what did it cost){_TASK}\??"),
    (Verb.WHY, rf"(?:why(?: is that)?){_TASK}\??"),
    (Verb.WHO_CAN_APPROVE, r"who (?:can|may) approve(?: this)?"),
    (Verb.WHAT_NEEDS_ME, rf"(?:what needs me|needs me|for (?:you|me)|inbox)\??{_PAGE}"),
    (Verb.MUTE, rf"mute{_TASK}"),
    (Verb.UNMUTE, rf"unmute{_TASK}"),
    (Verb.ASIDE, r"aside\b[\s:,]*(?P<words>.*)"),
    (Verb.LINK, r"link(?:\s+(?P<words>[A-Za-z0-9-]{6,20}))?"),
)

# Deterministic on purpose: a thank-you must never open a task, with or without a model. Whole messages only.
_TO_YOU = r"(?:[\s,]+(?:overlord|bot|all|everyone|everybody|there|folks|team|you|so much|a lot|very much|again))*"
_GREETS = rf"(?:hi+|hey+|hello+|hallo|yo|good (?:morning|afternoon|evening|day)|how are you|who are you|👋){_TO_YOU}"
_THANKS = (
    rf"(?:thanks?|thank you|thx|ty|cheers|danke|merci|great|nice|cool|perfect|awesome|well done|good (?:job|work|bot)|"
    rf"ok(?:ay)?|k|fine|sure|got it|i see|all right|alright|bye|good ?(?:bye|night)|see you|never ?mind|sorry|lol|haha+"
    rf"|[^\w\s]+){_TO_YOU}"
)


def understand(text: str) -> Meaning:
    """Read a message that is meant for the bot."""
    said = text.strip().strip("`").rstrip(".!").strip()
    for verb, pattern in _GRAMMAR:
        if match := _whole(pattern).fullmatch(said):
            parts = match.groupdict()
            task = parts.get("task")
            return Command(
                verb=verb, task=TaskId(task.upper()) if task else None, words=(parts.get("words") or "").strip()
            )
    plain, whole = said.rstrip("?, "), text.strip()
    greets = bool(_whole(_GREETS).fullmatch(plain))
    if whole and (not plain or greets or _whole(_THANKS).fullmatch(plain)):
        return SmallTalk(text=whole, greets=greets)
    return Words(text=whole)


@cache
def _whole(pattern: str) -> re.Pattern[str]:
    """Made when somebody first speaks: nobody does while the program starts."""
    return re.compile(rf"(?:{pattern})", re.IGNORECASE | re.DOTALL)


def is_private(text: str) -> bool:
    """Whether only the asker wants to know: help, and how things stand."""
    meaning = understand(text)
    return meaning.verb in PRIVATE if isinstance(meaning, Command) else not meaning.text
