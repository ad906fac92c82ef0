"""All books over one connection: what a transaction, a plain function, works with."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from store.calls import Calls
from store.deliveries import Deliveries
from store.jobs import Jobs
from store.ledger import Ledger
from store.log import Log
from store.messages import Messages
from store.people import People
from store.posts import Posts
from store.statements import execute
from store.threads import Threads
from store.timers import Timers


class Books:
    """Made anew for each transaction. `touched` says what changed, so that the right pumps wake after the commit."""

    def __init__(self, db: Connection) -> None:
        self.db = db
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
        self.calls = Calls(db)

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
