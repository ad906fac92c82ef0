"""Runs a tree's tests in the sandbox, to know for certain which of them fail; no part of the judge is asked."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.domain.checks.evaluation import GateCommands
from agents.workspace.environments.tree_environment import environment
from agents.workspace.sandbox.walls import GATE
from tests.evaluator.pieces import File, Files
from tests.sandbox.yard import bubblewrap

SECONDS = 40.0
OPTIONS = ("-q", "-rfE", "--tb=short", "--color=no", "-p", "no:cacheprovider")
_FAILED = re.compile(r"(?m)^FAILED (\S+?\.py)::([\w:]+)")
_AT = re.compile(r"(?m)^(\S+?\.py):(\d+): in (test\w*)")
_PASSED = re.compile(r"(?m)^.*?(\d+) passed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    exit_code: int | None
    passed: int
    failed: tuple[tuple[str, str], ...] = ()  # file and function, as pytest names it
    lines: tuple[tuple[str, int], ...] = ()  # of test functions, where they failed
    covered: Mapping[str, frozenset[int]] = field(default_factory=dict)


def run_suite(files: Files, *, measured: bool = False) -> Ended:
    with TemporaryDirectory(prefix="overlord-judge-", dir="/var/tmp") as made:
        Path(made).chmod(0o755)
        return asyncio.run(_run(files, Path(made) / "tree", measured=measured))


def write_files(files: Files, folder: Path) -> None:
    folder.mkdir(mode=0o755)
    for path, content in files.items():
        if content is None:
            continue
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        data = content.content if isinstance(content, File) else content
        (folder / path).write_bytes(data.encode() if isinstance(data, str) else data)


async def _run(files: Files, folder: Path, *, measured: bool) -> Ended:
    await asyncio.to_thread(write_files, files, folder)
    around = environment(folder, GateCommands())
    workspace = around.workspace_for(folder)
    measure = ("-m", "coverage", "run", "--rcfile=/dev/null", "--data-file=.covered", "--source=.")
    by = measure if measured else ()
    profile = replace(GATE, seconds=SECONDS)
    ran = await bubblewrap().once(workspace, profile, (around.python, *by, "-m", "pytest", *OPTIONS))
    said, covered = ran.output, dict[str, frozenset[int]]()
    if measured:
        told = ("-m", "coverage", "json", "-q", "--rcfile=/dev/null", "--data-file=.covered", "-o", ".covered.json")
        await bubblewrap().once(workspace, profile, (around.python, *told))
        covered = await asyncio.to_thread(_covered, folder / ".covered.json")
    counted = _PASSED.search(said)
    return Ended(
        exit_code=ran.exit_code,
        passed=int(counted[1]) if counted else 0,
        failed=tuple(dict.fromkeys((path, name) for path, name in _FAILED.findall(said))),
        lines=tuple(dict.fromkeys((path, int(line)) for path, line, _ in _AT.findall(said))),
        covered=covered,
    )


def _covered(file: Path) -> dict[str, frozenset[int]]:
    if not file.exists():
        return {}
    return {path: frozenset(of["executed_lines"]) for path, of in json.loads(file.read_text())["files"].items()}
