"""Words and presses become facts. A delivery is stored before it is acknowledged, and settled once."""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from agents.domain.asking.names import Route
from agents.domain.decisions import pressing
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.decision import LATER, Decision
from agents.domain.decisions.pressing import Press
from agents.domain.decisions.table import refuse_unless_open
from agents.domain.errors import NotHeard, OverlordError, PressRefused
from agents.domain.ids import Account, surface_of
from agents.domain.project.linking import LinkRequest
from agents.domain.task import decide
from agents.domain.task.decide import Wording
from agents.domain.task.task import Task
from agents.domain.text.sanitize import clean, hidden_in
from bot.cards import replies
from bot.cards.learning.batches import batch_key
from bot.delivery.announcer import house_of, reply, whisper, wish
from bot.intake import access
from bot.intake.access import OverQuota, Quota, strangers_among, with_names
from bot.intake.card_order import is_too_early
from bot.intake.commands import Asked, answer, is_free, obey
from bot.intake.conversation import (
    Command,
    Meaning,
    SmallTalk,
    Talk,
    Words,
    checks_at,
    may_answer,
    understand,
    warn_of_key,
)
from bot.intake.linking import Linking
from bot.intake.offered_back import ended_in, near_miss_of, offer_back, taken_back, wanted_in
from bot.intake.putting_off import put_off
from bot.intake.requesting import read_request
from bot.intake.workflow_words import read_choices
from bot.messages import WORDS_MOST, Card, Choice, Delivery, Edited, Labelled, Mandated, Pressed, Said, load_card
from bot.services import Services
from store.chat.deliveries import DeliveryState, Received
from store.chat.posts import Act, Wish
from store.codec import Cause, shape
from store.transaction import Transaction

