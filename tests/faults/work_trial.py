"""One request worked off for real, by rehearsed minions in the sandbox, while the bot is killed again and again."""

import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.ports import free_port
from tests.faults.console_trial import the_bot
from tests.faults.killing import Mortal, living
from tests.faults.outside import Glimpse
from tests.faults.visit import Visit

REQUEST = "Let links expire after a chosen number of days"
CONFIG = """
limits: {reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000, job_recoveries: 20,
         question_default: 600000, medium_gate: 600000}
"""
PATIENCE = 240.0
# Each run, by subtask and attempt: the third subtask's first attempt is sent back.
RUNS = [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1)]


@dataclass
class Trial:
    """`kills`: after how many steps of its loop each life of the bot ends; `stabs`: how often a sandbox is killed."""

    kills: list[int]
    stabs: int = 0
    died: int = 0
    stabbed: int = 0
    turns: int = 0
    took: float = 0.0
    wrongs: list[str] = field(default_factory=list)


def work_it(trial: Trial) -> Trial:
    home, began = Path(tempfile.mkdtemp(prefix="overlord-kill-work-")), time.monotonic()
    (home / "overlord.yaml").write_text(CONFIG)
    mortal = Mortal(the_bot(home, free_port(), lambda ports: ports), home / "bot.log", list(trial.kills))
    try:
        with living(mortal):
            visit = Visit(home, mortal)
            _walk(visit, trial)
            trial.died = mortal.died
            with visit.outside.look() as glimpse:
                trial.wrongs += [
                    *visit.stalled,
                    *glimpse.wrongs(),
                    *_wrong_facts(glimpse),
                    *_lost_commits(glimpse, home),
                ]
                trial.turns = glimpse.count("turns")
            visit.person.close()
            mortal.kills.clear()
            mortal.kill()
            mortal.start()  # a start after the last death tidies up
            visit.until(lambda glimpse: not _folders(home), "no folder is left")
        trial.wrongs += [f"an orphan: {each}" for each in _orphans(home)]
    except AssertionError as problem:
        trial.wrongs.append(str(problem)[-4000:])
    trial.took = time.monotonic() - began
    if trial.wrongs:
        trial.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)
    return trial


def _walk(visit: Visit, trial: Trial) -> None:
    """A person who presses whatever is open, until it is merged."""
    thread, pressed = visit.person.say(f"@overlord {REQUEST}"), set[str]()
    late, chance = time.monotonic() + PATIENCE, random.Random(str(trial.kills))
    while time.monotonic() < late:
        visit.mortal.revive()
        with visit.outside.look() as glimpse:
            visit.stalled += glimpse.stalled
            shown = glimpse.thread(thread)
            if "Merged" in glimpse.facts and glimpse.is_idle:
                return
        for card in shown:
            if card.card and card.key.startswith("decision:") and card.card.buttons and card.key not in pressed:
                pressed.add(card.key)
                visit.person.press(card.card.buttons[0], card, thread)
        if trial.stabbed < trial.stabs and _stab(visit.home, chance):
            trial.stabbed += 1
        time.sleep(0.05)
    raise AssertionError(f"not merged within {PATIENCE:g} s:\n{visit.mortal.log.read_text()[-3000:]}")


def _wrong_facts(glimpse: Glimpse) -> list[str]:
    """Everything once: each run handed in, judged and brought in once, one pull request, one merge."""
    counted = Counter(glimpse.facts)
    once = ("WorkBegun", "WorkCompleted", "PullOpened", "MergeApproved", "Merged", "PlanAccepted")
    wrongs = [f"{kind} happened {counted[kind]} times" for kind in once if counted[kind] != 1]
    for kind, wanted in (("WorkHandedIn", 5), ("WorkEvaluated", 5), ("SubtaskDone", 4), ("MinionAsked", 1)):
        if counted[kind] != wanted:
            wrongs.append(f"{kind} happened {counted[kind]} times, not {wanted}")
    judged = sorted((row.subtask, row.attempt) for row in glimpse.rows("evaluations"))
    if judged != RUNS:
        wrongs.append(f"what was judged: {judged}")
    numbers = Counter((row.run, row.number) for row in glimpse.rows("turns"))
    return wrongs + [f"turn {turn} is there {count} times" for turn, count in numbers.items() if count > 1]


def _lost_commits(glimpse: Glimpse, home: Path) -> list[str]:
    """Every commit that a fact names can be reached from a branch, and main has the merge."""
    bodies = [json.loads(row.body) for row in glimpse.rows("events")]
    named = {body["commit"] for body in bodies if body.get("commit")}
    [mirror] = (home / "repos").glob("*.git")
    reached = _git(mirror, "log", "--all", "--format=%H").split()
    main = _git(home / "sample" / ".git", "log", "--format=%H", "main").split()
    lost = named - set(reached) - set(main)
    wrongs = [f"lost commit {commit}" for commit in lost]
    if "--days" not in (home / "sample" / "shortlinks" / "cli.py").read_text():
        wrongs.append("the work is not in the sample's own files")
    checked = subprocess.run(
        ["git", "-C", str(home / "sample"), "fsck", "--no-dangling"], capture_output=True, text=True
    )
    return wrongs + ([f"fsck: {checked.stderr}"] if checked.returncode else [])


def _git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", f"--git-dir={repository}", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def _folders(home: Path) -> list[str]:
    """Folders of branches and of gates; those that are held ready belong to nobody."""
    found = [path for path in (home / "worktrees").glob("*/*") if path.name.startswith("ai+")]
    return [str(path) for path in (*found, *(home / "gates").glob("*"))]


def _processes(home: Path) -> list[int]:
    """Those whose command line or folder is beneath the state folder; the bot itself is not."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                said = (each / "cmdline").read_bytes().decode(errors="replace")
                place = str((each / "cwd").readlink())
            except OSError:
                continue
            if (str(home) in said or place.startswith(str(home))) and int(each.name) != os.getpid():
                found.append(int(each.name))
    return found


def _orphans(home: Path) -> list[str]:
    late = time.monotonic() + 5
    while (left := _processes(home)) and time.monotonic() < late:
        time.sleep(0.1)
    return [str(pid) for pid in left]


def _stab(home: Path, chance: random.Random) -> bool:
    """Kill one process of a minion's sandbox; gates are left alone, for they judge."""
    mine = [pid for pid in _processes(home) if _is_minions(pid)]
    if not mine or chance.random() > 0.2:
        return False
    try:
        os.kill(chance.choice(mine), 9)
    except ProcessLookupError:
        return False
    return True


def _is_minions(pid: int) -> bool:
    try:
        return b"/worktrees/" in Path("/proc", str(pid), "cmdline").read_bytes()
    except OSError:
        return False
