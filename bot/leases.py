"""Leases in the name of this process, with the owners that are known to be gone."""

import secrets
from collections.abc import Iterable
from datetime import timedelta

from agents.ports import Clock
from store.books import Books
from store.running.leases import Lease, is_dead, this_process


class Leases:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._owner = f"{this_process()}/{secrets.token_hex(4)}"  # two programs in one process are two holders
        self._dead: tuple[str, ...] = ()

    def look_for_the_dead(self, books: Books) -> None:
        """Find holders on this host that no longer run, so that nobody waits for their leases to run out."""
        owners = books.jobs.lease_owners() | books.posts.lease_owners()
        self._dead = tuple(sorted(owner for owner in owners if owner != self._owner and is_dead(owner)))

    def for_seconds(self, seconds: float, busy: Iterable[str] = ()) -> Lease:
        """`busy` is what this holder is at work on now."""
        now = self._clock.now()
        until = now + timedelta(seconds=seconds)
        return Lease(owner=self._owner, at=now, until=until, dead=self._dead, busy=tuple(busy))
