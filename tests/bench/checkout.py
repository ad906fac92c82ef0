"""A branch's folder on a repository of 7,000 files: ours, prepared ahead, beside `git worktree add`.

`checkout_open` is what an approval waits for. `checkout_turn` is the same when people committed since it was prepared.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from agents.workspace.git.checkouts import GitCheckouts
from tests.bench.rows import Row, Say, compared, table

FILES = 7_000
ROUNDS = 4
BESIDE = f"git worktree add, {FILES:,} files"


def run(say: Say) -> list[Row]:
    with TemporaryDirectory(prefix="overlord-bench-", dir="/var/tmp") as made:
        user = Path(made).resolve() / "user"
        repository(user)
        return asyncio.run(_measure(user, GitCheckouts({"project": user}, Path(made) / "home"), say))


async def _measure(user: Path, checkouts: GitCheckouts, say: Say) -> list[Row]:
    opens, turns, theirs = [], [], []
    for number in range(ROUNDS):
        await checkouts.prepare("project")
        head = await checkouts.tip("project", "HEAD")
        began = time.perf_counter()
        await checkouts.open("project", f"ai/t-{number}-open", head)
        opens.append(time.perf_counter() - began)
        head = await asyncio.to_thread(_commit, user, number)
        began = time.perf_counter()
        await checkouts.open("project", f"ai/t-{number}-turn", head)
        turns.append(time.perf_counter() - began)
        theirs.append(await asyncio.to_thread(_worktree, user, number))
        await checkouts.sweep([])
    say(f"{ROUNDS} rounds: open {_ms(opens)}, after a commit {_ms(turns)}, git worktree add {_ms(theirs)} ms")
    return [
        compared("checkout_open", opens, theirs, beside=BESIDE, most=0.1),
        compared("checkout_turn", turns, theirs, beside=BESIDE, most=0.3),
    ]


def _worktree(user: Path, number: int) -> float:
    began = time.perf_counter()
    _git(user, "worktree", "add", "-q", "-b", f"theirs-{number}", str(user.parent / f"theirs-{number}"))
    took = time.perf_counter() - began
    _git(user, "worktree", "remove", "--force", str(user.parent / f"theirs-{number}"))
    return took


def _commit(user: Path, number: int) -> str:
    for name in range(20):
        (user / f"package-{name}" / "module-0" / "changed.py").write_text(f"round = {number}\n")
    _git(user, "add", "-A")
    _git(user, "commit", "-q", "-m", f"round {number}")
    return _git(user, "rev-parse", "HEAD").strip()


def repository(user: Path) -> None:
    for number in range(FILES):
        path = user / f"package-{number % 70}" / f"module-{number % 7}" / f"file_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"VALUE_{number} = {number}\n" * 60)
    for number in range(20):
        (user / f"package-{number}" / "module-0").mkdir(exist_ok=True)
    _git(user, "init", "-q")
    _git(user, "add", "-A")
    _git(user, "commit", "-q", "-m", "first")


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    return subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True
    ).stdout


def _ms(seconds: Sequence[float]) -> str:
    return f"{sorted(seconds)[len(seconds) // 2] * 1e3:.1f}"


if __name__ == "__main__":
    print(table(run(lambda text: print(text, file=sys.stderr))))
