"""All books over one connection: what a transaction, a plain function, works with."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from store.calls import Calls
from store.deliveries import Deliveries
from store.dialect import written_by_others
from store.jobs import Jobs
from store.ledger import Ledger
from store.links import Links
from store.log import Log
from store.messages import Messages
from store.people import People
from store.posts import Posts
from store.proposals import Proposals
from store.pulls import Pulls
from store.sessions import Sessions
from store.statements import execute
from store.threads import Threads
from store.timers import Timers
from store.waits import Waits


class Books:
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
