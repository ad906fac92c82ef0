"""Leases in the name of this process, with the owners that are known to be gone."""

from datetime import timedelta

from agents.ports import Clock
from store.books import Books
from store.leases import Lease, is_dead, this_process


class Leases:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._owner = this_process()
        self._dead: tuple[str, ...] = ()

    def look_for_the_dead(self, books: Books) -> None:
        """Find holders on this host that no longer run, so that nobody waits for their leases to run out."""
        owners = books.jobs.lease_owners() | books.posts.lease_owners()
        self._dead = tuple(sorted(owner for owner in owners if owner != self._owner and is_dead(owner)))

    def for_seconds(self, seconds: float) -> Lease:
        now = self._clock.now()
        return Lease(owner=self._owner, at=now, until=now + timedelta(seconds=seconds), dead=self._dead)
