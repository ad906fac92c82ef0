"""What a door to the network bears: how many connections, how many of one peer, how long each may keep us waiting.

Whoever says nothing makes room for whoever comes: so a thousand silent connections leave the door open to the next.
"""

import asyncio
import logging
import socket
from collections import Counter
from enum import IntEnum
from ipaddress import ip_network

from agents.domain.limits import Limits
from bot.network.peers import HERE, LookUp, Network, Peer, read_address

log = logging.getLogger("overlord.doors")

APART = 60.0  # seconds between two lines about the same door
BACKLOG = 128  # connections that are taken in at one go, before any of them is looked at
QUEUE = 1024  # that may wait in the kernel for that; beyond it people would wait seconds to be let in


def let_queue(listener: int) -> None:
    """Let more wait in the kernel than are taken in at one go."""
    with socket.fromfd(listener, socket.AF_INET, socket.SOCK_STREAM) as same:
        same.listen(QUEUE)


class Phase(IntEnum):
    """In the order in which connections make room."""

    WAITING = 0  # nothing has been said yet, or nothing since the last answer
    READING = 1  # a request has begun
    BUSY = 2  # it is here whole, and being answered


class Visit:
    """One connection. It tells what happens on it; a time-out ends it."""

    def __init__(self, keeper: "Doorkeeper", transport: asyncio.Transport, peer: Peer) -> None:
        self.peer, self.place = peer, peer.place
        self._keeper, self._transport = keeper, transport
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self.rests()

    def rests(self) -> None:
        self._enter(Phase.WAITING)
        self._within(self._keeper.limits.door_first_byte, "silent")

    def speaks(self) -> None:
        """Bytes came. The time of a request runs from its first, whatever trickles in after it."""
        if self.phase is Phase.WAITING:
            self._enter(Phase.READING)
            self._within(self._keeper.limits.door_request, "slow")

    def is_heard(self) -> None:
        """The whole request is here."""
        self._enter(Phase.BUSY)
        self._disarm()

    def stalls(self) -> None:
        """It takes none of our answer."""
        self._within(self._keeper.limits.door_request, "slow")

    def takes(self) -> None:
        if self.phase is Phase.BUSY:
            self._disarm()

    def end(self, why: str) -> None:
        self.leaves()
        self._transport.abort()
        self._keeper.note(why)

    def leaves(self) -> None:
        self._disarm()
        self._keeper.forget(self)

    def _enter(self, phase: Phase) -> None:
        self.phase, self.since = phase, self._loop.time()

    def _within(self, seconds: float, why: str) -> None:
        self._disarm()
        self._timer = self._loop.call_later(seconds, self.end, why)

    def _disarm(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


class Doorkeeper:
    """Counts the connections of one door. `proxies` stand for many people: only the whole bounds them."""

    def __init__(self, name: str, limits: Limits, look_up: LookUp | None = HERE, proxies: tuple[str, ...] = ()) -> None:
        self.limits = limits
        self._name = name
        self._look_up = look_up
        self._proxies: tuple[Network, ...] = tuple(ip_network(proxy) for proxy in proxies)
        self._visits: dict[str, dict[Visit, None]] = {}
        self._ended: Counter[str] = Counter()
        self._calm: asyncio.TimerHandle | None = None

    def admit(self, transport: asyncio.Transport) -> Visit | None:
        """None: there is no room, and the connection is ended."""
        client, server = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        peer = Peer(client and client[:2], server and server[:2], self._look_up)
        peer.look()
        if not self._has_room(peer):
            transport.abort()
            self.note("refused")
            return None
        visit = Visit(self, transport, peer)
        self._visits.setdefault(visit.place, {})[visit] = None
        return visit

    def forget(self, visit: Visit) -> None:
        here = self._visits.get(visit.place, {})
        here.pop(visit, None)
        if not here:
            self._visits.pop(visit.place, None)

    def close(self) -> None:
        if self._calm:
            self._calm.cancel()

    def _has_room(self, peer: Peer) -> bool:
        theirs = self._visits.get(peer.place, {})
        address = read_address(peer.address)
        is_proxy = address is not None and any(address in proxy for proxy in self._proxies)
        if not is_proxy and len(theirs) >= self.limits.door_per_peer:
            return self._displace(theirs)
        if sum(map(len, self._visits.values())) >= self.limits.door_connections:
            return self._displace(max(self._visits.values(), key=len))
        return True

    def _displace(self, visits: dict[Visit, None]) -> bool:
        """Whoever has been silent the longest goes; then whoever is slowest to say what they want."""
        idle = [visit for visit in visits if visit.phase is not Phase.BUSY]
        if idle:
            min(idle, key=lambda visit: (visit.phase, visit.since)).end("displaced")
        return bool(idle)

    def note(self, why: str) -> None:
        """Remember that one was ended; the log has a line about it at most once a minute."""
        self._ended[why] += 1
        if self._calm is None:
            self._tell()

    def _tell(self) -> None:
        self._calm = None
        if self._ended:
            log.warning("connections were ended at the door", extra={"door": self._name, **self._ended})
            self._ended.clear()
            self._calm = asyncio.get_running_loop().call_later(APART, self._tell)
