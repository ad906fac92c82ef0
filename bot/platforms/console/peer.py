"""Which user of this machine is at the other end of a loopback connection (Linux)."""

import os
import socket
import struct
from ipaddress import IPv6Address, ip_address
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
Address = tuple[str, int]


def is_stranger(client: Address, server: Address, tables: tuple[Path, ...] = TABLES) -> bool:
    """Whether the client's socket certainly is another user's. What cannot be looked up is not held against it."""
    owner = owner_of(client, server, tables)
    return owner is not None and owner not in (0, os.getuid())


def owner_of(client: Address, server: Address, tables: tuple[Path, ...] = TABLES) -> int | None:
    """The user id of the client's end: the row that is local to the client and remote to us."""
    wanted = (_plain(client), _plain(server))
    for table in tables:
        for line in _rows(table):
            local, remote, owner = _row(line)
            if (local, remote) == wanted:
                return owner
    return None


def _rows(table: Path) -> list[str]:
    try:
        return table.read_text().splitlines()[1:]
    except OSError:  # not Linux, or /proc is not mounted
        return []


def _row(line: str) -> tuple[Address, Address, int]:
    _, local, remote, _, _, _, _, owner, *_ = line.split()
    return _address(local), _address(remote), int(owner)


def _address(text: str) -> Address:
    """`0100007F:1F90`: words in this machine's byte order, then the port."""
    raw, _, port = text.partition(":")
    words = struct.pack(f"={len(raw) // 8}I", *(int(raw[at : at + 8], 16) for at in range(0, len(raw), 8)))
    family = socket.AF_INET if len(words) == 4 else socket.AF_INET6
    return _plain((socket.inet_ntop(family, words), int(port, 16)))


def _plain(address: Address) -> Address:
    """An IPv4 address stays one when a socket of both kinds shows it as IPv6."""
    ip = ip_address(address[0])
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return str(mapped or ip), address[1]
