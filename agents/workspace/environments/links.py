"""Hosts that an allowed index links to: files of packages often lie on another host than the index itself."""

import asyncio
import json
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urljoin

from agents.domain.project.packages import Client
from agents.workspace.environments.registries import Registry, place_of
from agents.workspace.environments.seen import Seen

ASKED_MOST = 3  # pages of one index
READ_MOST = 8 << 20
PATIENCE = 15.0
_HREF = re.compile(r"""<a\s[^>]*?href\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_NAME = re.compile(r"(?m)^\s*([A-Za-z][\w.-]*)")  # that a requirement begins with
_USUAL = {Client.PIP: "pip", Client.NPM: "npm"}
_ACCEPT = {Client.NPM: "application/vnd.npm.install-v1+json", Client.PIP: "text/html"}


async def linked_places(registries: Sequence[Registry], names: Mapping[Client, Sequence[str]]) -> frozenset[str]:
    """`names`: packages whose pages are read. An index that does not answer links to nothing."""
    found = await asyncio.gather(*(asyncio.to_thread(_linked, each, names.get(each.client, ())) for each in registries))
    return frozenset(place for places in found for place in places)


def _linked(registry: Registry, names: Sequence[str]) -> set[str]:
    found = set[str]()
    for page in _pages(registry, names):
        with suppress(OSError, HTTPException, ValueError, urllib.error.URLError):
            text, at = _read(page, _ACCEPT.get(registry.client, "*/*"))
            found |= {place_of(urljoin(at, link)) for link in _LINKS[registry.client](text)}
    return found - {""}


def _pages(registry: Registry, names: Sequence[str]) -> list[str]:
    base = registry.address.removeprefix("sparse+").rstrip("/")
    if registry.client is Client.CARGO:
        return [f"{base}/config.json"]
    usual = _USUAL.get(registry.client)
    end = "/" if registry.client is Client.PIP else ""
    wanted = [*names, usual][:ASKED_MOST] if usual else []
    return [f"{base}/{quote(name, safe='@')}{end}" for name in wanted if name]


def _read(address: str, accept: str) -> tuple[str, str]:
    request = urllib.request.Request(address, headers={"Accept": accept, "User-Agent": "overlord"})
    if request.type not in ("http", "https"):
        raise ValueError(request.type)
    with urllib.request.urlopen(request, timeout=PATIENCE, context=ssl.create_default_context()) as answer:
        return answer.read(READ_MOST).decode(errors="replace"), answer.url


def _of_pip(text: str) -> Iterator[str]:
    yield from _HREF.findall(text)


def _of_npm(text: str) -> Iterator[str]:
    versions = _object(text).get("versions")
    for version in versions.values() if isinstance(versions, dict) else ():
        dist = version.get("dist") if isinstance(version, dict) else None
        if isinstance(dist, dict) and isinstance(dist.get("tarball"), str):
            yield dist["tarball"]


def _of_cargo(text: str) -> Iterator[str]:
    download = _object(text).get("dl")
    if isinstance(download, str):
        yield download


def _of_go(text: str) -> Iterator[str]:
    yield from ()


_LINKS = {Client.PIP: _of_pip, Client.NPM: _of_npm, Client.GO: _of_go, Client.CARGO: _of_cargo}


def _object(text: str) -> dict[str, Any]:
    read = json.loads(text)
    return read if isinstance(read, dict) else {}


def package_names(seen: Seen) -> dict[Client, list[str]]:
    """Some packages that the tree asks for, to see where an index keeps such."""
    python, node = list[str](), list[str]()
    for path, text in seen.texts.items():
        if path.endswith(".txt"):
            python += _NAME.findall(text)
        elif path.endswith("pyproject.toml"):
            project = seen.toml(path).get("project")
            needs = project.get("dependencies") if isinstance(project, dict) else None
            python += _NAME.findall("\n".join(map(str, needs))) if isinstance(needs, list) else []
        elif path.endswith("package.json"):
            node += [name for kind in ("dependencies", "devDependencies") for name in _keys(seen.json(path).get(kind))]
    return {Client.PIP: [*dict.fromkeys(python)], Client.NPM: [*dict.fromkeys(node)]}


def _keys(table: object) -> list[str]:
    return [str(name) for name in table] if isinstance(table, dict) else []
