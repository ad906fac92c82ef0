"""People, their accounts, and how they sign in. A person counts once, whatever account they use."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, delete, func, insert, select, update

from agents.domain.errors import OverlordError
from agents.domain.ids import Account, DecisionId, PersonId, Thread, derive_id
from agents.domain.project.linking import LinkRequest, LinkState, Side
from store.chat.people_tables import accounts, link_requests, links, people, sessions, tokens
from store.codec import from_row, moment, seconds, shape
from store.sql import Prepared, TransactionPart, insert_once, upsert

_P, _A, _S, _T = people, accounts, sessions, tokens
_C, _R = links, link_requests
_SHORT = 10  # letters of a session's key by which people name it
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


class People(TransactionPart):
    def of(self, account: Account, name: str = "") -> Person:
        """The person behind an account; met for the first time, they become a new person."""
        return self.get(self.meet(account, name))

    def meet(self, account: Account, name: str = "") -> PersonId:
        found = self._behind(account)
        if found is None:
            found = PersonId(derive_id("person", account))
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
        own, now = PersonId(derive_id("person", account)), self._behind(account)
        if now is None or now == own:
            return False
        self._db.execute(update(_P).where(_P.c.id == own).values(merged_into=""))
        self._db.execute(update(_A).where(_A.c.account == account).values(person=own))
        return True

    def set_token(self, login: str, token: str, at: datetime) -> None:
        """Sessions that began with an older one end."""
        upsert(self._db, _T, {"login": login, "hash": _hash(token), "issued_at": seconds(at)})
        self._db.execute(delete(_S).where(_S.c.login == login))

    def revoke_token(self, login: str) -> bool:
        self._db.execute(delete(_S).where(_S.c.login == login))
        return self._db.execute(delete(_T).where(_T.c.login == login)).rowcount == 1


class Links(TransactionPart):
    """Codes and requests that make two accounts one person."""

    def offer(self, side: Side, code: str, until: datetime) -> None:
        """Remember who asked, for whoever repeats this code from another account."""
        row = {"hash": _hash(code.upper()), "account": side.account, "thread": side.thread, "until": seconds(until)}
        upsert(self._db, _C, row)

    def take(self, account: Account, code: str, at: datetime) -> Side:
        """Who made this code. It is used up."""
        wanted = _C.c.hash == _hash(code.upper())
        row = self._db.execute(select(_C).where(wanted)).one_or_none()
        self._db.execute(delete(_C).where(wanted))
        if row is None or row.until < seconds(at) or row.account == account:
            raise OverlordError(
                "That code is not known, was used, or is too old",
                next_step="Say `link` to me from your other account to get a new one.",
            )
        return Side(account=Account(row.account), thread=Thread(row.thread))

    def save(self, request: LinkRequest) -> None:
        body = shape(LinkRequest).dump_json(request).decode()
        upsert(self._db, _R, {"id": request.id, "state": request.state, "until": seconds(request.until), "body": body})

    def find(self, id: DecisionId) -> LinkRequest | None:
        body = self._db.execute(select(_R.c.body).where(_R.c.id == id)).scalar()
        return shape(LinkRequest).validate_json(body) if body else None

    def open(self, at: datetime) -> list[LinkRequest]:
        """Requests that may still be answered."""
        wanted = select(_R.c.body).where(_R.c.state == LinkState.OPEN, _R.c.until >= seconds(at)).order_by(_R.c.until)
        return [shape(LinkRequest).validate_json(body) for body in self._db.execute(wanted).scalars()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """Who is signed in at the console: a row a session, found by the hash of its cookie, gone when it ends."""

    key: str  # the SHA-256 of the cookie
    login: str
    began_at: datetime
    until: datetime
    address: str = ""
    agent: str = ""  # what the browser calls itself

    @property
    def id(self) -> str:
        """For people to name it by; it opens nothing."""
        return self.key[:_SHORT]


class Sessions(TransactionPart):
    def begin(self, session: Session, token_hash: str) -> bool:
        """If that is the token of this login now. Whatever has run out goes, so that the table stays short."""
        known = self._db.execute(select(_T.c.hash).where(_T.c.login == session.login)).scalar()
        if known is None or not secrets.compare_digest(known, token_hash):
            return False
        self._db.execute(delete(_S).where(_S.c.until <= seconds(session.began_at)))
        times = {"began_at": seconds(session.began_at), "until": seconds(session.until)}
        self._db.execute(insert(_S).values({**asdict(session), **times}))
        return True

    def find(self, key: str, at: datetime) -> Session | None:
        row = self._db.execute(select(_S).where(_S.c.key == key, _S.c.until > seconds(at))).one_or_none()
        return _session(row) if row else None

    def list(self, at: datetime, login: str = "") -> "Sequence[Session]":
        """Those that are open, of one login or of all, the newest first."""
        wanted = select(_S).where(_S.c.until > seconds(at)).order_by(_S.c.login, _S.c.began_at.desc(), _S.c.key)
        rows = self._db.execute(wanted.where(_S.c.login == login) if login else wanted)
        return [_session(row) for row in rows]

    def end(self, login: str, id: str = "") -> int:
        """One of this login's, or all of them. Says how many there were."""
        mine = delete(_S).where(_S.c.login == login)
        return self._db.execute(mine.where(func.substr(_S.c.key, 1, _SHORT) == id) if id else mine).rowcount


def _session(row: Row[Any]) -> Session:
    return from_row(Session, row, began_at=moment(row.began_at), until=moment(row.until))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
