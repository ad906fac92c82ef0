"""Every project of the corpus, from clone to merge; tests/corpus/README.md says how they were chosen.

It takes long, so each project's result is kept with the commit in `.bench/corpus/`, and the next run on that commit
goes on where this one ended.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench import results
from tests.bench.floor import ROOT, folder
from tests.bench.rows import Row, Say
from tests.corpus.fetching import NotFetched, fetch
from tests.corpus.projects import PROJECTS, Project
from tests.corpus.unpacking import unpack
from tests.corpus.walking import PATIENCE, Walk, walk

KEPT = ROOT / ".bench" / "corpus"
LEAST = 14 / 16  # of those that could be fetched, without a hand-made step
WHY = 1_500


def run(say: Say) -> list[Row]:
    subprocess.run([ROOT / ".ci" / "system", "golang-go"], check=False)
    signal.signal(signal.SIGTERM, lambda *of: sys.exit(143))
    at = results.commit()
    rows = [_of(project, at, say) for project in PROJECTS.values()]
    tried = [row for row in rows if row.holds is not None]
    merged = [row for row in tried if row.holds]
    enough = bool(tried) and len(merged) / len(tried) >= LEAST
    what = f"of {len(tried)} came to a merge by themselves; {len(rows) - len(tried)} not to be had here"
    whole = Row(name="corpus", ours=len(merged), unit="", beside=what, holds=enough)
    return [*rows, whole if enough else Row(name="corpus", ours=len(merged), unit="", failed=f"{what}: too few")]


def _of(project: Project, at: str, say: Say) -> Row:
    file = KEPT / f"{project.place}.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    if kept.get("commit") == at and not at.endswith("+"):
        return Row(**kept["row"])
    say(f"{project.place}: {project.package} …")
    row = _walk_apart(project)
    say(f"{project.place}: {row.beside}")
    KEPT.mkdir(parents=True, exist_ok=True)
    told = {"name": row.name, "ours": row.ours, "unit": row.unit, "beside": row.beside, "holds": row.holds}
    file.write_text(json.dumps({"commit": at, "row": told}, indent=1, ensure_ascii=False) + "\n")
    return row


def _walk_apart(project: Project) -> Row:
    """In a process of its own, which is ended if it hangs."""
    command = [sys.executable, "-m", "tests.bench.corpus", project.place]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as part:
        try:
            said, _ = part.communicate(timeout=PATIENCE + 300)
            return Row(**json.loads(said.splitlines()[-1]))
        except subprocess.TimeoutExpired:
            os.killpg(part.pid, signal.SIGKILL)
            return _row(project, 0.0, "it did not come to its end", holds=False)
        except (ValueError, IndexError):
            return _row(project, 0.0, f"it broke, with exit code {part.returncode}", holds=False)
        except BaseException:
            os.killpg(part.pid, signal.SIGKILL)  # it leads a session of its own, so it would go on
            raise


def _row(project: Project, took: float, what: str, *, holds: bool | None) -> Row:
    return Row(
        name=f"corpus_{project.place}", ours=round(took, 1), unit="s", holds=holds, beside=f"{project.package} {what}"
    )


def _told(result: Walk) -> str:
    if not result.merged:
        refused = (f"attempt {number}: {'; '.join(rows)}" for number, rows in result.checks.items())
        return f"stopped: {result.stopped[:WHY]} | {' | '.join(refused)[:WHY]}"
    asked = len(result.pressed)
    return f"merged, {asked} presses; before any change: {result.baseline or 'no checks'}"


def measure(place: str) -> Row:
    project = PROJECTS[place]
    if project.needs and shutil.which(project.needs) is None:
        return _row(project, 0.0, f"not tried: {project.needs} is not on this machine", holds=None)
    try:
        archive, _ = fetch(project)
    except NotFetched as why:
        return _row(project, 0.0, f"not tried: {why}", holds=None)
    with folder() as here:
        repository = unpack(project, archive, Path(here) / project.name)
        result = asyncio.run(walk(project, repository, Path(here) / "home"))
    return _row(project, result.took, _told(result), holds=result.merged)


def main(arguments: Sequence[str]) -> int:
    row = measure(arguments[0])
    print(json.dumps({"name": row.name, "ours": row.ours, "unit": row.unit, "beside": row.beside, "holds": row.holds}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
