"""The newcomer's clock: `git clone` of a real project, `overlord init`, `overlord up`, a request, the plan's card.

Beside it stands what the newcomer would do by hand to know the project as well as that: clone it, make a venv, install
what it needs, and run its tests once. The model answers at once, so all of ours is the program's own time. The project
is one of the corpus; see tests/corpus/README.md.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.bench.floor import ROOT, folder
from tests.bench.rows import Row, Say, compared
from tests.corpus.fetching import NotFetched, fetch
from tests.corpus.projects import PROJECTS, Project
from tests.corpus.script import MODEL, REQUEST, Script
from tests.corpus.unpacking import unpack
from tests.corpus.walking import add_model, environ, init
from tests.fakes.console import Visit, visitor
from tests.fakes.desk import ScriptedDesk
from tests.fakes.model_server import KEY, ModelServer
from tests.scenarios.stage import until

PLACE = "py-hatch-vcs"
EXTRAS = ".[tests]"
ROUNDS = 3
PATIENCE = 240.0  # for each stage: how long one takes is measured, and a crowded machine is no failure
SAID = 2_000  # characters of what the program said last


def run(say: Say) -> list[Row]:
    project = PROJECTS[PLACE]
    try:
        archive, _ = fetch(project)
    except NotFetched as why:
        return [Row(name="newcomer", ours=0, beside=f"not measured: {project.package} is not to be had here: {why}")]
    with folder() as place:
        upstream = unpack(project, archive, place / "upstream")
        ours, theirs = list[float](), list[float]()
        for number in range(ROUNDS):
            here = place / f"round-{number}"
            here.mkdir()
            stages = asyncio.run(_with_overlord(project, upstream, here))
            ours.append(stages["plan card"])
            theirs.append(_by_hand(upstream, here))
            told = ", ".join(f"{what} {seconds:.1f}" for what, seconds in stages.items())
            say(f"seconds since the start: {told}; by hand {theirs[-1]:.1f}")
    beside = f"clone, venv, pip install and one run of the tests of {project.package} by hand"
    return [compared("newcomer", ours, theirs, beside=beside)]


async def _with_overlord(project: Project, upstream: Path, here: Path) -> dict[str, float]:
    stages, began, clone, home = dict[str, float](), time.perf_counter(), here / "clone", here / "home"

    def reached(what: str) -> None:
        stages[what] = time.perf_counter() - began

    _run("git", "clone", "-q", str(upstream), str(clone))
    reached("clone")
    await asyncio.to_thread(init, clone, home, project.name)
    reached("init")
    async with ModelServer(models=(MODEL,)) as server:
        Script(project, clone).put_into(server)
        port = _free_port()
        config = str(add_model(home, server.url))
        told = {"OVERLORD_CONSOLE_PORT": str(port), "OVERLORD_CONFIG": config, "WALK_KEY": KEY}
        log = here / "up.log"
        with log.open("wb") as said:
            up = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bot", "up", cwd=ROOT, env={**environ(home), **told},
                stdout=said, stderr=said, start_new_session=True,
            )  # fmt: skip
        try:
            await _ask(f"http://127.0.0.1:{port}", reached)
        except Exception as problem:
            raise AssertionError(f"{problem!r} after {stages}; it said: {log.read_text()[-SAID:]}") from problem
        finally:
            os.killpg(up.pid, signal.SIGTERM)
            await up.wait()
    return stages


async def _ask(url: str, reached: Callable[[str], None]) -> None:
    async with visitor(url) as client:
        await until(lambda: _answers(client), "the console", PATIENCE)
        reached("console")
        visit = Visit(url, client, ScriptedDesk())
        said = await visit.say(f"@overlord {REQUEST}")
        assert said.status_code < 400, said.text
        reached("request")
        await until(lambda: _shows_plan(visit), "the plan's card", PATIENCE)
        reached("plan card")


async def _shows_plan(visit: Visit) -> bool:
    return "Approve plan" in (await visit.get("/needs")).text


async def _answers(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False


def _by_hand(upstream: Path, here: Path) -> float:
    """As a README says it."""
    began, clone, venv = time.perf_counter(), here / "by-hand", here / "venv"
    _run("git", "clone", "-q", str(upstream), str(clone))
    _run(str(Path(sys.base_prefix) / "bin" / "python3"), "-m", "venv", str(venv))
    _run(str(venv / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", EXTRAS, cwd=clone)
    _run(str(venv / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=clone)
    return time.perf_counter() - began


def _run(*command: str, cwd: Path | None = None) -> None:
    ran = subprocess.run(command, cwd=cwd, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ran.returncode == 0, f"{' '.join(command)}: {ran.stdout[-SAID:]}"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
