"""People and their accounts. A person counts once, whatever account they use."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select, update

from agents.domain.ids import Account, PersonId, derived
from store import tables
from store.codec import seconds
from store.dialect import insert_once, upsert
from store.statements import Prepared

_P, _A = tables.people, tables.accounts
_BEHIND = Prepared(select(_A.c.person).where(_A.c.account == bindparam("which")))
_PERSON = Prepared(select(_P.c.name, _P.c.merged_into).where(_P.c.id == bindparam("which")))
_ACCOUNTS = Prepared(select(_A.c.account).where(_A.c.person == bindparam("which")).order_by(_A.c.account))
_MERGED = Prepared(select(_P.c.id).where(_P.c.merged_into == bindparam("which")))


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
        return self.get(self.meet(account, name))

    def meet(self, account: Account, name: str = "") -> PersonId:
        found = self._behind(account)
        if found is None:
            found = PersonId(derived("person", account))
            insert_once(self._db, _P, {"id": found, "name": name or account})
            insert_once(self._db, _A, {"account": account, "person": found})
        return found

    def find(self, account: Account) -> Person | None:
        found = self._behind(account)
        return self.get(found) if found else None

    def get(self, id: PersonId) -> Person:
        """The person an id stands for now, following merges."""
        id, name = self._now(id)
        accounts = tuple(Account(row[0]) for row in _ACCOUNTS.run(self._db, {"which": id}).fetchall())
        merged = (PersonId(row[0]) for row in _MERGED.run(self._db, {"which": id}).fetchall())
        return Person(id=id, name=name, accounts=accounts, known_as=frozenset({id, *merged}))

    def name(self, id: PersonId) -> str:
        return self._now(id)[1]

    def _behind(self, account: Account) -> PersonId | None:
        row = _BEHIND.run(self._db, {"which": account}).fetchone()
        return PersonId(row[0]) if row else None

    def _now(self, id: PersonId) -> tuple[PersonId, str]:
        """The id and the name that an id stands for now; an id never met is its own name."""
        row = _PERSON.run(self._db, {"which": id}).fetchone()
        if row is None:
            return id, id
        name, merged_into = row
        return self._now(PersonId(merged_into)) if merged_into else (id, name)

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

    def unlink(self, account: Account) -> bool:
        """An account is a person of its own again. False: it is the one that the others were linked to."""
        own, now = PersonId(derived("person", account)), self._behind(account)
        if now is None or now == own:
            return False
        self._db.execute(update(_P).where(_P.c.id == own).values(merged_into=""))
        self._db.execute(update(_A).where(_A.c.account == account).values(person=own))
        return True

    def set_token(self, login: str, token: str, at: datetime) -> None:
        """Sessions that began with an older one end."""
        row = {"login": login, "hash": _hash(token), "issued_at": seconds(at)}
        upsert(self._db, tables.tokens, row, key=("login",))
        self._db.execute(delete(tables.sessions).where(tables.sessions.c.login == login))

    def revoke_token(self, login: str) -> bool:
        self._db.execute(delete(tables.sessions).where(tables.sessions.c.login == login))
        return self._db.execute(delete(tables.tokens).where(tables.tokens.c.login == login)).rowcount == 1


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
