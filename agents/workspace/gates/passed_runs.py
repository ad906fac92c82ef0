"""Runs of checks that passed, kept by the very files, the command and the environment: the same is not run twice."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.workspace.gates.gate_commands import Command
from agents.workspace.gates.planted.belief import Belief
from agents.workspace.gates.scoring import Report
from agents.workspace.git.objects import Entry

MOST = 400  # runs that are kept
LARGEST = 4 << 20  # bytes of one; what said more is run again


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedRun:
    output: str
    report: Report | None = None
    measured: tuple[str, ...] = ()
    coverage: str = ""  # what coverage wrote of the measured files
    belief: Belief = Belief.BELIEVED  # in its runner; where it is doubted on the base as well, it counts all the same
    reads: tuple[str, ...] = ()  # files that its tests read
    starts: tuple[str, ...] = ()  # tests that started programs
    replaced: tuple[str, ...] = ()  # of what tests are judged by


class PassedRuns:
    """In one folder of the state's own, which no sandbox shows. Whatever cannot be read is run again, and so is what
    was kept when less was known."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def key(self, where: Sequence[str], files: Sequence[Entry], command: Command, out: str) -> str:
        """`out` is another one each time."""
        digest = hashlib.sha256()
        told = [argument.replace(out, "") for argument in command.argv if argument != command.measured_names]
        digest.update(json.dumps([list(where), told, *([command.folder] if command.folder else [])]).encode())
        for entry in sorted(files, key=lambda entry: entry.path):
            digest.update(f"{entry.mode} {entry.blob} {entry.path}\0".encode(errors="surrogateescape"))
        return digest.hexdigest()

    def find(self, key: str, measured: Sequence[str]) -> PassedRun | None:
        try:
            kept = json.loads(self._file(key).read_bytes())
            report = _report(kept["report"]) if kept["report"] else None
            belief = Belief(kept.get("belief", Belief.BELIEVED))
            lists = {name: tuple(kept[name]) for name in ("measured", "reads", "starts", "replaced")}
            found = PassedRun(**{**kept, **lists, "report": report, "belief": belief})
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return found if set(found.measured) >= set(measured) else None

    def keep(self, key: str, run: PassedRun) -> None:
        body = json.dumps(asdict(run)).encode()
        if len(body) > LARGEST:
            return
        self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._make_room()
        fresh = self._file(key).with_suffix(".new")
        fresh.write_bytes(body)
        fresh.replace(self._file(key))

    def _file(self, key: str) -> Path:
        return self._home / f"{key}.json"

    def _make_room(self) -> None:
        files = list(self._home.glob("*.json"))
        if len(files) < MOST:
            return
        for file in sorted(files, key=lambda file: file.stat().st_mtime)[: MOST // 10]:
            file.unlink(missing_ok=True)


def _report(kept: dict[str, Any]) -> Report:
    return Report(**{**kept, "names": (), "passed": tuple(kept["passed"]), "left_out": tuple(kept["left_out"])})
