"""pnpm and yarn, old and new: lock file → set-up with the network → the tests of the project, offline.

The lock file is written by the very program, which npm fetches; where it cannot be had that is said.
"""

import asyncio
import json
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.catalog.policies import packaged_hosts
from agents.workspace.environments.registries import read_sources
from tests.bench.floor import folder
from tests.bench.rows import Row, Say
from tests.workspace.environments.rig import Wish, make

PATIENCE = 300
TEST = (
    "const { test } = require('node:test');\nconst assert = require('node:assert');\nconst ms = require('ms');\n"
    "test('a minute', () => { assert.strictEqual(ms('1m'), 60000); });\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manager:
    program: str  # as npm fetches it
    locks: tuple[str, ...]  # its arguments that write a lock file
    names: str = ""  # `packageManager`
    files: Mapping[str, str] = field(default_factory=dict)


MODERN = ("install", "--mode=update-lockfile")
MANAGERS = {
    "pnpm": Manager(program="pnpm@9", locks=("install", "--lockfile-only")),
    "pnpm_named": Manager(program="pnpm@10.5.0", locks=("install", "--lockfile-only"), names="pnpm@10.5.0"),
    "yarn_1": Manager(program="yarn@1.22.22", locks=("install", "--ignore-scripts")),
    "yarn_4": Manager(
        program="@yarnpkg/cli-dist@4.5.3",
        locks=MODERN,
        names="yarn@4.5.3",
        files={".yarnrc.yml": "nodeLinker: node-modules\n"},
    ),
    "yarn_4_pnp": Manager(
        program="@yarnpkg/cli-dist@4.5.3", locks=MODERN, files={".yarnrc.yml": "enableTelemetry: false\n"}
    ),
}


def run(say: Say) -> list[Row]:
    return [_of(name, manager, say) for name, manager in MANAGERS.items()]


def _of(name: str, manager: Manager, say: Say) -> Row:
    say(f"{name} …")
    with folder() as here:
        try:
            files = lock(manager, Path(here) / "locking")
        except (OSError, subprocess.SubprocessError) as problem:
            return Row(name=f"managers_{name}", ours=0, unit="s", beside=f"not tried: {problem}")
        began = time.perf_counter()
        failed = asyncio.run(_walk(Path(here), files))
        took = round(time.perf_counter() - began, 1)
    return Row(name=f"managers_{name}", ours=took, unit="s", beside=manager.program, holds=not failed, failed=failed)


def lock(manager: Manager, place: Path) -> dict[str, str]:
    """The project with the lock file that its manager makes."""
    place.mkdir()
    package = {"name": "shop", "version": "1.0.0", "private": True, "scripts": {"test": "node --test"}}
    named = {"packageManager": manager.names} if manager.names else {}
    (place / "package.json").write_text(json.dumps({**package, "dependencies": {"ms": "2.1.3"}, **named}))
    for path, text in manager.files.items():
        (place / path).write_text(text)
    command = ["npx", "--yes", manager.program, *manager.locks]
    own = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "YARN_GLOBAL_FOLDER", "YARN_CACHE_FOLDER")
    environ = {**os.environ, **dict.fromkeys(own, str(place / ".kept"))}  # nothing stays in anybody's home
    subprocess.run(command, cwd=place, env=environ, check=True, capture_output=True, timeout=PATIENCE)
    for left in ("node_modules", ".kept"):
        shutil.rmtree(place / left, ignore_errors=True)
    written = {path.name: path.read_text() for path in place.iterdir() if path.is_file()}
    return {**written, "test/minute.test.js": TEST, ".gitignore": "node_modules\n.yarn\n.pnp.*\n"}


async def _walk(place: Path, files: Mapping[str, str]) -> str:
    """What went wrong; empty if nothing did."""
    hosts = packaged_hosts()
    rig = make(
        place, Wish(files=files, hosts=hosts, shipped=hosts, sources=lambda: read_sources(os.environ, Path.home()))
    )
    if problem := await rig.set_up():
        return problem
    ran = await rig.run("npm", "test", "--silent")
    return "" if ran.exit_code == 0 else f"its tests fail offline: {ran.output[-600:]}"
