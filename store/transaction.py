"""Every table's operations over one connection: what a transaction, a plain function, is given."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from store.chat.deliveries import Deliveries
from store.chat.digests import Digests
from store.chat.people import Links, People, Sessions
from store.chat.posts import Posts, Waits
from store.chat.threads import Messages, Threads
from store.running.acts import Acts
from store.running.calls import Breakers, Calls
from store.running.jobs import Jobs
from store.sql import written_by_others
from store.streams.failures import Failures
from store.streams.ledger import Ledger, PutOff
from store.streams.log import Log
from store.streams.notes import NoteTable
from store.streams.proposals import Proposals
from store.streams.skills import SkillTables


class Transaction:
    """Of one transaction, or of many that are committed together. `touched` says what changed: pumps wake for it."""

    def __init__(self, db: Connection) -> None:
        if not db.in_transaction():
            db.begin()
        self.db = db
        self.version: int | None = None  # another one when others have written; None: nobody knows
        self.touched: set[str] = set()
        self.log = Log(db, self.touched)
        self.ledger = Ledger(db, self.touched)
        self.jobs = Jobs(db, self.touched)
        self.acts = Acts(db, self.touched)
        self.deliveries = Deliveries(db, self.touched)
        self.posts = Posts(db, self.touched)
        self.waits = Waits(db, self.touched)
        self.threads = Threads(db, self.touched)
        self.messages = Messages(db, self.touched)
        self.people = People(db, self.touched)
        self.sessions = Sessions(db, self.touched)
        self.links = Links(db, self.touched)
        self.calls = Calls(db, self.touched)
        self.breakers = Breakers(db, self.touched)
        self.proposals = Proposals(db, self.touched)
        self.failures = Failures(db, self.touched)
        self.skills = SkillTables(db, self.touched)
        self.notes = NoteTable(db, self.touched)
        self.put_off = PutOff(db, self.touched)
        self.digests = Digests(db, self.touched)

    def begin(self) -> None:
        """Another transaction of the same connection. What others wrote since the last one is seen."""
        version = written_by_others(self.db)
        if version is None or version != self.version:
            self.log.forget()
        self.version = version

    @contextmanager
    def undone_on_error(self) -> Iterator[None]:
        """What is written inside is undone if something is raised; the transaction goes on."""
        whole = False
        try:
            with self.db.begin_nested():
                yield
            whole = True
        finally:
            if not whole:
                self.log.forget()
