"""Who is reading: signed cookies, the token every form carries, and a brake on guessing."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections import deque
from datetime import datetime, timedelta

from agents.domain.ids import Account
from agents.domain.records import dataclass

LIFETIME = timedelta(days=30)
TRIES = 10
WITHIN = timedelta(minutes=1)
REMEMBERED = 10_000  # addresses; the oldest are forgotten first


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """The person a page is made for."""

    login: str
    csrf: str
    signed_in: bool = False  # with a token, so they can sign out

    @property
    def account(self) -> Account:
        return Account(f"console:{self.login}")

    @property
    def direct(self) -> str:
        """The channel in which they are alone with the bot."""
        return f"@{self.login}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    login: str
    token_hash: str
    at: int  # seconds since 1970


class Seal:
    """Signs and reads cookies with the secret of this installation."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mac(self, purpose: str, text: str) -> str:
        return hmac.new(self._secret, f"{purpose}\x1f{text}".encode(), hashlib.sha256).hexdigest()

    def loopback(self, login: str) -> str:
        """The same for every window, so a second one does not end the first."""
        return self.mac("loopback", login)

    def issue(self, session: Session) -> str:
        body = json.dumps([session.login, session.token_hash, session.at]).encode()
        text = urlsafe_b64encode(body).decode()
        return f"{text}.{self.mac('session', text)}"

    def read(self, cookie: str, now: datetime) -> Session | None:
        text, _, mac = cookie.partition(".")
        if not hmac.compare_digest(mac.encode(), self.mac("session", text).encode()):
            return None
        try:
            login, token_hash, at = json.loads(urlsafe_b64decode(text))
        except (NotBase64, ValueError):
            return None
        fresh = now.timestamp() - at < LIFETIME.total_seconds()
        return Session(login=login, token_hash=token_hash, at=at) if fresh else None

    def csrf(self, cookie: str) -> str:
        return self.mac("csrf", cookie)


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class Brake:
    """Counts tries per address: ten a minute, then wait."""

    def __init__(self) -> None:
        self._tries: dict[str, deque[datetime]] = {}

    def allows(self, address: str, now: datetime) -> bool:
        tries = self._tries.pop(address, deque())
        while tries and now - tries[0] >= WITHIN:
            tries.popleft()
        allowed = len(tries) < TRIES
        if allowed:
            tries.append(now)
        self._tries[address] = tries
        if len(self._tries) > REMEMBERED:
            del self._tries[next(iter(self._tries))]
        return allowed
