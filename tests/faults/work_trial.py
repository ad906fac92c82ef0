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

from bot.messages import Card
from store.running.jobs import JobState
from tests.fakes.ports import free_port
from tests.faults.console_trial import the_bot
from tests.faults.killing import Mortal, living
from tests.faults.outside import Glimpse, Shown
from tests.faults.shown_trial import turn_away, untidy, wrongs_shown
from tests.faults.visit import Visit

WISH = "and keep the help texts short"
REQUEST = "Let links expire after a chosen number of days"
CONFIG = """
limits: {reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000, job_recoveries: %d,
         question_default: 600000, medium_gate: 600000}
workflow: {template: %s}
"""
PATIENCE = 240.0
# Each run, by subtask and attempt: the third subtask's first attempt is sent back; so is an untidy first one.
RUNS = [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1)]


@dataclass
class Trial:
    """`kills`: after how many steps of its loop each life of the bot ends; `stabs`: how often a sandbox is killed."""

    kills: list[int]
    stabs: int = 0
    wounds: int = 0  # more kills, from outside: beside people's words, and of jobs, none of which is hit three times
    manners: bool = False  # edit the plan by hand and the request later, answer in words, wish for more on the way
    workflow: str = "default"
    turns_at: str = ""  # untidy minions, and a person who goes on with another branch after this fact
    died: int = 0
    stabbed: int = 0
    turns: int = 0
    took: float = 0.0
    wrongs: list[str] = field(default_factory=list)


def work_it(trial: Trial) -> Trial:
    home, began = Path(tempfile.mkdtemp(prefix="overlord-kill-work-")), time.monotonic()
    (home / "overlord.yaml").write_text(CONFIG % (3 if trial.wounds else 20, trial.workflow))
    swap = untidy if trial.turns_at else lambda ports: ports
    mortal = Mortal(the_bot(home, free_port(), swap), home / "bot.log", list(trial.kills))
    try:
        with living(mortal):
            visit = Visit(home, mortal)
            _walk(visit, trial)
            trial.died = mortal.died
            with visit.outside.look() as glimpse:
                trial.wrongs += [
                    *visit.stalled,
                    *glimpse.wrongs(),
                    *_wrong_facts(glimpse, trial),
                    *_lost_commits(glimpse, home),
                    *(wrongs_shown(glimpse, home) if trial.turns_at else ()),
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
    acts = Acts(visit, trial, thread)
    late, chance, waits = time.monotonic() + PATIENCE, random.Random(str(trial.kills)), trial.turns_at
    while time.monotonic() < late:
        visit.mortal.revive()
        with visit.outside.look() as glimpse:
            visit.stalled += glimpse.stalled
            shown = glimpse.thread(thread)
            if waits and waits in glimpse.facts and turn_away(visit.home):
                waits = ""
            if "Merged" in glimpse.facts and glimpse.is_idle:
                return
        for card in shown:
            if card.card and card.key.startswith("decision:") and card.card.buttons and card.key not in pressed:
                pressed.add(card.key)
                acts.decide(card, card.card)
        acts.meanwhile()
        if trial.stabbed < trial.stabs and _stab(visit.home, chance):
            trial.stabbed += 1
        time.sleep(0.05)
    raise AssertionError(f"not merged within {PATIENCE:g} s:\n{visit.mortal.log.read_text()[-3000:]}")


@dataclass
class Acts:
    """What the person does, and when the bot is killed beside it."""

    visit: Visit
    trial: Trial
    thread: str
    edited: bool = False
    wished: bool = False
    edited_plan: bool = False
    asked_for_changes: bool = False
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def decide(self, on: Shown, card: Card) -> None:
        buttons = {button.label: button for button in (*card.buttons, *card.more)}
        if self.trial.manners and "Edit plan" in buttons and not self.edited_plan:
            self.edited_plan = True
            lines = buttons["Edit plan"].fill  # the last one waits for the one before it, too
            self.visit.person.press(buttons["Edit plan"], on, self.thread, words=f"{lines}, 2")
        elif self.trial.manners and "Answer…" in buttons:
            self.visit.person.say("The same as for an unknown code", self.thread)
        elif self.trial.manners and "Keep what was approved" in buttons:
            self.visit.person.press(buttons["Keep what was approved"], on, self.thread)
        elif self.trial.manners and "Merge it" in buttons and not self.asked_for_changes:
            self.asked_for_changes = True
            self.visit.person.press(buttons["Request changes"], on, self.thread)
        else:
            self.visit.person.press(card.buttons[0], on, self.thread)
            return
        self._wound(always=True)

    def meanwhile(self) -> None:
        with self.visit.outside.look() as glimpse:
            accepted = "PlanAccepted" in glimpse.facts
        if self.trial.manners and accepted and not self.edited:
            self.edited = True
            self.visit.person.edit(f"@overlord {REQUEST}, at most 90", self.thread)
            self._wound(always=True)
        elif self.trial.manners and self.edited and not self.wished:
            self.wished = True
            self.visit.person.say(WISH, self.thread)
            self._wound(always=True)
        elif self.chance.random() < 0.2:
            self._wound()

    def _wound(self, *, always: bool = False) -> None:
        """Kill it while a job runs, or beside words; never a job that died twice already."""
        with self.visit.outside.look() as glimpse:
            running = [row for row in glimpse.rows("jobs") if row.state == JobState.LEASED]
        pid = self.visit.mortal.pid  # one that lies dead already cannot be killed again
        # a row that a dead process still holds has died once more than it says, and may be claimed before the kill
        died = [row.attempts + (row.lease_owner.split("/")[1] != str(pid)) for row in running]
        if pid and self.trial.wounds and (running or always) and all(times < 2 for times in died):
            self.trial.wounds -= 1
            self.visit.mortal.kill()


def _wrong_facts(glimpse: Glimpse, trial: Trial) -> list[str]:
    """Everything once: each run handed in, judged and brought in once, one merge; another round for asked changes."""
    counted, more = Counter(glimpse.facts), int(trial.manners)
    runs = sorted([*RUNS, *([(4, 2)] if more else []), *([(1, 2)] if trial.turns_at else [])])
    once = ("WorkBegun", "MergeApproved", "Merged", "PlanAccepted")
    wanted = {**dict.fromkeys(once, 1), "JobParked": 0, "MinionAsked": 1, "WorkCompleted": 1 + more}
    wanted |= {"PullOpened": 1 + more, "WorkHandedIn": len(runs), "WorkEvaluated": len(runs), "SubtaskDone": 4 + more}
    wanted |= {"RequestEdited": more, "RequestCorrected": 0, "MinionAnswered": 1}
    wanted |= {"PlanEdited": more, "DecompositionDrafted": 1 + more, "RemarkMade": more, "WishWeighed": 1 + more}
    wrongs = [f"{kind} happened {counted[kind]} times, not {n}" for kind, n in wanted.items() if counted[kind] != n]
    judged = sorted((row.subtask, row.attempt) for row in glimpse.rows("evaluations"))
    if judged != runs:
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
    if "--days" not in _git(home / "sample" / ".git", "show", "main:shortlinks/cli.py"):
        wrongs.append("the work is not on the sample's own branch")
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
