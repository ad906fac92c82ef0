"""Connections from outside: who is at the other end, and how many are let in, of one peer and for how long.

A peer is an address, or on loopback a user of this machine (Linux). Connections that say nothing make room for new
ones, so a thousand silent ones keep nobody out.
"""

import asyncio
import logging
import os
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

from agents.domain.limits import Limits

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
Address = tuple[str, int]
Ip = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Ask = Callable[[Address, Address], int | None]  # the client's end and ours → a user id; OSError: cannot be asked

ESTABLISHED = 1  # the only state in which the kernel knows an owner: of a socket that was closed it says root
_SOCK_DIAG, _BY_FAMILY, _REQUEST = 4, 20, 1
_HEADER, _QUESTION, _ANSWER = struct.Struct("=IHHII"), struct.Struct("=BBxxI"), struct.Struct("=BB2x48x12xI")


def ask_kernel(client: Address, server: Address) -> int | None:
    """One question about one socket: a few microseconds, however many sockets there are."""
    client, server = _plain(client), _plain(server)
    found = _diagnose(client, server)
    if found is None and _diagnose(server, client) is None:  # our own end is there for certain
        raise OSError("the kernel does not tell of sockets")
    state, owner = found or (0, 0)
    return owner if state == ESTABLISHED else None


def _diagnose(local: Address, remote: Address) -> tuple[int, int] | None:
    """The state and the owner of the socket between these ends; None: the kernel names none."""
    family = socket.AF_INET6 if ":" in local[0] else socket.AF_INET
    ends = b"".join(socket.inet_pton(family, end[0]).ljust(16, b"\0") for end in (local, remote))
    which = struct.pack("!HH", local[1], remote[1]) + ends + struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
    question = _QUESTION.pack(family, socket.IPPROTO_TCP, 0xFFFFFFFF) + which
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _SOCK_DIAG) as kernel:
        kernel.settimeout(1)  # it answers while it is asked; this is for one that does not
        kernel.send(_HEADER.pack(_HEADER.size + len(question), _BY_FAMILY, _REQUEST, 1, 0) + question)
        answer = kernel.recv(4096)
    if _HEADER.unpack_from(answer)[1] != _BY_FAMILY:
        return None
    _, state, owner = _ANSWER.unpack_from(answer, _HEADER.size)
    return int(state), int(owner)


def read_tables(client: Address, server: Address, tables: tuple[Path, ...] = TABLES) -> int | None:
    """The same from a list of all sockets: the row that is local to the client and remote to us."""
    wanted = (_plain(client), _plain(server), ESTABLISHED)
    for table in tables:
        for line in _rows(table):
            *row, owner = _row(line)
            if tuple(row) == wanted:
                return owner
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """How owners are looked up: at once if the kernel can be asked, else slowly."""

    at_once: Ask = ask_kernel
    slowly: Ask = read_tables


HERE = LookUp() if sys.platform == "linux" else None  # None: nobody can be looked up on this platform


class Peer:
    """Whoever is at the other end of one connection. They are looked up once, and the answer is kept with it."""

    def __init__(self, client: Address | None, server: Address | None, look_up: LookUp | None) -> None:
        self._ends = (client, server) if client and server and is_loopback(client[0]) else None
        self._look_up = look_up
        self.address = client[0] if client else ""
        self._asked = self._ends is None or look_up is None
        self.owner: int | None = None  # None: not known, or not yet

    def look(self) -> None:
        """Find the owner now, if that takes no time."""
        if self._ends and self._look_up and not self._asked:
            try:
                self.owner = self._look_up.at_once(*self._ends)
                self._asked = True
            except OSError:  # no such socket family here; the slow way is left
                pass

    async def is_ours(self) -> bool:
        """Whether it certainly is our own user, or root. Whoever cannot be looked up is not let in."""
        self.look()
        if self._ends and self._look_up and not self._asked:
            self.owner = await asyncio.to_thread(self._look_up.slowly, *self._ends)
            self._asked = True
        return self.owner is not None and self.owner in (0, os.getuid())

    @property
    def place(self) -> str:
        """What counts as one peer: a user of this machine, an IPv4 address, or the /64 of one IPv6 subscriber."""
        if self.owner is not None:
            return f"user {self.owner}"
        return neighbourhood(self.address)


def read_address(written: str) -> Ip | None:
    """An address, also with a port or in brackets; None for everything else."""
    if written.startswith("["):
        written = written[1:].partition("]")[0]
    elif written.count(":") == 1:
        written = written.partition(":")[0]
    try:
        found = ip_address(written)
    except ValueError:
        return None
    return _unmapped(found)


def neighbourhood(address: str) -> str:
    found = read_address(address)
    return str(IPv6Network((found.packed, 64), strict=False) if isinstance(found, IPv6Address) else found or "")


def is_loopback(address: str) -> bool:
    found = read_address(address)
    return found is not None and found.is_loopback


def _rows(table: Path) -> list[str]:
    try:
        return table.read_text().splitlines()[1:]
    except OSError:  # not Linux, or /proc is not mounted
        return []


def _row(line: str) -> tuple[Address, Address, int, int]:
    _, local, remote, state, _, _, _, owner, *_ = line.split()
    return _address(local), _address(remote), int(state, 16), int(owner)


