"""Small packages of the registry that ship their tests; fetched when they are asked for, and kept by their hash."""

import tarfile
from pathlib import Path

from tests.corpus.fetching import fetch
from tests.corpus.projects import Change, Client, Project
from tests.evaluator.pieces import Files

LARGEST = 300_000  # bytes of a file
# Chosen by what can be checked: plain Python, tests that need nothing but pytest, pass here, and take a second or two.
_CHOSEN = (
    ("addict", "2.4.0", "b3b2210e0e067a281f5646c8c5db92e99b7231ea8b0eb5f74dbdf9e259d4e494"),
    ("colorama", "0.4.6", "08695f5cb7ed6e0531a20572697297273c47b8cae5a63ffc6d6ed5c201be6e44"),
    ("inflection", "0.5.1", "1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417"),
    ("shortuuid", "1.0.13", "3bb9cf07f606260584b1df46399c0b87dd84773e7b25912b7e391e30797c5e72"),
    ("uritemplate", "4.2.0", "480c2ed180878955863323eea31b0ede668795de182617fef9c6ca09e6ec9d0e"),
    ("voluptuous", "0.16.0", "006535e22fed944aec17bef6e8725472476194743c87bd233e912eb463f8ff05"),
    ("webcolors", "25.10.0", "62abae86504f66d0f6364c2a8520de4a0c47b80c03fc3a5f1815fedbef7c19bf"),
    ("unidiff", "1.0.1", "d9425bc516390c54743a1045b2c1c97f02d245a913a241dd499f958adb2df998"),
    ("isodate", "0.7.2", "4cd1aa0f43ca76f4a6c6c0292a85f40b35ec2e43e315b59f06e6d32171a953e6"),
    ("xmltodict", "1.0.4", "6d94c9f834dd9e44514162799d344d815a3a4faec913717a9ecbfa5be1bb8e61"),
)
PACKAGES = tuple(
    Project(place=name, client=Client.PIP, package=name, version=version, sha256=sha256, change=Change(added={}))
    for name, version, sha256 in _CHOSEN
)


def files_of(package: Project) -> Files:
    """As its maintainers would have it committed. Raises NotFetched."""
    archive, _ = fetch(package)
    return read_archive(archive)


def read_archive(archive: Path) -> dict[str, str | bytes]:
    """What is text is read as such."""
    found = dict[str, str | bytes]()
    with tarfile.open(archive) as packed:
        for member in packed:
            path = member.name.partition("/")[2]
            opened = packed.extractfile(member) if member.isfile() and member.size <= LARGEST else None
            if opened is None or path == "PKG-INFO" or ".egg-info/" in path:
                continue
            content = opened.read()
            try:
                found[path] = content.decode()
            except UnicodeDecodeError:
                found[path] = content
    return found
