"""All books over one connection: what a transaction, a plain function, works with."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from sqlalchemy import Connection

from store.deliveries import Deliveries
from store.jobs import Jobs
from store.ledger import Ledger
from store.log import Log
from store.messages import Messages
from store.people import People
from store.posts import Posts
from store.threads import Threads
from store.timers import Timers


class Books:
    """Made anew for each transaction. `touched` says what changed, so that the right pumps wake after the commit."""

    def __init__(self, db: Connection) -> None:
        self.db = db
        self.touched: set[str] = set()

    @contextmanager
    def undone_on_error(self) -> Iterator[None]:
        """What is written inside is undone if something is raised; the transaction goes on."""
        with self.db.begin_nested():
            yield

    @cached_property
    def log(self) -> Log:
        return Log(self.db, self.touched)

    @cached_property
    def ledger(self) -> Ledger:
        return Ledger(self.db)

    @cached_property
    def timers(self) -> Timers:
        return Timers(self.db)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.db, self.touched)

    @cached_property
    def deliveries(self) -> Deliveries:
        return Deliveries(self.db, self.touched)

    @cached_property
    def posts(self) -> Posts:
        return Posts(self.db, self.touched)

    @cached_property
    def threads(self) -> Threads:
        return Threads(self.db)

    @cached_property
    def messages(self) -> Messages:
        return Messages(self.db, self.touched)

    @cached_property
    def people(self) -> People:
        return People(self.db)