def _address(text: str) -> Address:
    """`0100007F:1F90`: words in this machine's byte order, then the port."""
    raw, _, port = text.partition(":")
    words = struct.pack(f"={len(raw) // 8}I", *(int(raw[at : at + 8], 16) for at in range(0, len(raw), 8)))
    family = socket.AF_INET if len(words) == 4 else socket.AF_INET6
    return _plain((socket.inet_ntop(family, words), int(port, 16)))


def _plain(address: Address) -> Address:
    return str(_unmapped(ip_address(address[0]))), address[1]


def _unmapped(ip: Ip) -> Ip:
    """An IPv4 address stays one when a socket of both kinds shows it as IPv6."""
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return mapped or ip


log = logging.getLogger("overlord.doors")

APART = 60.0  # seconds between two log lines about the same server
BACKLOG = 128  # connections that are taken in at one go, before any of them is looked at
QUEUE = 1024  # that may wait in the kernel for that; beyond it people would wait seconds to be let in


def let_queue(listener: int) -> None:
    """Let more wait in the kernel than are taken in at one go."""
    with socket.fromfd(listener, socket.AF_INET, socket.SOCK_STREAM) as same:
        same.listen(QUEUE)


class Phase(IntEnum):
    """In the order in which connections are ended to make room."""

    WAITING = 0  # nothing has been said yet, or nothing since the last answer
    READING = 1  # a request has begun
    BUSY = 2  # it is here whole, and being answered


class TrackedConnection:
    """One connection, which is told what happens on it; a time-out ends it."""

    def __init__(self, limiter: "ConnectionLimiter", transport: asyncio.Transport, peer: Peer) -> None:
        self.peer, self.place = peer, peer.place
        self._limiter, self._transport = limiter, transport
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self.wait()

    def wait(self) -> None:
        """For a request, the first or the next."""
        self._enter(Phase.WAITING)
        self._within(self._limiter.limits.door_first_byte, "silent")

    def read(self) -> None:
        """Bytes came. The time of a request runs from its first, whatever trickles in after it."""
        if self.phase is Phase.WAITING:
            self._enter(Phase.READING)
            self._within(self._limiter.limits.door_request, "slow")

    def answer(self) -> None:
        """The whole request is here."""
        self._enter(Phase.BUSY)
        self._disarm()

    def stall(self) -> None:
        """It takes none of our answer."""
        self._within(self._limiter.limits.door_request, "slow")

    def resume(self) -> None:
        if self.phase is Phase.BUSY:
            self._disarm()

    def end(self, why: str) -> None:
        self.close()
        self._transport.abort()
        self._limiter.note(why)

    def close(self) -> None:
        self._disarm()
        self._limiter.forget(self)

    def _enter(self, phase: Phase) -> None:
        self.phase, self.since = phase, self._loop.time()

    def _within(self, seconds: float, why: str) -> None:
        self._disarm()
        self._timer = self._loop.call_later(seconds, self.end, why)

    def _disarm(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


class ConnectionLimiter:
    """Bounds the connections of one server. `proxies` stand for many people: only the total bounds them."""

    def __init__(self, name: str, limits: Limits, look_up: LookUp | None = HERE, proxies: tuple[str, ...] = ()) -> None:
        self.limits = limits
        self._name = name
        self._look_up = look_up
        self._proxies: tuple[Network, ...] = tuple(ip_network(proxy) for proxy in proxies)
        self._connections: dict[str, dict[TrackedConnection, None]] = {}
        self._ended: Counter[str] = Counter()
        self._calm: asyncio.TimerHandle | None = None

    def admit(self, transport: asyncio.Transport) -> TrackedConnection | None:
        """None: there is no room, and the connection is ended."""
        client, server = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        peer = Peer(client and client[:2], server and server[:2], self._look_up)
        peer.look()
        if not self._has_room(peer):
            transport.abort()
            self.note("refused")
            return None
        connection = TrackedConnection(self, transport, peer)
        self._connections.setdefault(connection.place, {})[connection] = None
        return connection

    def forget(self, connection: TrackedConnection) -> None:
        here = self._connections.get(connection.place, {})
        here.pop(connection, None)
        if not here:
            self._connections.pop(connection.place, None)

    def close(self) -> None:
        if self._calm:
            self._calm.cancel()

    def _has_room(self, peer: Peer) -> bool:
        theirs = self._connections.get(peer.place, {})
        address = read_address(peer.address)
        is_proxy = address is not None and any(address in proxy for proxy in self._proxies)
        if not is_proxy and len(theirs) >= self.limits.door_per_peer:
            return self._displace(theirs)
        if sum(map(len, self._connections.values())) >= self.limits.door_connections:
            return self._displace(max(self._connections.values(), key=len))
        return True

    def _displace(self, connections: dict[TrackedConnection, None]) -> bool:
        """Ends whichever has been silent the longest; then whichever is slowest to send its request."""
        idle = [connection for connection in connections if connection.phase is not Phase.BUSY]
        if idle:
            min(idle, key=lambda connection: (connection.phase, connection.since)).end("displaced")
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
