"""Helpers that the tests of console sign in share with others."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx

from agents.domain.ids import Account
from bot.platforms.console.sign_in import hash_of
from bot.queries.people_queries import PeopleQueries
from store.chat.people import Session
from tests.fakes.console import Visit, console
from tests.fakes.desk import START, ScriptedDesk

TOKENS = {"token-of-ana": "ana", "token-of-ben": "ben"}


class Tokens(PeopleQueries):
    """What the operator gave out and has not taken back, and who is signed in with it."""

    def __init__(self) -> None:
        self.given = dict(TOKENS)
        self.open: dict[str, Session] = {}
        self.now = START
        self.admins: set[str] = set()

    async def begin_session(self, session: Session, token_hash: str) -> bool:
        known = session.login in {login for token, login in self.given.items() if hash_of(token) == token_hash}
        if known:
            self.open[session.key] = session
        return known

    async def find_session(self, key: str) -> Session | None:
        found = self.open.get(key)
        return found if found and found.login in self.given.values() and found.until > self.now else None

    async def sessions(self, login: str = "") -> Sequence[Session]:
        return [each for each in self.open.values() if login in ("", each.login)]

    async def administers(self, account: Account) -> bool:
        return account in self.admins

    async def end_sessions(self, login: str, id: str = "") -> int:
        ended = [each.key for each in await self.sessions(login) if not id or each.id == id]
        for key in ended:
            del self.open[key]
        return len(ended)


@asynccontextmanager
async def shared(tokens: Tokens, desk: ScriptedDesk | None = None, **change: object) -> AsyncIterator[Visit]:
    desk = desk or ScriptedDesk({"ana": "Ana", "ben": "Ben"})
    async with console(desk, sessions=tokens, login="", **change) as visit:
        yield visit


async def enter(visit: Visit, token: str, onward: str = "/needs", name: str = "") -> httpx.Response:
    await visit.get("/login")
    return await visit.post("/login", name=name or TOKENS.get(token, "ana"), token=token, next=onward)
