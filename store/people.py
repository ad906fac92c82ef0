"""People and their accounts. A person counts once, whatever account they use."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select, update

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, PersonId, derived
from store import tables
from store.codec import seconds
from store.dialect import insert_once, upsert

_P, _A = tables.people, tables.accounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    id: PersonId
    name: str
    accounts: tuple[Account, ...]
    known_as: frozenset[PersonId]  # this id and those that were merged into it


class People:
    def __init__(self, db: Connection) -> None:
        self._db = db

    def of(self, account: Account, name: str = "") -> Person:
        """The person behind an account; met for the first time, they become a new person."""
        found = self._db.execute(select(_A.c.person).where(_A.c.account == account)).scalar()
        if found is None:
            found = derived("person", account)
            insert_once(self._db, _P, {"id": found, "name": name or account})
            insert_once(self._db, _A, {"account": account, "person": found})
        return self.get(PersonId(found))

    def find(self, account: Account) -> Person | None:
        found = self._db.execute(select(_A.c.person).where(_A.c.account == account)).scalar()
        return self.get(PersonId(found)) if found else None

    def get(self, id: PersonId) -> Person:
        """The person an id stands for now, following merges."""
        row = self._db.execute(select(_P.c.name, _P.c.merged_into).where(_P.c.id == id)).one_or_none()
        if row is None:
            return Person(id=id, name=id, accounts=(), known_as=frozenset({id}))
        if row.merged_into:
            return self.get(PersonId(row.merged_into))
        accounts = self._db.execute(select(_A.c.account).where(_A.c.person == id).order_by(_A.c.account)).scalars()
        merged = self._db.execute(select(_P.c.id).where(_P.c.merged_into == id)).scalars()
        known_as = frozenset({id, *(PersonId(m) for m in merged)})
        return Person(id=id, name=row.name, accounts=tuple(Account(a) for a in accounts), known_as=known_as)

    def name(self, id: PersonId) -> str:
        return self.get(id).name

    def all(self) -> list[Person]:
        ids = self._db.execute(select(_P.c.id).where(_P.c.merged_into == "").order_by(_P.c.name, _P.c.id)).scalars()
        return [self.get(PersonId(id)) for id in ids.all()]

    def rename(self, account: Account, name: str) -> None:
        self._db.execute(update(_P).where(_P.c.id == self.of(account).id).values(name=name))

    def link(self, one: Account, other: Account) -> Person:
        """Two accounts are the same person from now on, and were: what either did counts as theirs."""
        kept, gone = self.of(one), self.of(other)
        if kept.id != gone.id:
            self._db.execute(update(_A).where(_A.c.person == gone.id).values(person=kept.id))
            self._db.execute(update(_P).where(_P.c.merged_into == gone.id).values(merged_into=kept.id))
            self._db.execute(update(_P).where(_P.c.id == gone.id).values(merged_into=kept.id))
        return self.get(kept.id)

    def offer_link(self, account: Account, code: str, until: datetime) -> None:
        """Remember that whoever repeats this code from another account is the same person."""
        row = {"hash": _hash(code.upper()), "account": account, "until": seconds(until)}
        upsert(self._db, tables.links, row, key=("hash",))

    def take_link(self, account: Account, code: str, at: datetime) -> Person:
        wanted = tables.links.c.hash == _hash(code.upper())
        row = self._db.execute(select(tables.links).where(wanted)).one_or_none()
        self._db.execute(delete(tables.links).where(wanted))
        if row is None or row.until < seconds(at) or row.account == account:
            raise OverlordError(
                "That code is not known, was used, or is too old",
                next_step="Say `link` to me from your other account to get a new one.",
            )
        return self.link(Account(row.account), account)

    def set_token(self, login: str, token: str, at: datetime) -> None:
        row = {"login": login, "hash": _hash(token), "issued_at": seconds(at)}
        upsert(self._db, tables.tokens, row, key=("login",))

    def revoke_token(self, login: str) -> bool:
        return self._db.execute(delete(tables.tokens).where(tables.tokens.c.login == login)).rowcount == 1

    def login_of(self, token: str) -> str | None:
        wanted = select(tables.tokens.c.login).where(tables.tokens.c.hash == _hash(token))
        return self._db.execute(wanted).scalar()

    def token_hash(self, login: str) -> str | None:
        return self._db.execute(select(tables.tokens.c.hash).where(tables.tokens.c.login == login)).scalar()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
