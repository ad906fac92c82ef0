"""One thread writes and commits many transactions together; a few others read. Callers only wait.

A transaction may be run a second time, when another one that shared its commit had to be undone.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError

from agents.domain.errors import OverlordError
from store.migrations import migrate
from store.sql import make_engines, rows_written
from store.transaction import Transaction

Result = TypeVar("Result")
InTransaction = Callable[[Transaction], Result]

log = logging.getLogger("overlord.store")

_DAMAGED, _NO_SUCH_TABLE = (11, 26), 1  # SQLite's codes: corrupt or not a database; a statement that fits no table
BATCH = 128  # transactions that share one commit, at most
BATCH_SECONDS = 0.05  # and how long to go on collecting their work
CALM = 60.0  # seconds without trouble after which the next trouble is a new one
TRY_AGAIN = 0.5  # seconds between two tries at something that must be written


class StoreUnavailable(OverlordError):
    """Nothing was written, or, where the answer to a commit was lost, all of it. Whoever asked tries again."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"The database cannot be written ({problem})",
            next_step="Nothing was lost. Check its disk and its server; I try again by myself.",
        )


class StoreUnusable(StoreUnavailable):
    """What is there is not our database, or not a whole one any more. Trying again does not help, so the program ends;
    until it has, this is an outage like any other: nothing is acknowledged, and nothing given up.
    """

    def __init__(self, problem: str) -> None:
        OverlordError.__init__(
            self,
            f"The database cannot be used: {problem}",
            next_step="Nothing in it was changed. Put the last good backup in its place, move it away to begin anew, "
            "or name another one in OVERLORD_DATABASE_URL.",
        )


