"""Two accounts become one person: a code, then a yes from both, and the operator's where a right would move."""

import secrets
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta

from agents.domain.decisions.authority import Group, Presser
from agents.domain.errors import OverlordError, PressRefused
from agents.domain.ids import Account, DecisionId, Thread, derive_id, surface_of
from agents.domain.project.linking import Answer, LinkRequest, LinkState, Side, answer
from bot.cards import people as cards
from bot.cards.people import NO, YES, Described
from bot.config.platforms import OWN
from bot.delivery.announcer import wish
from bot.messages import Card, Pressed
from bot.permissions import Permissions
from store.chat.posts import Act, Wish
from store.transaction import Transaction


class Linking:
    """What is done about accounts within one transaction."""

    def __init__(self, tx: Transaction, permissions: Permissions, at: datetime) -> None:
        self._tx, self._permissions, self._at = tx, permissions, at

    def offer(self, side: Side, seconds: float) -> Card:
        code = secrets.token_hex(4).upper()
        self._tx.links.offer(side, code, self._at + timedelta(seconds=seconds))
        return cards.code_card(code, seconds / 60)

    def take(self, other: Side, code: str, seconds: float) -> None:
        """Ask both accounts, each in the direct message in which it spoke of this."""
        one = self._tx.links.take(other.account, code, self._at)
        if self._tx.people.of(one.account).id == self._tx.people.of(other.account).id:
            raise OverlordError("These accounts are one person already", next_step="There is nothing to do.")
        request = LinkRequest(
            id=DecisionId(derive_id("link", one.account, other.account, code)),
            one=one,
            other=other,
            until=self._at + timedelta(seconds=seconds),
        )
        self._show(request)

    def answer_press(self, request: LinkRequest, pressed: Pressed, post: Wish, speaker: Presser) -> str:
        letter = pressed.token.rpartition(".")[2]
        if letter not in (YES, NO):
            raise PressRefused("I do not know this button", next_step="Say `link` to begin anew.")
        accounts = self._tx.people.of(pressed.by).accounts
        given = Answer(
            by=pressed.by,
            yes=letter == YES,
            privileged=bool(speaker.groups) or any(self._groups(side.account) for side in request.sides),
            operator=post.key.startswith(_key(request, "operator")) and self._may_confirm(request, accounts),
            at=self._at,
        )
        now = answer(request, given)
        if now.state is LinkState.LINKED:
            self.link(now.one.account, now.other.account)
        self._show(now)
        return f"link {now.one.account} {now.other.account}: {now.state}"

    def link(self, one: Account, other: Account) -> None:
        """From now on one person. Everybody who was one of the two is told, on each surface they were met on."""
        before = {side: self._describe(side) for side in (one, other)}
        joined = self._tx.people.of(one).id != self._tx.people.of(other).id
        person = self._tx.people.link(one, other)
        for account in person.accounts if joined else ():
            self._tell(account, cards.linked_notice(before[one], before[other], self._at))

    def close(self, one: Account, other: Account) -> None:
        """The operator linked them by hand: whoever was asked need not answer any more."""
        for request in self._tx.links.open(self._at):
            if {side.account for side in request.sides} == {one, other}:
                self._show(replace(request, state=LinkState.LINKED))

    def _show(self, request: LinkRequest) -> None:
        self._tx.links.save(request)
        one, other = (self._describe(side.account) for side in request.sides)
        for side, seen in ((request.one, other), (request.other, one)):
            card = cards.side_card(request, side, seen)
            self._tx.posts.want(wish(_key(request, side.account), side.thread, card), self._at)
        asking = request.waits_for_operator
        key = _key(request, "operator")
        card = cards.operator_card(request, (one, other), asking)
        for account in self._permissions.operators:
            self._ask_to_confirm(account, request, key, card)
        for account in self._permissions.members(Group.ADMIN):
            met = self._tx.people.find(account)
            if met and self._may_confirm(request, met.accounts):
                self._ask_to_confirm(account, request, f"{key}:{account}", card)

    def _may_confirm(self, request: LinkRequest, accounts: Collection[Account]) -> bool:
        """The operator, or an admin who is neither of the two."""
        own = any(side.account in accounts for side in request.sides)
        return self._permissions.is_operator(accounts) or (not own and self._permissions.administers(accounts))

    def _ask_to_confirm(self, account: Account, request: LinkRequest, key: str, card: Card) -> None:
        """Where they are alone with the bot; else they are not asked."""
        if not request.waits_for_operator and not self._tx.posts.is_wanted(key):
            return
        place = self._tx.deliveries.last_place(account)
        if line := own_line(account):
            thread = Thread(f"{line}:{request.id}")
            self._tx.threads.start(thread, line, account, self._at)
            self._tx.posts.want(wish(key, thread, card), self._at)
        elif place and place.direct and surface_of(place.thread) == surface_of(account):
            self._tx.posts.want(wish(key, place.thread, card), self._at)

    def _tell(self, account: Account, card: Card) -> None:
        """Where they spoke to the bot alone, else in private where they last spoke; else there is no way."""
        key = f"linked:{account}:{self._at.timestamp()}"
        found = self._tx.deliveries.last_place(account)
        if line := own_line(account):
            thread = Thread(f"{line}:{derive_id(key)}")
            self._tx.threads.start(thread, line, account, self._at)
            self._tx.posts.want(wish(key, thread, card), self._at)
        elif found and surface_of(found.thread) == surface_of(account):
            act, target = (Act.POST, "") if found.direct else (Act.WHISPER, account)
            self._tx.posts.want(wish(key, found.thread, card, act, target), self._at)

    def _describe(self, account: Account) -> Described:
        return Described(
            account=account, name=self._tx.people.of(account).name, groups=tuple(sorted(self._groups(account)))
        )

    def _groups(self, account: Account) -> frozenset[str]:
        return frozenset(self._permissions.groups_of(self._tx.people.of(account).accounts))


def own_line(account: Account) -> str | None:
    """The channel in which the console's reader of this login is alone with the bot."""
    surface, _, login = account.partition(":")
    return f"{OWN}:@{login}" if surface == OWN else None


def _key(request: LinkRequest, who: str) -> str:
    return f"link:{request.id}:{who}"
