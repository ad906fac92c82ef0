"""People and their accounts, as the operator sees and links them."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, PersonId
from agents.domain.project.linking import LinkRequest
from bot.intake.linking import Linking
from bot.services import Services
from store.chat.people import Session
from store.codec import Cause
from store.streams.forgetting import Forgotten, forget
from store.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    id: PersonId
    name: str
    accounts: tuple[Account, ...]
    groups: tuple[str, ...]


@dataclass
class PeopleQueries:
    _services: Services

    async def list(self) -> Sequence[PersonRow]:
        def question(tx: Transaction) -> Sequence[PersonRow]:
            return [
                PersonRow(
                    id=person.id,
                    name=person.name,
                    accounts=person.accounts,
                    groups=tuple(sorted(self._services.permissions.groups_of(person.accounts))),
                )
                for person in tx.people.all()
            ]

        return await self._services.database.read(question)

    async def link(self, one: Account, other: Account) -> None:
        """Of the operator's own accord, or as they were asked to; either way those concerned are told."""

        def transaction(tx: Transaction) -> None:
            linking = Linking(tx, self._services.permissions, self._services.clock.now())
            linking.close(one, other)
            linking.link(one, other)

        await self._services.database.write(transaction)

    async def unlink(self, account: Account) -> bool:
        return await self._services.database.write(lambda tx: tx.people.unlink(account))

    async def links(self) -> Sequence[LinkRequest]:
        """What waits to be confirmed."""
        now = self._services.clock.now()
        return await self._services.database.read(lambda tx: tx.links.open(now))

    async def rename(self, account: Account, name: str) -> None:
        await self._services.database.write(lambda tx: tx.people.rename(account, name))

    async def issue_token(self, login: str) -> str:
        """A new token for this login; an older one stops working."""
        token, at = secrets.token_urlsafe(32), self._services.clock.now()
        await self._services.database.write(lambda tx: tx.people.set_token(login, token, at))
        return token

    async def sessions(self, login: str = "") -> Sequence[Session]:
        at = self._services.clock.now()
        return await self._services.database.read(lambda tx: tx.sessions.list(at, login))

    async def end_sessions(self, login: str, id: str = "") -> int:
        """All of this login's, or the one with this id. Says how many there were."""
        return await self._services.database.write(lambda tx: tx.sessions.end(login, id))

    async def administers(self, account: Account) -> bool:
        """Whether this person looks after other people's sessions."""

        def question(tx: Transaction) -> bool:
            person = tx.people.find(account)
            return self._services.permissions.administers(person.accounts if person else (account,))

        return await self._services.database.read(question)

    async def begin_session(self, session: Session, token_hash: str) -> bool:
        return await self._services.database.write(lambda tx: tx.sessions.begin(session, token_hash))

    async def find_session(self, key: str) -> Session | None:
        at = self._services.clock.now()
        return await self._services.database.read(lambda tx: tx.sessions.find(key, at))

    async def forget(self, account: Account, by: Account) -> Forgotten:
        """Remove what this person said, wherever it is stored."""
        now = self._services.clock.now()

        def transaction(tx: Transaction) -> Forgotten:
            person = tx.people.find(account)
            if person is None:
                raise OverlordError(f"{account} was never met", next_step="See `overlord people`.")
            return forget(tx, person, Cause(actor=by, delivery="people forget"), now)

        return await self._services.database.write(transaction)

    async def revoke_token(self, login: str) -> bool:
        return await self._services.database.write(lambda tx: tx.people.revoke_token(login))
