"""What one person may do at this moment: be heard, ask, see and decide; and who may decide where they may not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

from agents.domain.decisions.authority import Group, NotYours, Presser, deciding_groups, may
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.table import RULES, questions, rule_name
from agents.domain.errors import OverlordError
from agents.domain.ids import Account, DecisionId, PersonId, surface_of
from agents.domain.limits import Limits
from agents.domain.task.task import Task
from agents.domain.task.view import may_see
from bot.cards.decisions import put_into_words
from bot.cards.kinds.kind_card import nobody_may
from bot.config.accounts import MEMBERSHIPS
from bot.messages import Said
from bot.permissions import Permissions
from store.chat.threads import ThreadNotes
from store.streams.ledger import Right, Waiting
from store.transaction import Transaction

NAMED = 5  # people, at most, in one refusal
MANY = 5_000  # names after which those that have asked for nothing lately are forgotten


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


def note_words(said: Said, notes: ThreadNotes) -> ThreadNotes:
    """What the thread remembers once this was said."""
    if said.mentions_bot:
        return replace(notes, mentioners=notes.mentioners | {said.by}, elsewhere=False)
    return replace(notes, elsewhere=notes.elsewhere or said.addresses_other)


def sees(viewer: Presser, task: Task, tx: Transaction, permissions: Permissions) -> bool:
    """By the rights they have at this moment. Only a direct message is looked at twice."""
    if not task.request.direct:
        return True
    return may_see(task, viewer, permissions.channel(task.request.channel), tx.ledger.of_task(task.id))


def count_needs(tx: Transaction, speaker: Presser, permissions: Permissions, at: datetime) -> int:
    """How many open decisions are in this person's list. No decision and no task is read for it."""
    all = sum(count for right, count in tx.ledger.count_waiting() if _has(right, speaker, permissions))
    later = tx.ledger.rights_to(_put_off(tx, speaker, at))
    return all - sum(_has(right, speaker, permissions) for right in later)


def needs_of(tx: Transaction, speaker: Presser, permissions: Permissions, at: datetime) -> list[Waiting]:
    """This person's list: what they may decide now, but for what they put off."""
    later = _put_off(tx, speaker, at)
    return [waiting for waiting in waiting_for(tx, speaker, permissions) if waiting.id not in later]


def _put_off(tx: Transaction, speaker: Presser, at: datetime) -> set[DecisionId]:
    return tx.put_off.of({speaker.person, *speaker.known_as}, at)


def waiting_for(tx: Transaction, speaker: Presser, permissions: Permissions) -> list[Waiting]:
    """Open decisions this person may make now, oldest first."""

    @cache
    def has(right: Right) -> bool:
        return _has(right, speaker, permissions)

    return [waiting for waiting in tx.ledger.waiting() if has(waiting.right)]


def waiting_in_task(tx: Transaction, task: Task, speaker: Presser, permissions: Permissions) -> list[Decision]:
    """Those of one task, oldest first."""

    def right(decision: Decision) -> Right:
        return Right(rule_name(decision), decision.put_to, task.request.by, task.request.channel)

    return [each for each in tx.ledger.questions_of(task.id) if _has(right(each), speaker, permissions)]


def search_waiting(tx: Transaction, waiting: Sequence[Waiting], words: str) -> list[Waiting]:
    """Those whose task, kind or question has each of these words in it, or whose id begins so."""
    parts = words.casefold().split()
    if not parts:
        return list(waiting)
    words_of = tx.log.words({each.task for each in waiting})
    questions = {decision.id: decision.question for decision in tx.ledger.read([each.id for each in waiting])}

    def text(each: Waiting) -> str:
        kind = each.right.rule
        return f"{kind} {kind.replace('_', ' ')} {questions[each.id]} {words_of[each.task]}".casefold()

    begins = words.strip()
    return [each for each in waiting if each.id.startswith(begins) or all(part in text(each) for part in parts)]


def read_waiting(tx: Transaction, waiting: Sequence[Waiting]) -> list[tuple[Task, Decision]]:
    decisions = tx.ledger.read([each.id for each in waiting])
    return [(tx.log.in_thread(decision.task), decision) for decision in decisions]