@dataclass(slots=True)
class _Waiting:
    transaction: InTransaction[Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    result: Any = None
    error: Exception | None = None


class Database:
    """Runs plain functions, each in a transaction. What they touched is told once it is committed."""

    def __init__(self, url: str, on_change: Callable[[frozenset[str]], None] = lambda topics: None) -> None:
        self._writer, self._reader = make_engines(url)
        self._on_change = on_change
        self._queue: deque[_Waiting] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._connection: Connection | None = None
        self._tx: Transaction | None = None  # of that connection
        self._outage = _Outage()
        self.damage: StoreUnusable | None = None  # once it is known that trying again does not help
        self.on_damage: Callable[[], object] = lambda: None  # called in any thread
        self._others: object = None
        self._thread = threading.Thread(target=self._write_for_ever, name="store-writer", daemon=True)
        self._readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="store-reader")
        self._migrate()
        self._thread.start()

    async def write(self, transaction: InTransaction[Result]) -> Result:
        """Run a transaction; when this returns it is on disk. Cancelling the caller leaves nothing half done."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()
        with self._wake:
            if self._closing:
                raise StoreUnavailable("it is closing")
            if not self._queue:  # else the writer is awake, or about to be
                self._wake.notify()
            self._queue.append(_Waiting(transaction, loop, future))
        return await future

    async def insist(self, transaction: InTransaction[Result]) -> Result:
        """As `write`, for what has already happened outside: an outage is waited out.

        A commit whose answer was lost is made again, so the transaction must do nothing the second time.
        """
        while True:
            try:
                return await self.write(transaction)
            except StoreUnavailable:
                if self._closing or self.damage:
                    raise
                await asyncio.sleep(TRY_AGAIN)

    async def read(self, question: InTransaction[Result]) -> Result:
        """Ask something of what is committed; all answers are of one instant."""

        def whole() -> Result:
            try:
                with self._reader.connect() as db:
                    return question(Transaction(db))
            except DBAPIError as error:
                problem = self._error(error)
                if problem is None:
                    raise
                self._outage.begin(_short(error))
                raise problem from error

        return await asyncio.get_running_loop().run_in_executor(self._readers, whole)

    async def others_wrote(self) -> bool:
        """Whether another process may have committed something since this was last asked."""
        sqlite = self._writer.dialect.name == "sqlite"
        seen = await (self.write(lambda tx: tx.version) if sqlite else self.read(_read_position))
        changed, self._others = seen != self._others, seen
        return changed

    def close(self) -> None:
        """Write what is waiting, then stop."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._readers.shutdown()
        self._writer.dispose()
        self._reader.dispose()

    def _migrate(self) -> None:
        try:
            with self._writer.begin() as db:
                migrate(db)
        except (SQLAlchemyError, ValueError) as error:
            self._writer.dispose()
            outage = _is_outage(error) and _sqlite_code(error) != _NO_SUCH_TABLE
            raise (StoreUnavailable if outage else StoreUnusable)(_short(error)) from error

    def _write_for_ever(self) -> None:
        while batch := self._next_batch():
            touched = self._commit(batch)
            _answer(batch)
            if touched:
                self._on_change(frozenset(touched))
        self._forget_connection()

    def _error(self, error: Exception) -> StoreUnavailable | None:
        problem = _store_error(error)
        if isinstance(problem, StoreUnusable) and self.damage is None:
            self.damage = problem
            self.on_damage()
        return problem

    def _next_batch(self) -> list[_Waiting]:
        with self._wake:
            while not self._queue and not self._closing:
                self._wake.wait()
            return self._take(BATCH)

    def _commit(self, batch: list[_Waiting]) -> set[str]:
        try:
            touched = self._together(batch, _run)
            if touched is None:  # one of them failed when it had written something: now each can be undone by itself
                touched = self._together(batch, _run_apart) or set()
        except SQLAlchemyError as error:
            self._forget_connection()
            self._outage.begin(_short(error))
            problem = self._error(error) or StoreUnavailable(_short(error))
            for waiting in batch:
                waiting.error = problem
            return set()
        if touched:  # a full disk takes a commit that changes nothing
            self._outage.end()
        return touched

    def _together(self, batch: list[_Waiting], run: Callable[[Transaction, _Waiting], bool]) -> set[str] | None:
        """One transaction of the database. None: it had to be undone."""
        db = self._connection = self._connection or self._writer.connect()
        touched: set[str] = set()
        with db.begin() as whole:
            tx = self._tx = self._tx or Transaction(db)
            tx.begin()
            stop_at = time.monotonic() + BATCH_SECONDS
            done = 0
            while done < len(batch):
                if not run(tx, batch[done]):
                    whole.rollback()
                    return None
                touched |= tx.touched
                done += 1
                if done == len(batch) and len(batch) < BATCH and time.monotonic() < stop_at:
                    batch.extend(self._take(BATCH - len(batch)))
        return touched

    def _take(self, most: int) -> list[_Waiting]:
        with self._wake:
            return [self._queue.popleft() for _ in range(min(most, len(self._queue)))]

    def _forget_connection(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.invalidate()
                self._connection.close()
            self._connection = self._tx = None


def _read_position(tx: Transaction) -> object:
    """PostgreSQL says how much was written in all, by us too."""
    return tx.db.exec_driver_sql("SELECT pg_current_wal_insert_lsn()").scalar()


def _run(tx: Transaction, waiting: _Waiting) -> bool:
    """Whether what it wrote can stay: all of it, or nothing because it failed before it wrote."""
    before = rows_written(tx.db)
    _try(tx, waiting)
    return waiting.error is None or (before is not None and before == rows_written(tx.db))


def _run_apart(tx: Transaction, waiting: _Waiting) -> bool:
    """In a savepoint of its own, so that one that raises undoes only itself. It costs as much as a statement or two."""
    alone = tx.db.begin_nested()
    _try(tx, waiting)
    if waiting.error is None:
        alone.commit()
    else:
        alone.rollback()
    return True


def _try(tx: Transaction, waiting: _Waiting) -> None:
    tx.touched.clear()
    waiting.result = waiting.error = None
    try:
        waiting.result = waiting.transaction(tx)
        return
    except Exception as error:  # whatever a transaction raises belongs to its caller, not to the writer
        if _store_error(error):
            raise
        waiting.error = error
    tx.touched.clear()
    tx.log.forget()


def _answer(batch: list[_Waiting]) -> None:
    """Wake the callers, once for each event loop."""
    for loop in {waiting.loop for waiting in batch}:
        mine = [waiting for waiting in batch if waiting.loop is loop]
        with suppress(RuntimeError):  # the loop is gone: nobody is left to be told
            loop.call_soon_threadsafe(_tell, mine)


def _tell(batch: list[_Waiting]) -> None:
    for waiting in batch:
        if waiting.future.done():
            continue
        if waiting.error is not None:
            waiting.future.set_exception(waiting.error)
        else:
            waiting.future.set_result(waiting.result)


class _Outage:
    """Whether the store can be used. An outage is told once, however many meet it and however it flickers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._problem = ""
        self._ended_at = -CALM

    def begin(self, problem: str) -> None:
        with self._lock:
            known, self._problem = self._problem, problem
            level = logging.ERROR if time.monotonic() - self._ended_at > CALM else logging.INFO
        if not known:
            log.log(level, "the store cannot be used", extra={"problem": problem})

    def end(self) -> None:
        with self._lock:
            known, self._problem = self._problem, ""
            self._ended_at = time.monotonic() if known else self._ended_at
        if known:
            log.info("the store can be used again", extra={"problem": known})


def _is_outage(error: Exception) -> bool:
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    return isinstance(error, OperationalError | InterfaceError) or lost


def _store_error(error: Exception) -> StoreUnavailable | None:
    """What to say of trouble with the database itself; None for trouble with what was asked of it."""
    if _is_outage(error):
        return StoreUnavailable(_short(error))
    damaged = _sqlite_code(error) in _DAMAGED
    return StoreUnusable(f"{_short(error)}, so it is damaged or not a database") if damaged else None


def _sqlite_code(error: Exception) -> int:
    return int(getattr(getattr(error, "orig", None), "sqlite_errorcode", 0)) & 0xFF


def _short(error: Exception) -> str:
    said = str(error.orig if isinstance(error, DBAPIError) else error).strip()
    return said.splitlines()[0] if said else type(error).__name__