TRIES = 3
LATE = timedelta(seconds=10)
DELIVERIES: dict[str, type[Delivery]] = {kind.__name__: kind for kind in (Said, Edited, Pressed, Labelled, Mandated)}
_OUTSIDER = "Only people of this workspace may ask me here"
_ASK_A_MEMBER = "Please ask one of them; the operator can open this channel to you (`outsiders: true`)."
_UNKNOWN = PressRefused("I do not know this button on this message", next_step="Say `status` to see what is open.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    state: DeliveryState
    words: str


class Inbox:
    def __init__(self, office: Services) -> None:
        self._office = office
        self._database, self._clock, self._limits = office.database, office.clock, office.limits
        self._quota = Quota(office.limits)
        self._awaited: dict[str, asyncio.Future[Outcome]] = {}

    async def accept(self, delivery: Delivery) -> bool:
        """Store a delivery; once this returns it may be acknowledged. False: it had come before."""
        return await self._database.write(partial(self._keep, delivery))

    async def waiting(self) -> list[Received]:
        return await self._database.read(lambda tx: tx.deliveries.to_settle())

    async def settle(self, received: Received) -> Outcome:
        """Turn one delivery into what it means. It stays received while it is too early to tell."""
        outcome = await self._database.write(partial(self._settle, received))
        awaited = self._awaited.get(received.key)
        if awaited and not awaited.done() and outcome.state is not DeliveryState.RECEIVED:
            awaited.set_result(outcome)
        return outcome

    async def outcome(self, delivery: Delivery, within: float) -> Outcome | None:
        """Store a delivery and wait a little for what becomes of it. None: that is not known yet."""
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        awaited = self._awaited.setdefault(delivery.key, future)
        try:
            new = await self.accept(delivery)
            known = None if new else await self._database.read(lambda tx: tx.deliveries.state(delivery.key))
            if known and known[0] is not DeliveryState.RECEIVED:
                return Outcome(state=known[0], words=known[1])
            async with asyncio.timeout(within):
                return await asyncio.shield(awaited)
        except TimeoutError:
            return None
        finally:
            if awaited is future:
                del self._awaited[delivery.key]

    async def give_up(self, received: Received, problem: str) -> None:
        """Count a failed try; after the last one say so in the thread and let it rest."""
        await self._database.write(partial(self._failed, received, problem))

    def _keep(self, delivery: Delivery, tx: Transaction) -> bool:
        delivery = _cleaned(delivery)
        now = self._clock.now()
        is_late = now - delivery.at > LATE  # caught up with after a pause: it counts at its own time
        new = tx.deliveries.keep(_received(delivery, delivery.at if is_late else now))
        if new and isinstance(delivery, Said | Labelled | Mandated):
            starter = Account(delivery.began_by) if isinstance(delivery, Said) and delivery.began_by else delivery.by
            tx.threads.start(delivery.thread, delivery.channel, starter, delivery.at)
            tx.messages.keep(delivery.thread, delivery.message, delivery.by, delivery.text, delivery.at)
        if new and isinstance(delivery, Edited):
            tx.messages.change(delivery.thread, delivery.message, delivery.text, delivery.at)
        tx.people.meet(delivery.by, delivery.name)
        return new

    def _settle(self, received: Received, tx: Transaction) -> Outcome:
        known = tx.deliveries.state(received.key)
        if known is None or known[0] is not DeliveryState.RECEIVED:
            return Outcome(state=known[0], words=known[1]) if known else Outcome(state=DeliveryState.IGNORED, words="")
        delivery = shape(DELIVERIES[received.kind]).validate_json(received.body)
        now = self._clock.now()
        answers = isinstance(delivery, Said) and may_answer(understand(delivery.text))
        if answers and is_too_early(delivery.thread, now - received.at, tx):
            return Outcome(state=DeliveryState.RECEIVED, words="")
        warn_of_key(delivery, self._office.redact, now, tx)
        try:
            with tx.undone_on_error():
                outcome = self._mean(delivery, tx)
        except OverlordError as refused:
            error = with_names(refused, delivery.channel, tx, self._office.permissions)
            outcome = Outcome(state=DeliveryState.REFUSED, words=str(error))
            self._tell(delivery, error, tx)
        tx.deliveries.settle(received.key, outcome.state, outcome.words, self._clock.now())
        return outcome

    def _mean(self, delivery: Delivery, tx: Transaction) -> Outcome:
        memberships = delivery.memberships if isinstance(delivery, Said | Pressed) else ()
        speaker = self._office.presser(delivery.by, tx, memberships)
        match delivery:
            case Said():
                return self._said(delivery, speaker, tx)
            case Labelled() | Mandated():
                return self._request(delivery.text, delivery, speaker, tx)
            case Pressed():
                return self._pressed(delivery, speaker, tx)
            case Edited():
                return self._edited(delivery, speaker, tx)

    def _hears(self, delivery: Said | Edited | Pressed, speaker: Presser) -> bool:
        return self._office.permissions.hears(delivery.outsider, speaker.groups, delivery.channel)

    # ── words ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _said(self, said: Said, speaker: Presser, tx: Transaction) -> Outcome:
        notes = tx.threads.find(said.thread)
        task = wanted_in(tx.log.find(notes.task) if notes and notes.task else None)
        meaning = understand(said.text)
        live = task if task and (task.is_question or not task.has_ended) else None
        moment = self._office.moment(live.request.channel if live else said.channel, said.key)
        talk = Talk.of(said, live, speaker, moment, tx) if live else None
        instruction = access.is_instruction(said, notes, task, speaker, lambda: talk is not None and talk.answers)
        if notes:
            tx.threads.save_notes(access.note_words(said, notes), said.at)
        if not instruction:
            waits = talk.overhear(meaning, tx) if talk else ""
            return Outcome(state=DeliveryState.IGNORED, words=waits or "not said to me")
        if not self._hears(said, speaker):
            raise NotHeard(_OUTSIDER, next_step=_ASK_A_MEMBER)
        self._count(said, meaning, talk, speaker)
        if said.message and surface_of(said.by) == surface_of(said.thread):  # some words stand in no chat
            tx.posts.want(_seen(said), said.at)
        if isinstance(meaning, Command) and not (talk and talk.is_answered_by(meaning)):
            office = self._office
            asked = Asked(
                command=meaning, said=said, speaker=speaker, task=task, house=house_of(office), named=office.named
            )
            return self._handled(obey(asked, tx, office.permissions, office.moment(said.channel, said.key)))
        at_work = live is not None and not live.is_question
        if (near := near_miss_of(said, meaning, at_work=at_work)) and not (talk and talk.answers):
            return self._handled(offer_back(said, near, talk is not None, tx))
        return self._words(meaning, said, speaker, talk, tx)

    def _words(self, meaning: Meaning, said: Said, speaker: Presser, talk: Talk | None, tx: Transaction) -> Outcome:
        """What is no command, or stands for an answer."""
        if talk and talk.words.text:
            return self._handled(talk.reply(tx))
        if isinstance(meaning, Command) or not meaning.text or isinstance(meaning, SmallTalk):
            return self._small_talk(meaning, said, tx)
        return self._request(meaning.text, said, speaker, tx, meaning.wants)

    def _small_talk(self, meaning: Meaning, said: Said, tx: Transaction) -> Outcome:
        """An empty mention wants help, a greeting a word in return; silence is a legal answer to the rest."""
        greeted = isinstance(meaning, SmallTalk) and meaning.greets
        if greeted or (isinstance(meaning, Words) and not meaning.text):
            answer(said, replies.HELLO if greeted else replies.HELP, tx, private=not greeted)
        return self._handled("small talk")

    def _request(
        self,
        text: str,
        said: Said | Labelled | Mandated,
        speaker: Presser,
        tx: Transaction,
        wants: Route | None = None,
    ) -> Outcome:
        moment = self._office.moment(said.channel, said.key)
        follows = ended_in(said.thread, tx) if isinstance(said, Said) else None
        read = read_request(text, said, speaker.person, moment.at, self._office.catalog)
        request = replace(read, wants=wants, follows=follows)
        facts = decide.open_task(tx.log.next_id(), request, moment)
        task = tx.log.open(facts, _cause(said))
        tx.threads.bind(said.thread, task.id)
        return self._handled(f"opened {task.id}")

    def _edited(self, edited: Edited, speaker: Presser, tx: Transaction) -> Outcome:
        notes = tx.threads.find(edited.thread)
        task = tx.log.find(notes.task) if notes and notes.task else None
        if not self._hears(edited, speaker) or task is None or not edited.thread.endswith(f":{edited.message}"):
            return Outcome(state=DeliveryState.IGNORED, words="an edit that changes no request")
        moment = self._office.moment(task.request.channel, edited.key)
        read = read_choices(edited.text, self._office.catalog)
        said = Wording(text=read.text, hidden=edited.hidden, workflow=read.workflow, role=read.role)
        facts = decide.correct(task, said, speaker, moment)
        tx.log.append(task.id, facts, _cause(edited))
        return self._handled(f"{task.id}: corrected" if facts else "nothing changed")

    # ── presses ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _pressed(self, pressed: Pressed, speaker: Presser, tx: Transaction) -> Outcome:
        choice = Choice.of(pressed.token)
        if choice is None:
            raise _UNKNOWN
        if decision := tx.ledger.find(choice.decision):
            return self._decide(decision, choice, pressed, speaker, tx)
        if link := tx.links.find(choice.decision):
            return self._link_pressed(link, pressed, speaker, tx)
        if card := checks_at(pressed, choice, tx):
            return self._show_checks(card, pressed, speaker, tx)
        if meant := taken_back(pressed, choice, speaker, _posts_at(pressed, tx), tx):
            return self._said(meant, speaker, tx)
        raise _UNKNOWN

    def _decide(
        self, decision: Decision, choice: Choice, pressed: Pressed, speaker: Presser, tx: Transaction
    ) -> Outcome:
        if pressed.message and not self._stands_there(pressed, decision, tx):
            raise _UNKNOWN
        if not self._hears(pressed, speaker):
            raise PressRefused("This is not yours to decide", next_step=f"{_OUTSIDER}. {_ASK_A_MEMBER}")
        if not pressed.message and pressed.shown != decision.fingerprint:
            raise PressRefused(
                "What you were shown has changed since", next_step="Look at it again; it was refreshed just now."
            )
        refuse_unless_open(decision)
        task = tx.log.in_thread(decision.task)
        if choice.letter == LATER:
            return self._put_off(task, decision, pressed, speaker, tx)
        press = Press(decision=decision.id, letter=choice.letter, words=pressed.words)
        moment = replace(self._office.moment(task.request.channel, pressed.key), who=lambda id: tx.people.get(id).id)
        facts = pressing.press(task, press, speaker, replace(moment, project=lambda: tx.log.project_of(task)))
        tx.log.append(task.id, facts, _cause(pressed))
        return self._handled(f"{task.id}: {', '.join(type(f).__name__ for f in facts)}")

    def _put_off(self, task: Task, decision: Decision, pressed: Pressed, speaker: Presser, tx: Transaction) -> Outcome:
        card = put_off(task, decision, speaker, self._office.moment(task.request.channel, pressed.key), tx)
        if pressed.message:
            whisper(pressed, card, tx, self._clock.now())
        return self._handled(card.title)

    def _show_checks(self, card: Card, pressed: Pressed, speaker: Presser, tx: Transaction) -> Outcome:
        """A standing button decides nothing: what it names goes to whoever pressed it."""
        if not self._hears(pressed, speaker):
            raise PressRefused("This is not yours to see", next_step=f"{_OUTSIDER}. {_ASK_A_MEMBER}")
        whisper(pressed, card, tx, self._clock.now())
        return self._handled("showed what was kept of the checks")

    def _link_pressed(self, link: LinkRequest, pressed: Pressed, speaker: Presser, tx: Transaction) -> Outcome:
        here = _posts_at(pressed, tx) if pressed.message else []
        post = next((post for post in here if post.key.startswith(f"link:{link.id}:")), None)
        if post is None:
            raise _UNKNOWN
        linking = Linking(tx, self._office.permissions, self._clock.now())
        return self._handled(linking.answer_press(link, pressed, post, speaker))

    def _stands_there(self, pressed: Pressed, decision: Decision, tx: Transaction) -> bool:
        """The button belongs on the message it was pressed on: nothing in a payload is trusted."""
        return any(_carries(post, pressed.token, decision) for post in _posts_at(pressed, tx))

    # ── around ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _count(self, said: Said, meaning: Meaning, talk: Talk | None, speaker: Presser) -> None:
        """Against floods. Raises OverQuota; answers, and commands that stop or decide something, never count."""
        if is_free(meaning) or (talk and talk.answers):
            return
        now = self._clock.now()
        at = said.at if now - said.at > LATE else now
        self._quota.take(said.key, speaker.person, said.channel, at)

    def _tell_quota(self, said: Delivery, error: OverQuota, tx: Transaction) -> None:
        """Once a window and channel: an answer to each message of a flood would be one."""
        key = f"busy:{said.by}:{said.channel}:{int(error.until.timestamp() // self._limits.quota_window)}"
        if not tx.posts.is_wanted(key):
            tx.posts.want(wish(key, said.thread, replies.busy_card(error, error.until)), self._clock.now())

    def _tell(self, delivery: Delivery, error: OverlordError, tx: Transaction) -> None:
        """Say why something did not count: to the presser alone, or as a reply to what was said."""
        card = replies.problem_card(error, delivery.words if isinstance(delivery, Pressed) else "")
        if isinstance(error, OverQuota):
            self._tell_quota(delivery, error, tx)
        elif isinstance(delivery, Pressed) or isinstance(error, NotHeard):
            if delivery.message:  # elsewhere the surface that shows the ledger shows the outcome too
                card = replace(card, notify=strangers_among(error, delivery.channel, tx, self._office.permissions))
                whisper(delivery, card, tx, self._clock.now())
        elif isinstance(delivery, Said | Edited | Labelled | Mandated):
            reply(delivery, card, tx, self._clock.now())

    def _failed(self, received: Received, problem: str, tx: Transaction) -> None:
        if tx.deliveries.count_failure(received.key) < TRIES:
            return
        now = self._clock.now()
        if tx.deliveries.settle(received.key, DeliveryState.PARKED, problem, now):
            error = OverlordError(
                "Something went wrong while I read that, and I gave up after three tries",
                next_step="Kept: what you sent. Please say it in other words; the operator finds more in the log.",
            )
            tx.posts.want(wish(f"reply:{received.key}", received.thread, replies.problem_card(error)), now)

    @staticmethod
    def _handled(words: str) -> Outcome:
        return Outcome(state=DeliveryState.HANDLED, words=words)


def _received(delivery: Delivery, at: datetime) -> Received:
    return Received(
        key=delivery.key,
        also=delivery.also if isinstance(delivery, Said | Edited) else "",
        kind=type(delivery).__name__,
        body=shape(type(delivery)).dump_json(delivery).decode(),
        account=delivery.by,
        channel=delivery.channel,
        thread=delivery.thread,
        at=at,
    )


def _cleaned(delivery: Delivery) -> Delivery:
    """What people and platforms send may hold anything; from here on it is plain text."""
    name = clean(delivery.name)[:80]
    if isinstance(delivery, Pressed):
        return replace(delivery, name=name, words=clean(delivery.words)[:WORDS_MOST])
    hidden = hidden_in(delivery.text) if isinstance(delivery, Said | Edited) else delivery.hidden
    return replace(delivery, name=name, text=clean(delivery.text), hidden=hidden)


def _posts_at(pressed: Pressed, tx: Transaction) -> list[Wish]:
    """What was pressed on. A message may be on the screen before its id has reached us, or its sender died."""
    known = tx.posts.on_message(pressed.thread, pressed.message)
    return [known] if known else tx.posts.under_way(pressed.thread)


def _carries(post: Wish, token: str, decision: Decision) -> bool:
    """By its key, for what a message showed a moment ago may be gone from it by now; else by its buttons."""
    own = f"status:{decision.task}" if decision.kind is Kind.CONTROLS else f"decision:{decision.id}"
    if post.key in (own, batch_key(decision)):
        return True
    card = load_card(post.body)
    return any(button.choice.token == token for button in (*card.buttons, *card.more))


def _cause(delivery: Delivery) -> Cause:
    return Cause(actor=delivery.by, delivery=delivery.key)


def _seen(said: Said) -> Wish:
    return wish(f"seen:{said.message}", said.thread, replies.said_card("seen"), Act.SEEN, said.message)
