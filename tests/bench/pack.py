"""A minion's pack beside Repomix, on a repository of installed libraries.

`pack_cold` is a new process with nothing counted before, beside a new Repomix that is told to pack the same files.
`pack_warm` is what the running bot pays for the next minion, beside Repomix on the repository as people run it.
"""

import asyncio
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agents.domain.context.strategy import Input, Strategy
from agents.domain.planning.decomposition import Subtask
from agents.domain.planning.work_kind import WorkKind
from agents.domain.text.redact import Redactor
from agents.llm.tokens import Tokens
from agents.minions.pack import Packer
from agents.minions.reading import Counts
from agents.ports import Checkout, Workspace
from agents.workspace.files.safe_open import Tree
from agents.workspace.git.objects import of_checkout
from tests.bench.floor import folder
from tests.bench.rows import Row, Say, compared, in_turn, table

ROUNDS = 5
LIBRARIES = ("sqlalchemy", "discord", "aiohttp", "starlette", "slack_sdk", "pydantic", "jinja2")
WORK = Subtask(
    number=1, title="x", why="y", kind=WorkKind.FEATURE, files=("starlette/routing.py", "starlette/responses.py")
)
READS = Strategy(  # as manifests/contexts/implementer_targeted.yaml: to read YAML is no part of packing
    name="implementer_targeted",
    token_budget=25_000,
    inputs={Input.TARGETS: 20, Input.IMPORTS: 480, Input.TESTS: 240, Input.README: 60, Input.TREE: 3_000},
)
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=m", "-c", "commit.gpgsign=false")
REPOMIX = Path(tempfile.gettempdir()) / "overlord-bench-repomix"  # never in the tree


def run(say: Say) -> list[Row]:
    program = repomix(say)
    if isinstance(program, str):
        return [Row(name="pack", ours=0, failed=program)]
    with folder() as place:
        return _measure(place / "repository", program, say)


def _measure(place: Path, program: Path, say: Say) -> list[Row]:
    checkout = _repository(place, say)
    packer = _packer()
    text = asyncio.run(packer.for_work(checkout, WORK, READS))
    files = [line.partition(": ")[2].rstrip("⟧") for line in text.splitlines() if line.startswith("⟦")]
    packed = [name for name in files if (place / name).is_file()]
    colds, warms, sames, wholes = list[float](), list[float](), list[float](), list[float]()
    for number in range(ROUNDS):
        both = (
            (colds, [sys.executable, "-m", "tests.bench.pack", str(place), checkout.head], None),
            (sames, [str(program), "--quiet", "--include", ",".join(packed)], place),
            (wholes, [str(program), "--quiet"], place),
        )
        for seconds, command, where in in_turn(number, *both):
            seconds.append(_timed(command, where))
        warms.append(_warm(packer, checkout))
    say(f"{len(packed)} files and the tree, {Tokens()(text):,} tokens")
    return [
        compared("pack_cold", colds, sames, beside="Repomix, the same files", most=1.2),
        compared("pack_warm", warms, wholes, beside="Repomix, the repository", most=0.05),
    ]


def _warm(packer: Packer, checkout: Checkout) -> float:
    began = time.perf_counter()
    asyncio.run(packer.for_work(checkout, WORK, READS))
    return time.perf_counter() - began


def _timed(command: list[str], place: Path | None = None) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _packer() -> Packer:
    return Packer(open_tree=Tree, list_files=of_checkout, counts=Counts(Tokens()), redact=Redactor())


def _repository(place: Path, say: Say) -> Checkout:
    import sqlalchemy

    packages = Path(sqlalchemy.__file__).parents[1]
    for name in LIBRARIES:
        shutil.copytree(packages / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run([*GIT, *command], cwd=place, check=True)
    head = subprocess.run([*GIT, "rev-parse", "HEAD"], cwd=place, check=True, capture_output=True, text=True)
    say(f"a repository of {sum(1 for path in place.rglob('*') if path.is_file() and '.git' not in path.parts):,} files")
    return _checkout(place, head.stdout.strip())


def _checkout(place: Path, head: str) -> Checkout:
    return Checkout(project="p", branch="b", base=head, head=head, workspace=Workspace(path=place))


def repomix(say: Say) -> Path | str:
    program = REPOMIX / "node_modules" / ".bin" / "repomix"
    npm = shutil.which("npm")
    if program.exists():
        return program
    if npm is None:
        return "no npm here to fetch Repomix with"
    say(f"fetching Repomix into {REPOMIX}")
    fetch = [npm, "install", "--prefix", str(REPOMIX), "--no-audit", "--no-fund", "--loglevel=error", "repomix@1"]
    fetched = subprocess.run(fetch, capture_output=True, text=True, timeout=300)
    return program if program.exists() else f"npm could not fetch Repomix: {fetched.stderr.strip()[-200:]}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(_packer().for_work(_checkout(Path(sys.argv[1]), sys.argv[2]), WORK, READS))
    else:
        print(table(run(lambda text: print(text, file=sys.stderr))))
