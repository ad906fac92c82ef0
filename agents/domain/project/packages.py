"""Package clients, and the hosts that each may reach while a project is set up."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator

_HOST = re.compile(r"(?=.{1,253}(:|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?")
PORTS = (443, 80)


class Client(StrEnum):
    PIP = "pip"
    NPM = "npm"
    GO = "go"
    CARGO = "cargo"


def _host(written: str) -> str:
    if not _HOST.fullmatch(written.casefold()):
        raise ValueError(f"`{written[:80]}` is no name of a host. Write it bare, such as `packages.example.org`.")
    return written.casefold()


Host = Annotated[str, AfterValidator(_host)]
PackageHosts = Mapping[Client, tuple[Host, ...]]


def places_of(hosts: tuple[str, ...]) -> frozenset[str]:
    """As `host:port`."""
    return frozenset(
        place
        for host in hosts
        for place in ([host] if re.search(r":\d+$", host) else [f"{host}:{port}" for port in PORTS])
    )
