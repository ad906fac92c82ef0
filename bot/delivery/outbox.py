"""Sends what is wanted, in order, once. A try whose end is not known is looked for before it is made again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from agents.domain.decisions import pressing
from agents.domain.decisions.decision import Decision
from agents.domain.ids import DecisionId, Thread, surface_of
from agents.domain.text.sanitize import one_line
from bot.cards import replies
from bot.cards.discreet import discreet
from bot.delivery.announcer import wish
from bot.messages import Card, Deleted, Gone, Later, Platform, Refused, Shut, Unsure, load_card
from bot.services import Leases, Services
from store.chat.posts import EVERYWHERE, LONGEST_WAIT, Act, Post, Surfaces
from store.codec import Cause
from store.database import StoreUnavailable
from store.running.leases import Lease
from store.transaction import Transaction

log = logging.getLogger("overlord.outbox")

AT_ONCE = 16
TRIES = 3  # at a message that makes its adapter fail
MARGIN = 5.0  # seconds that must be left of a lease beyond the time-out, or no try is begun
NOT_CONNECTED = 30.0  # seconds until a platform that is not there is tried again
SHUT_FOR = 30.0  # seconds until a place we may not write to is tried again; then twice as long each time
SHUT_TRIES = 700  # a week at the longest wait


class Outbox:
    """What became of a try is written however long the store is away: only we know it."""

    def __init__(self, office: Services, platforms: Mapping[str, Platform], leases: Leases) -> None:
        self._office = office
        self._database, self._clock, self._limits = office.database, office.clock, office.limits
        self._redact = office.redact
        self._platforms = platforms
        self._leases = leases

    def steps(self) -> dict[str, Callable[[], Awaitable[int]]]:
        """A step for each platform, so that one that hangs holds up no other, and one for what has none."""
        each = {name: partial(self.send_due, Surfaces(only=name)) for name in self._platforms}
        return {**each, "nowhere": partial(self.send_due, Surfaces(without=tuple(self._platforms)))}

    async def send_due(self, among: Surfaces = EVERYWHERE) -> int:
        """Send what may go now. Returns how many were tried.

        At one platform it is not to be called again before it is through: what it holds would be taken for lost.
        """
        lease = self._leases.for_seconds(self._limits.send_lease)
        posts = await self._database.write(lambda tx: tx.posts.claim(lease, self._limits, AT_ONCE, among))
        ends = await asyncio.gather(*(self._send(post, lease) for post in posts), return_exceptions=True)
        for post, problem in zip(posts, ends, strict=True):
            if isinstance(problem, Exception):
                await self._failed(post, problem)
        return len(posts)

    async def next_due(self, since: datetime) -> float | None:
        """Seconds until something that could not go then may go."""
        due = await self._database.read(lambda tx: tx.posts.next_due(since))
        return None if due is None else max(0.0, (due - self._clock.now()).total_seconds())

    async def _send(self, post: Post, lease: Lease) -> None:
        platform = self._platforms.get(surface_of(post.thread))
        if platform is None:
            await self._later(post, NOT_CONNECTED, "this platform is not connected")
            return
        if post.cut_off and self._settle(platform):
            await self._unsure(platform, post, "the program died while it sent this")
            return
        if not self._has_time(lease):
            await self._later(post, 0.0, "its lease was nearly over")
            return
        try:
            async with asyncio.timeout(self._clock.real_seconds(self._limits.provider_timeout)):
                message = await self._deliver(platform, post)
        except (Unsure, TimeoutError, StoreUnavailable) as problem:
            await self._unsure(platform, post, str(problem) or "no answer in time")
        except (Later, Refused) as problem:
            await self._not_taken(post, problem)
        else:
            await self._database.insist(partial(self._sent, post, message))

    async def _not_taken(self, post: Post, problem: Later | Refused) -> None:
        match problem:
            case Later():
                await self._later(post, max(problem.seconds, _calm(post.attempts)), str(problem))
            case Deleted() if post.act is Act.POST and post.message:
                again = post.key.startswith("status:") or bool(load_card(post.body).buttons)
                await self._database.insist(lambda tx: tx.posts.lose(post, again=again))
            case Shut():
                await self._database.insist(partial(self._shut, post, problem))
            case _:
                await self._database.insist(partial(self._parked, post, problem))

    async def _deliver(self, platform: Platform, post: Post) -> str:
        """Make the platform show it, and return the message's id. Everything that is said goes through here."""
        card = await self._with_messages(platform, post.thread, await self._with_files(load_card(post.body)))
        card = discreet(card, self._redact)
        match post.act:
            case Act.SEEN:
                await platform.mark_seen(post.thread, post.target)
                return ""
            case Act.WHISPER:
                await platform.whisper(post.thread, post.target, post.key, card)  # type: ignore[arg-type]
                return ""
            case Act.POST:
                return await self._post_or_edit(platform, post, card)

    async def _with_files(self, card: Card) -> Card:
        """The long texts that go with it; what is no longer kept is left out."""
        if not card.files:
            return card
        read = [replace(each, text=each.text or await self._office.kept(each.name) or "") for each in card.files]
        return replace(card, files=tuple(each for each in read if each.text))

    async def _with_messages(self, platform: Platform, thread: Thread, card: Card) -> Card:
        """Addresses of the messages that it links to; it stands without those that are not known."""
        links = []
        for link in card.links:
            if link.message:
                with suppress(Later, Refused, Unsure):
                    link = replace(link, url=await platform.permalink(thread, link.message))
            links.append(link)
        return replace(card, links=tuple(link for link in links if link.url))

    async def _post_or_edit(self, platform: Platform, post: Post, card: Card) -> str:
        message = post.message
        if not message and post.unsure:
            message = await platform.find(post.thread, post.name) or ""
        if not message:
            return await platform.post(post.thread, post.name, card)
        await platform.edit(post.thread, message, card)
        return message

    def _sent(self, post: Post, message: str, tx: Transaction) -> None:
        """What time would decide is not decided before people had the whole time to see it."""
        now = self._clock.now()
        tx.posts.mark_sent(post, message, now, self._limits)
        kind, _, id = post.key.partition(":")
        decision = tx.ledger.find(DecisionId(id)) if kind == "decision" and not post.message else None
        if decision:
            self._link_from_checks(decision, message, tx)
        if decision and post.late:
            task, cause = tx.log.in_thread(decision.task), f"shown:{post.name}"
            facts = pressing.begin_clock_again(task, decision.id, self._office.moment(task.request.channel, cause))
            tx.log.append(task.id, facts, Cause(actor="overlord", delivery=cause))

    def _link_from_checks(self, decision: Decision, message: str, tx: Transaction) -> None:
        """The message that a task's checks speak of is there now, so they can lead to it."""
        found = tx.posts.find(f"evaluation:{decision.task}")
        card = load_card(found.body) if found else None
        if found and card and any(link.decision == decision.id for link in card.links):
            links = tuple(replace(x, message=message) if x.decision == decision.id else x for x in card.links)
            tx.posts.want(wish(found.key, found.thread, replace(card, links=links)), self._clock.now())

    def _shut(self, post: Post, problem: Shut, tx: Transaction) -> None:
        """The place may open again, so it waits; whoever asked for the task is told where it waits."""
        if post.act is not Act.POST or post.attempts >= SHUT_TRIES:
            self._parked(post, problem, tx)
            return
        now = self._clock.now()
        wait = min(LONGEST_WAIT, SHUT_FOR * 2 ** min(post.attempts, 10))
        tx.posts.later(post, now + timedelta(seconds=wait), str(problem))
        self._tell_owner(post, replies.shut_card, tx)

    def _tell_owner(self, post: Post, card: Callable[[str, str], Card], tx: Transaction) -> None:
        """Once a thread, in private, to whoever asked for its task."""
        notes = tx.threads.find(post.thread)
        task = tx.log.find(notes.task) if notes and notes.task else None
        if task is None or task.has_ended:
            return
        surface = surface_of(post.thread)
        to = next((a for a in tx.people.get(task.request.by).accounts if surface_of(a) == surface), None)
        if to:
            told = card(task.id, one_line(task.request.text, 80))
            tx.posts.want(wish(f"unreachable:{post.thread}", post.thread, told, Act.WHISPER, to), self._clock.now())

    def _has_time(self, lease: Lease) -> bool:
        """A process that slept after its claim must not begin now: another may soon take the post over."""
        left = (lease.until - self._clock.now()).total_seconds()
        return left >= self._limits.provider_timeout + MARGIN

    async def _failed(self, post: Post, problem: Exception) -> None:
        """An adapter met what nobody foresaw. Other messages go on, and this one is not tried for ever."""
        log.error("post failed", exc_info=problem, extra={"post": post.key})
        said = f"{type(problem).__name__}: {problem}"
        if post.attempts + 1 < TRIES:
            await self._unsure(self._platforms[surface_of(post.thread)], post, said)
        else:
            await self._database.insist(partial(self._parked, post, Refused(said)))

    async def _unsure(self, platform: Platform, post: Post, problem: str) -> None:
        settle, at = timedelta(seconds=self._settle(platform)), self._clock.now()
        await self._database.insist(lambda tx: tx.posts.unsure(post, at, settle, problem))

    def _settle(self, platform: Platform) -> float:
        return self._limits.settle if platform.settle is None else platform.settle

    async def _later(self, post: Post, seconds: float, problem: str) -> None:
        until = self._clock.now() + timedelta(seconds=seconds)
        await self._database.insist(lambda tx: tx.posts.later(post, until, problem))

    def _parked(self, post: Post, problem: Refused, tx: Transaction) -> None:
        """It will never be taken: put one plain note in its place, and let the thread go on."""
        tx.posts.park(post, str(problem) or type(problem).__name__)
        is_note = post.key.startswith("note:")
        if isinstance(problem, Gone) and post.act is Act.POST:
            self._tell_owner(post, replies.gone_card, tx)
        if post.act is Act.POST and not is_note and not isinstance(problem, Gone | Shut):
            note = replies.undeliverable_card(load_card(post.body).title)
            tx.posts.want(wish(f"note:{post.key}", post.thread, note), self._clock.now())


def _calm(attempts: int) -> float:
    """Seconds to wait at least before something that keeps being put off is tried once more."""
    return 0.0 if attempts < 5 else min(LONGEST_WAIT, 2.0 ** (attempts - 5))
