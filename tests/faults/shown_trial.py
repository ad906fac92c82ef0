"""What makes a walk hard to show truly: a repository left behind, a change too long to read at once, another branch."""

import json
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from agents.ports import Brief, Finished, Minions, Outcome, Ports, Show, Watch, show_nothing
from tests.faults.outside import Glimpse

LINES = 2_500
LONG = "\n\n" + "".join(f"# remark {number} of a file that is too long to be read at once\n" for number in range(LINES))
ELSEWHERE = "elsewhere"
# When the person goes on with another branch, by what has happened before.
MOMENTS = ("DecompositionDrafted", "PlanAccepted", "WorkBegun", "SubtaskDone", "PullOpened", "MergeApproved")


@dataclass(frozen=True, kw_only=True)
class Untidy:
    """Implements agents.ports.Minions: the rehearsed ones, and what they leave behind. Done again, it is the same."""

    inner: Minions

    async def prepare(self, role: str) -> str:
        return await self.inner.prepare(role)

    async def run(self, brief: Brief, watch: Watch, show: Show = show_nothing) -> Outcome:
        folder, run = brief.checkout.workspace.path, (brief.subtask.number, brief.work.attempt)
        if run == (1, 2):
            assert "repository of its own" in brief.work.feedback[0], brief.work.feedback
            shutil.rmtree(folder / "lib", ignore_errors=True)
            return Finished(summary="without the repository")
        outcome = await self.inner.run(brief, watch, show)
        if isinstance(outcome, Finished) and run == (1, 1):
            _nest(folder / "lib")
        if isinstance(outcome, Finished) and run == (2, 1):
            _grow(folder / "shortlinks" / "service.py")
        return outcome


def _nest(folder: Path) -> None:
    """As `cargo new` makes it."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "main.py").write_text("x = 1\n")


def _grow(file: Path) -> None:
    text = file.read_text()
    if not text.endswith(LONG):
        file.write_text(text + LONG)


def untidy(ports: Ports) -> Ports:
    return replace(ports, minions=Untidy(inner=ports.minions))


def turn_away(home: Path) -> bool:
    """The person goes on with another branch in their own checkout. False: git was at it, so later."""
    switch = ["git", "-C", str(home / "sample"), "switch", "-q", "-c", ELSEWHERE]
    return subprocess.run(switch, capture_output=True).returncode == 0


def wrongs_shown(glimpse: Glimpse, home: Path) -> list[str]:
    """Nothing is merged that was not shown, and nowhere else."""
    facts = {row.kind: json.loads(row.body) for row in glimpse.rows("events")}
    begun, opened, approved, merged = (facts[k] for k in ("WorkBegun", "PullOpened", "MergeApproved", "Merged"))
    commit, into = merged["commit"], merged["into"]
    before, head = _git(home, "show", "-s", "--format=%P", commit).split()
    kept = next((home / "artefacts").rglob("T-1.diff")).read_text()
    shown = _git(home, "diff-tree", "-r", "-p", "--no-renames", begun["base"], head)
    brought = _git(home, "diff-tree", "-r", "-p", "--no-renames", before, commit)
    told = {
        "another head than the approved one": head != approved["head"] or head != opened["head"],
        "another branch than the one on the card": {begun["into"], opened["into"], into} != {"main"},
        "main is not at the merge": _git(home, "rev-parse", "main").strip() != commit,
        "the other branch moved": _git(home, "rev-parse", ELSEWHERE).strip() != begun["base"],
        "more or less than what was shown": not kept.strip() == shown.strip() == brought.strip(),
        "what could not be committed": "lib/" in _git(home, "ls-tree", "-r", "--name-only", "main"),
        "not all that was long": _git(home, "show", "main:shortlinks/service.py").count("# remark ") != LINES,
    }
    wrongs = [f"merged: {what}" for what, wrong in told.items() if wrong]
    return wrongs + [f"not all of {name} was read" for name in _half_read(glimpse)]


def _half_read(glimpse: Glimpse) -> list[str]:
    """Judgements of the long change that no reviewer read whole, though each passed."""
    judged = [json.loads(row.body) for row in glimpse.rows("events") if row.kind == "WorkEvaluated"]
    long = [each for each in judged if each["subtask"] in (2, 4)]
    reviews = [(each["subtask"], review) for each in long for review in each["evaluation"]["reviews"]]
    assert reviews, "nobody read it"
    return [f"T-1.{number}" for number, each in reviews if each["read"] != each["lines"] or each.get("parts", 1) < 2]


def _git(home: Path, *arguments: str) -> str:
    said = subprocess.run(["git", "-C", str(home / "sample"), *arguments], capture_output=True, text=True, check=True)
    return said.stdout
