"""A walk to the merge in which the process kills itself at every step, right before or right after it is recorded.

Git, the store, the forge and the process are real. Minions, models and gates are played and remember nothing, so that
one walk takes seconds and every step of a workflow can be met.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.catalog.library import load_catalog
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.ids import TaskId, fingerprint
from agents.domain.task.task import Task
from agents.domain.workflow.steps import WORKER
from agents.domain.workflow.workflow import Part
from agents.ports import Brief, Decide, Later, Outcome, Ports, Watch
from store.running.port_adapters import JobLog
from tests.fakes.llm import ScriptedLlm
from tests.fakes.ports import free_port
from tests.fakes.work import ScriptedGates, ScriptedMinions, finishes
from tests.faults.console_trial import the_bot
from tests.faults.killing import Mortal, living
from tests.faults.outside import Glimpse
from tests.faults.visit import Visit
from tests.scenarios.plans import GO, OK, means
from tests.scenarios.working import APPROVED, ONE

REQUEST = "add a login page"
# Each death is counted for every job that runs: on a busy machine three of them would park the slowest.
CONFIG = """
limits: {reminder: 600000, quota_per_person: 10000, quota_per_channel: 10000, medium_gate: 600000, job_recoveries: 20}
workflow: {template: %s}
"""
PATIENCE = 240.0
ONCE = ("PlanAccepted", "WorkBegun", "PullOpened", "MergeApproved", "Merged", "DecompositionDrafted")
ALWAYS = {"decompose": ONE, "critic": GO, "custodiet": OK, "code_review": APPROVED, "intent": means("other")}


@dataclass
class Trial:
    """`after`: it dies right after a job was recorded, not before. `every`: at each n-th job, by its own number."""

    workflow: str
    after: bool = False
    every: int = 1
    died: int = 0
    took: float = 0.0
    at: list[str] = field(default_factory=list)  # the flow and step of each job that it died at
    wrongs: list[str] = field(default_factory=list)


class DeadlyLog(JobLog):
    """Kills the process once for each job. A file for each death outlives it."""

    def set_up(self, trial: Trial, deaths: Path) -> "DeadlyLog":
        self._trial, self._deaths = trial, deaths
        return self

    async def record(self, id: TaskId, decide: Decide) -> None:
        self._die(now=not self._trial.after)
        await super().record(id, decide)
        self._die(now=self._trial.after)

    async def record_or_wait(self, id: TaskId, decide: Callable[[Task, Moment], Sequence[Event] | Later]) -> None:
        self._die(now=not self._trial.after)
        await super().record_or_wait(id, decide)
        self._die(now=self._trial.after)

    def _die(self, *, now: bool) -> None:
        name = fingerprint(self._job.id)
        mark = self._deaths / name
        if not now or int(name[:8], 16) % self._trial.every or mark.exists():
            return
        mark.write_text(" ".join(filter(None, (self._job.flow, getattr(self._job.event, "step", "")))))
        os.kill(os.getpid(), signal.SIGKILL)


async def _write(brief: Brief, watch: Watch) -> Outcome:
    """Done again, it is the same."""
    step = brief.step.config.get("files", "form.py")
    place = brief.checkout.workspace.path / (f"{step}{brief.step.name}.py" if str(step).endswith("/") else str(step))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("FORM = 1\n")
    return await finishes()(brief, watch)


def _world(trial: Trial, deaths: Path) -> Callable[[Ports], Ports]:
    def swap(ports: Ports) -> Ports:
        log = ports.store
        assert isinstance(log, JobLog)
        deadly = DeadlyLog(log._database, log._job, log._moment, log._also).set_up(trial, deaths)
        llm, minions = ScriptedLlm(always=ALWAYS), ScriptedMinions(always=_write)
        return replace(ports, store=deadly, llm=llm, minions=minions, gates=ScriptedGates())

    return swap


def walk_it(trial: Trial) -> Trial:
    home, began = Path(tempfile.mkdtemp(prefix="overlord-kill-steps-")), time.monotonic()
    deaths = home / "deaths"
    deaths.mkdir()
    (home / "overlord.yaml").write_text(CONFIG % trial.workflow)
    mortal = Mortal(the_bot(home, free_port(), _world(trial, deaths)), home / "bot.log")
    try:
        with living(mortal):
            visit = Visit(home, mortal)
            _press_all(visit)
            visit.person.close()
            with visit.outside.look() as glimpse:
                trial.wrongs += [
                    *visit.stalled,
                    *glimpse.wrongs(),
                    *_wrong_facts(glimpse, trial.workflow),
                    *_unmerged(home),
                ]
    except AssertionError as problem:
        trial.wrongs.append(str(problem)[-4000:])
    trial.at, trial.died = sorted(each.read_text() for each in deaths.iterdir()), mortal.died
    trial.took = time.monotonic() - began
    if trial.wrongs:
        trial.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)
    return trial


def _press_all(visit: Visit) -> None:
    """A person who presses whatever is open, until it is merged."""
    thread, pressed, late = visit.person.say(f"@overlord {REQUEST}"), set[str](), time.monotonic() + PATIENCE
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
        time.sleep(0.03)
    raise AssertionError(f"not merged within {PATIENCE:g} s:\n{visit.mortal.log.read_text()[-3000:]}")


def _workers(name: str) -> tuple[int, int]:
    """How many work on the opening subtask, and on each other."""
    workflow = load_catalog().workflows[name]
    opening, ordinary = (
        sum(step.type == WORKER.name for step in workflow.part(part)) for part in (Part.OPENING, Part.ORDINARY)
    )
    return opening, ordinary


def _wrong_facts(glimpse: Glimpse, workflow: str) -> list[str]:
    """Everything once: one plan, one hand-in a worker, one join a subtask, one pull request, one merge."""
    counted, (opening, ordinary) = Counter(glimpse.facts), _workers(workflow)
    subtasks = 2 + bool(opening)
    handed_in = opening + ordinary + 1 + (ordinary - 1 if opening else 0)  # alone, the whole is what was judged already
    wanted = {**dict.fromkeys(ONCE, 1), "WorkHandedIn": handed_in, "JobParked": 0}
    wanted |= dict.fromkeys(("SubtaskDone", "GatePassed"), subtasks)
    wrongs = [f"{kind} happened {counted[kind]} times, not {n}" for kind, n in wanted.items() if counted[kind] != n]
    told = ((row.kind, json.loads(row.body)) for row in glimpse.rows("events") if row.kind in ("StepDue", "StepPassed"))
    steps = Counter((kind, body["subtask"], body["attempt"], body["step"]) for kind, body in told)
    return wrongs + [f"{step} happened {times} times" for step, times in steps.items() if times > 1]


def _unmerged(home: Path) -> list[str]:
    main = subprocess.run(
        ["git", f"--git-dir={home / 'sample' / '.git'}", "log", "--format=%s", "main", "--", "form.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    merged = main.stdout.splitlines()
    return [] if len(merged) == 1 else [f"the work is on main {len(merged)} times: {merged}"]


def told(trial: Trial) -> str:
    when = "after" if trial.after else "before"
    return "\n  ".join([f"{trial.workflow}, {when} each record, {trial.died} deaths at {trial.at}", *trial.wrongs])
