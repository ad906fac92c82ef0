"""Every table's operations over one connection: what a transaction, a plain function, is given."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from store.chat.deliveries import Deliveries
from store.chat.links import Links
from store.chat.messages import Messages
from store.chat.people import People
from store.chat.posts import Posts
from store.chat.sessions import Sessions
from store.chat.threads import Threads
from store.chat.waits import Waits
from store.dialect import written_by_others
from store.running.calls import Calls
from store.running.jobs import Jobs
from store.running.pulls import Pulls
from store.statements import execute
from store.streams.ledger import Ledger
from store.streams.log import Log
from store.streams.proposals import Proposals
from store.streams.timers import Timers


class Transaction:
    """Of one transaction, or of many that are committed together. `touched` says what changed: pumps wake for it."""

    def __init__(self, db: Connection) -> None:
        if not db.in_transaction():
            db.begin()
        self.db = db
        self.version: int | None = None  # another one when others have written; None: nobody knows
        self.touched: set[str] = set()
        self.log = Log(db, self.touched)
        self.ledger = Ledger(db)
        self.timers = Timers(db)
        self.jobs = Jobs(db, self.touched)
        self.deliveries = Deliveries(db, self.touched)
        self.posts = Posts(db, self.touched)
        self.threads = Threads(db)
        self.messages = Messages(db, self.touched)
        self.people = People(db)
        self.sessions = Sessions(db)
        self.links = Links(db)
        self.calls = Calls(db)
        self.pulls = Pulls(db, self.touched)
        self.waits = Waits(db)
        self.proposals = Proposals(db)

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
        execute(self.db, "SAVEPOINT part")
        try:
            yield
            whole = True
        finally:
            if not whole:
                execute(self.db, "ROLLBACK TO SAVEPOINT part")
                self.log.forget()
            execute(self.db, "RELEASE SAVEPOINT part")