def _has(right: Right, speaker: Presser, permissions: Permissions) -> bool:
    rule = RULES[right.rule]
    if rule.put_to and speaker.is_(right.put_to):
        return True
    return may(rule, speaker, right.owner, permissions.channel(right.channel))


def with_names(error: OverlordError, channel: str, tx: Transaction, permissions: Permissions) -> OverlordError:
    """A refusal in words, with the people who may; where nobody is named, with how to name them."""
    put_into_words(error, tx.people.name)
    if not isinstance(error, NotYours):
        return error
    if names := _names(error, tx, permissions):
        more = f" or {len(names) - NAMED} more: say `who can approve`" if len(names) > NAMED else ""
        *others, last = names[:NAMED]
        listed = f"{', '.join(others)} or {last}" if others else last
        error.next_step += f" You can ask {listed}{more}."
    else:
        nobody = nobody_may(permissions, error.rule, channel)
        error.next_step = nobody or f"{error.next_step} You can ask the operator; nobody else is named."
    return error


def strangers_among(
    error: OverlordError, channel: str, tx: Transaction, permissions: Permissions
) -> tuple[Account, ...]:
    """Those whose name only their platform knows: it shows one where it is told whom to call."""
    if not isinstance(error, NotYours):
        return ()
    here = [each for each in _accounts(error, permissions) if surface_of(each) == surface_of(channel)]
    return tuple(account for account in dict.fromkeys(here) if tx.people.find(account) is None)[:NAMED]


def _accounts(error: NotYours, permissions: Permissions) -> list[Account]:
    groups = deciding_groups(error.rule, error.wider)
    return [account for group in Group if group in groups for account in permissions.members(group)]


def _names(error: NotYours, tx: Transaction, permissions: Permissions) -> list[str]:
    """A person is named once, whatever accounts they have; somebody who was never met, by their account."""
    groups = deciding_groups(error.rule, error.wider)
    owner = [tx.people.get(error.requester).id] if Group.OWNER in groups else []
    barred = tx.people.get(error.but).id if error.but else None
    met = ((account, tx.people.find(account)) for account in _accounts(error, permissions))
    people = dict.fromkeys([*owner, *(found.id if found else PersonId(account) for account, found in met)])
    crowds = ((MEMBERSHIPS[name.partition(":")[0]], name.rpartition(":")[2]) for name in permissions.crowds(groups))
    named = [tx.people.name(person) for person in people if person != barred]
    return [*named, *(f"{known.words} {id}" for known, id in crowds)]


# ── how much one person, and one channel, may ask for in a while ─────────────────────────────────────────────────


class OverQuota(OverlordError):
    """More than is taken; `until` is when there is room again."""

    def __init__(self, whose: str, most: int, window: float, until: datetime) -> None:
        many = f"{most} request{'s' if most > 1 else ''}"
        super().__init__(
            f"I take at most {many} from one {whose} in {window:.0f} seconds, so I did not take this one",
            next_step="Send it again then. Buttons and answers to my questions work as always.",
        )
        self.whose, self.until = whose, until


class Quota:
    """Kept in memory: a restart forgets a minute, and no more. The same request twice counts once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._taken: dict[tuple[str, str], dict[str, datetime]] = {}

    def take(self, key: str, person: str, channel: str, at: datetime) -> None:
        """Count a request, or raise OverQuota."""
        most = {("person", person): self._limits.quota_per_person, ("channel", channel): self._limits.quota_per_channel}
        taken = {name: self._recent(name, at) for name in most}
        for name, limit in most.items():
            if key not in taken[name] and len(taken[name]) >= limit:
                until = min(taken[name].values()) + self._window
                raise OverQuota(name[0], limit, self._limits.quota_window, until)
        for recent in taken.values():
            recent[key] = at

    @property
    def _window(self) -> timedelta:
        return self._limits.within("quota_window")

    def _recent(self, name: tuple[str, str], at: datetime) -> dict[str, datetime]:
        """What was asked for in the window around this moment: what was said long ago may be heard only now."""
        since = at - self._window
        if len(self._taken) > MANY:
            self._taken = {n: kept for n, kept in self._taken.items() if max(kept.values(), default=since) > since}
        recent = {key: when for key, when in self._taken.get(name, {}).items() if abs(when - at) < self._window}
        self._taken[name] = recent
        return recent
