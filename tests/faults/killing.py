"""A process that kills itself with SIGKILL at a chosen step of its event loop, and is started again until it is done.

A bot is forked from the test, after the imports, so that a trial is cheap. The parent is the outside world: it speaks
HTTP, and looks into the database over a connection that can only read.
"""

import asyncio
import ctypes
import faulthandler
import gc
import logging
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol, TypeVar

Plan = TypeVar("Plan")
Result = TypeVar("Result")

PATIENCE = 90.0  # real seconds after which something that should have happened counts as never happening
TICK = 0.03  # looking costs as much as a step of the bot, and both share the machine
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)

Ready = Callable[[str], None]  # a child calls it once, with its address, when it can be spoken to
Main = Callable[[Ready], Awaitable[None]]


class Steps:
    """How many steps a child's loop has made; the parent reads it even after the child was killed."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 8)

    @property
    def made(self) -> int:
        return int(struct.unpack_from("q", self._shared)[0])

    def count(self, made: int) -> None:
        struct.pack_into("q", self._shared, 0, made)


class KillingLoop(asyncio.SelectorEventLoop):
    """The usual event loop, which does not live beyond step `kill_at`."""

    def __init__(self, kill_at: int, steps: Steps) -> None:
        super().__init__()
        self._kill_at, self._steps, self._made = kill_at, steps, 0

    def _run_once(self) -> None:
        self._made += 1
        self._steps.count(self._made)
        if self._made == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        super()._run_once()  # type: ignore[misc]  # the one step of a loop, which typeshed does not name


class NeverReady(AssertionError):
    """A child ended by itself: not by our kill, so something in it is wrong. Its log says what."""


@dataclass
class Mortal:
    """A child that is started again each time it dies, with the next step of `kills` to die at; 0: it lives on."""

    main: Main
    log: Path
    kills: list[int] = field(default_factory=list)
    steps: Steps = field(default_factory=Steps)
    on_death: Callable[[], None] = lambda: None  # called before it is started again
    died: int = 0  # times it was killed and started again
    address: str = ""
    pid: int = 0

    def start(self) -> None:
        """Fork, and wait until the child can be spoken to; one that dies before that is started again."""
        while not self.start_once(self.kills.pop(0) if self.kills else 0):
            self._mourn()

    def start_once(self, kill_at: int = 0) -> bool:
        """Whether it lived to say that it can be spoken to."""
        read, write = os.pipe()
        self.steps.count(0)
        gc.freeze()  # pages that the collector does not touch are shared, not copied
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            _live(self, kill_at, write)
        os.close(write)
        with os.fdopen(read) as told:
            self.address = told.read()
        if self.address:
            return True
        self.reap(wait=True)
        return False

    def revive(self) -> None:
        """Start it again if it has died."""
        if self.reap():
            self._mourn()
            self.start()

    def _mourn(self) -> None:
        self.died += 1
        self.on_death()

    def reap(self, *, wait: bool = False) -> bool:
        """Whether it has died; a death that we did not ask for is an error."""
        if not self.pid:
            return True
        pid, status = os.waitpid(self.pid, 0 if wait else os.WNOHANG)
        if not pid:
            return False
        self.pid = 0
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            raise NeverReady(f"the bot ended by itself (status {status}):\n{self.log.read_text()[-4000:]}")
        return True

    def kill(self) -> None:
        """kill -9 from outside, now."""
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.reap(wait=True)

    def stop(self) -> None:
        """Ask it to end, as a service manager does."""
        os.kill(self.pid, signal.SIGTERM)
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, self.log.read_text()[-4000:]


@contextmanager
def living(mortal: Mortal) -> Iterator[Mortal]:
    mortal.start()
    try:
        yield mortal
    finally:
        mortal.kill()


def side_by_side(do: Callable[[Plan], Result], plans: Sequence[Plan], at_once: int) -> Iterator[Result]:
    """Do it for each plan, several at once, in processes of one thread each: forking is safe from those alone."""
    with get_context("fork").Pool(at_once) as pool:
        yield from pool.imap_unordered(do, plans)


class Watched(Protocol):
    """Whoever is waited for: it may have died, and it has a log."""

    @property
    def log(self) -> Path: ...

    def revive(self) -> None: ...


def until(condition: Callable[[], bool], *mortals: Watched, what: str = "", patience: float = PATIENCE) -> None:
    """Wait for something, keeping the mortals alive meanwhile."""
    deadline = time.monotonic() + patience
    while not condition():
        for mortal in mortals:
            mortal.revive()
        if time.monotonic() > deadline:
            logs = "\n".join(m.log.read_text()[-3000:] for m in mortals if m.log.exists())
            raise AssertionError(f"never happened within {patience:.0f} s: {what}\n{logs}")
        time.sleep(TICK)


def _live(mortal: Mortal, kill_at: int, write: int) -> None:
    """The child's whole life. It never returns into the test that it was forked from."""
    status = 1
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        _log_to(mortal.log)
        with asyncio.Runner(loop_factory=lambda: KillingLoop(kill_at, mortal.steps)) as runner:
            runner.run(_until_stopped(mortal.main, write))
        status = 0
    except BaseException:
        logging.getLogger("mortal").exception("the child ended by itself")
        raise
    finally:
        os._exit(status)


async def _until_stopped(main: Main, write: int) -> None:
    def ready(address: str) -> None:
        os.write(write, address.encode())
        os.close(write)

    running = asyncio.ensure_future(main(ready))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    with suppress(asyncio.CancelledError):
        await running


def _log_to(path: Path) -> None:
    root = logging.getLogger()
    for handler in root.handlers[:]:
        root.removeHandler(handler)
    logging.basicConfig(filename=path, level=logging.INFO, format="%(process)d %(name)s %(message)s", force=True)
    faulthandler.enable(path.open("a"))
