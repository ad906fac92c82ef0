"""Session cookies, CSRF tokens, and a limit on login attempts."""

import hashlib
import hmac
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

from agents.domain.ids import Account
from bot.network.peers import neighbourhood

LIFETIME = timedelta(days=30)
TRIES = 10
WITHIN = timedelta(minutes=1)
REMEMBERED = 10_000  # accounts at a place; the oldest are forgotten first


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The person a page is made for."""

    login: str
    csrf: str
    session: str = ""  # its id, if they signed in with a token; so they can sign out

    @property
    def account(self) -> Account:
        return Account(f"console:{self.login}")

    @property
    def direct(self) -> str:
        """The channel in which they are alone with the bot."""
        return f"@{self.login}"


class Seal:
    """Signs what cookies and forms carry with the secret of this installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mac(self, purpose: str, text: str) -> str:
        return hmac.new(self._secret, f"{purpose}\x1f{text}".encode(), hashlib.sha256).hexdigest()

    def loopback(self, login: str) -> str:
        """The same for every window, so a second one does not end the first."""
        return self.mac("loopback", login)

    def csrf(self, cookie: str) -> str:
        return self.mac("csrf", cookie)


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class Brake:
    """Counts tries per account and place: ten a minute, then wait. One person's guesses are nobody else's."""

    def __init__(self) -> None:
        self._tries: dict[tuple[str, str], deque[datetime]] = {}

    def allows(self, login: str, address: str, now: datetime) -> bool:
        whose = (login, neighbourhood(address))
        tries = self._tries.pop(whose, deque())
        while tries and now - tries[0] >= WITHIN:
            tries.popleft()
        allowed = len(tries) < TRIES
        if allowed:
            tries.append(now)
        self._tries[whose] = tries
        if len(self._tries) > REMEMBERED:
            del self._tries[next(iter(self._tries))]
        return allowed
