"""What the parts of `make bench` came to, each kept with the commit it was measured on: `.bench/parts/PART.json`."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from tests.bench.floor import ROOT
from tests.bench.rows import Row

FOLDER = ROOT / ".bench" / "parts"


def commit() -> str:
    """The commit that is checked out; with a + where files differ from it."""
    told = [_git("rev-parse", "HEAD"), "+" if _git("status", "--porcelain", "--untracked-files=no") else ""]
    return "".join(told)


def version_of(at: str, paths: Sequence[str]) -> str:
    """Of some files at a commit: the same wherever they are the same. Where some are not committed: the commit."""
    trees = [_git("rev-parse", f"{at.rstrip('+')}:{path}") for path in paths]
    return at if at.endswith("+") else sha256(" ".join(trees).encode()).hexdigest()[:20]


def keep(part: str, rows: Sequence[Row], seconds: float, at: str, folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    kept = {"part": part, "commit": at, "when": when, "seconds": round(seconds), "rows": [asdict(row) for row in rows]}
    unfinished = folder / f"{part}.json.new"
    unfinished.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    unfinished.replace(folder / f"{part}.json")


def find(part: str, at: str, folder: Path = FOLDER) -> list[Row] | None:
    """What a part came to on this commit; None: it was not measured on it, or on files that nobody committed."""
    file = folder / f"{part}.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    if kept.get("commit") != at or at.endswith("+"):
        return None
    return [Row(**row) for row in kept["rows"]]


def _git(*arguments: str) -> str:
    asked = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
