"""Builds the repositories of the corpus and has them judged, a few at a time, in the real sandbox."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.checks.evaluation import RULES, ExtraGate, GateCommands, Score, overall
from agents.domain.project.ground import Baseline, CheckBaseline
from agents.domain.text.redact import Redactor
from agents.ports import Candidate, Judged, Sandbox, Show, show_nothing
from agents.workspace.environments.tree_environment import environment
from agents.workspace.gates.gate_runner import GateTools
from agents.workspace.gates.judge import GateConfig, SandboxGates
from agents.workspace.sandbox.walls import GATE, MB
from tests.evaluator.pieces import File, Files, Piece
from tests.fakes.live import Audience
from tests.sandbox.yard import bubblewrap

AT_ONCE = 3
OWN_SECRET = "hush-Q7wXz-bot-token"  # a value the Overlord knows to be its own


class Shelf:
    """Implements agents.ports.Artefacts in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    async def keep(self, name: str, text: str) -> str:
        self.kept[name] = text
        return name

    async def read(self, name: str) -> str | None:
        return self.kept.get(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    judged: Judged
    kept: dict[str, str]
    audience: Audience
    left: tuple[str, ...]  # folders that were not removed


def missing_programs(needs: Iterable[str], sandbox: str = "bubblewrap") -> list[str]:
    """Those that gates would not find. Containers have an image's /usr in place of the machine's."""
    around = environment(Path("/"), GateCommands())
    found = {name: around.finds(name) for name in needs}
    if sandbox != "bubblewrap":
        found = {name: any((place / name).exists() for place in around.programs) for name in needs}
    return [name for name in needs if not found[name]]


async def judge_all(pieces: Iterable[Piece], place: Path) -> dict[str, Verdict]:
    """In one home, as a project has one: what passed on the very same files is not run again."""
    turn, home = asyncio.Semaphore(AT_ONCE), place / "home"

    async def one(piece: Piece, at: Path) -> Verdict:
        async with turn:
            return await judge(piece, at, home=home)

    wanted = list(pieces)
    found = await asyncio.gather(*(one(piece, place / str(number)) for number, piece in enumerate(wanted)))
    left = tuple(path.name for path in (home / "gates").glob("*"))
    return {piece.name: replace(verdict, left=left) for piece, verdict in zip(wanted, found, strict=True)}


async def judge(piece: Piece, place: Path, sandbox: Sandbox | None = None, home: Path | None = None) -> Verdict:
    repository, audience, shelf = place / "repository", Audience(), Shelf()
    base, commit = await asyncio.to_thread(repository_of, repository, piece.base, piece.work, piece.first)
    gates = gates_for(repository, home or place, piece, shelf, sandbox)
    tree = git(repository, "rev-parse", f"{commit}^{{tree}}")
    earlier = (tree,) if piece.again else ()
    candidate = Candidate(
        project="shop",
        base=base,
        commit=commit,
        scope=piece.scope,
        earlier=earlier,
        log="T-1",
        kind=piece.kind,
        changes_tests=piece.changes_tests,
        known=_measured(piece, git(repository, "rev-parse", f"{base}^{{tree}}")),
    )
    judged = await judge_steps(gates, candidate, audience)
    left = tuple(path.name for path in (place / "gates").glob("*"))
    await asyncio.to_thread(shutil.rmtree, repository)
    return Verdict(judged=judged, kept=shelf.kept, audience=audience, left=left)


def _measured(piece: Piece, tree: str) -> Baseline | None:
    if not piece.red and not piece.unsteady and not piece.tests:
        return None
    tests = CheckBaseline(
        name="tests", command="", runs=3, failed=3, red=piece.red, unsteady=piece.unsteady, tests=piece.tests
    )
    return Baseline(tree=tree, key="", checks=(tests,))


async def judge_steps(gates: SandboxGates, candidate: Candidate, show: Show = show_nothing) -> Judged:
    """As a workflow does it: by the rules, and what passes by the project's checks."""
    by_rule = await gates.judge(replace(candidate, check=RULES), show)
    if overall(row.score for row in by_rule.gates) is not Score.PASS:
        return by_rule
    checked = await gates.judge(candidate, show)
    return replace(checked, gates=(*by_rule.gates, *checked.gates))


def gates_for(
    repository: Path,
    home: Path,
    piece: Piece,
    shelf: Shelf,
    sandbox: Sandbox | None = None,
    of_role: Callable[[str], Sequence[ExtraGate]] = lambda role: (),
) -> SandboxGates:
    async def found() -> Sandbox:
        return sandbox or bubblewrap()

    small = replace(GATE, seconds=piece.seconds, memory=768 * MB, processes=96, disk=256 * MB, output=16 * MB)
    tools = GateTools(sandbox=found, artefacts=shelf, redact=Redactor([OWN_SECRET]), profile=small)
    config = GateConfig(repository=repository, commands=piece.commands, reruns=piece.reruns)
    return SandboxGates({"shop": config}, home, tools, of_role)


def repository_of(folder: Path, base: Files, work: Files, first: Files | None = None) -> tuple[str, str]:
    """A bare repository with its base and the work, after a first attempt if there is one; any tree can be made so."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--bare", "-b", "main")
    begun = () if first is None else _commit("refs/heads/first", first, after="refs/heads/main")
    last = _commit("refs/heads/work", work, after="refs/heads/main" if first is None else "refs/heads/first")
    stream = b"".join((*_commit("refs/heads/main", base), *begun, *last))
    subprocess.run(["git", "--git-dir", str(folder), "fast-import", "--quiet"], input=stream, check=True)
    return git(folder, "rev-parse", "main"), git(folder, "rev-parse", "work")


def _commit(branch: str, files: Files, after: str = "") -> Iterable[bytes]:
    yield f"commit {branch}\ncommitter Ana <ana@example.org> 1767225600 +0000\ndata 4\nwork".encode()
    yield f"\nfrom {after}\n".encode() if after else b"\n"
    for path, content in files.items():
        if content is None:
            yield f"D {path}\n".encode()
            continue
        file = content if isinstance(content, File) else File(content.encode() if isinstance(content, str) else content)
        if file.mode == "160000":
            yield f"M 160000 {'1' * 40} {path}\n".encode()
        else:
            yield f"M {file.mode} inline {path}\ndata {len(file.content)}\n".encode() + file.content + b"\n"


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "--git-dir", str(folder), *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()
