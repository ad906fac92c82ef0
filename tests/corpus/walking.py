"""One project all the way: `overlord init`, set-up with consent, baseline, a small change, judged, merged.

The program is the real one with its real sandbox; a person presses what is asked. What nobody but somebody who knows
Overlord could do counts as a hand-made step, and ends the walk.
"""

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from agents.domain.decisions.authority import Kind
from agents.domain.events import BaselineMeasured, EnvironmentFailed, Event, GroundSettled, WorkEvaluated
from agents.domain.ids import TaskId
from bot.app import Program, running
from bot.cards.planning.ground import baseline_in_words
from bot.config.settings_source import load_settings
from bot.queries import Need
from tests.corpus.projects import Project
from tests.corpus.script import MODEL, REQUEST, Script
from tests.fakes.model_server import KEY, ModelServer
from tests.scenarios.console_stage import ConsoleStage
from tests.workspace.repositories import git, tip

PATIENCE = 900.0
WHO = "operator"
# What a person is asked on the usual way; anything else means that the project did not go by itself.
USUAL = {Kind.CONSENT: "Run set-up", Kind.PLAN: "Approve plan", Kind.GATE: "", Kind.MERGE: "Merge it"}


@dataclass(slots=True, kw_only=True)
class Walk:
    """How far a project came. `seconds` since its start, by what was reached."""

    project: Project
    seconds: dict[str, float] = field(default_factory=dict)
    pressed: list[str] = field(default_factory=list)
    found: str = ""  # what `overlord init` printed
    baseline: str = ""
    tried: list[str] = field(default_factory=list)  # how the minion fared with the command for tests
    checks: dict[int, list[str]] = field(default_factory=dict)  # by attempt
    stopped: str = ""  # why it did not come to a merge by itself

    @property
    def merged(self) -> bool:
        return "merged" in self.seconds and not self.stopped

    @property
    def took(self) -> float:
        return max(self.seconds.values(), default=0.0)


class Behind:
    program: Program | None = None


def init(repository: Path, home: Path, name: str) -> str:
    """`overlord init`, as a person types it in the folder of the project."""
    ran = subprocess.run(
        [sys.executable, "-m", "bot", "--home", str(home), "init", "--yes", "--name", name],
        cwd=repository,
        env=environ(home),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


async def walk(project: Project, repository: Path, home: Path) -> Walk:
    """Never raises for what the project or Overlord does; why it stopped is told."""
    began, result = time.perf_counter(), Walk(project=project)
    result.found = await asyncio.to_thread(init, repository, home, project.name)
    result.seconds["init"] = time.perf_counter() - began
    script = Script(project, repository)
    async with ModelServer(models=(MODEL,)) as server:
        script.put_into(server)
        given = {
            **environ(home),
            "OVERLORD_CONSOLE_PORT": "0",
            "OVERLORD_CONFIG": str(add_model(home, server.url)),
            "WALK_KEY": KEY,
        }
        settings = load_settings(given, cwd=home, user=WHO)
        behind = Behind()
        stage = ConsoleStage(behind)
        async with running(settings) as program:
            behind.program = program
            thread = await stage.say(WHO, REQUEST, mention=True)
            try:
                async with asyncio.timeout(PATIENCE):
                    await Person(stage, program, result, began).go(thread)
            except TimeoutError:
                result.stopped = f"nothing more happened within {PATIENCE:g} s"
    result.tried = script.tried
    if result.merged:
        _see_merged(project, repository)
    return result


def add_model(home: Path, url: str) -> Path:
    """The settings file that `overlord init` wrote, and the model in it."""
    written = home / "overlord.yaml"
    model = f'models:\n  primary: {{model: openai/{MODEL}, base_url: "{url}", api_key_env: WALK_KEY}}\n'
    written.write_text(f"{written.read_text()}\n{model}")
    return written


def environ(home: Path) -> dict[str, str]:
    own = ("PATH", "HOME", "LANG", "TMPDIR", "PYTHONPATH")
    kept = (*own, "RUSTUP_HOME", "CARGO_HOME", "PIP_INDEX_URL", "PIP_CONFIG_FILE")
    return {**{name: os.environ[name] for name in kept if name in os.environ}, "OVERLORD_HOME": str(home)}


def _see_merged(project: Project, repository: Path) -> None:
    """It is really there, in the user's own branch and folder."""
    for path, added in project.change.added.items():
        assert added.strip() in (repository / path).read_text(), f"{path} is not merged"
    assert tip(repository, "main") and not git(repository, "status", "--porcelain", "--untracked-files=no")


class Person:
    """Presses what is asked, but waits with the plan until the baseline is known."""

    def __init__(self, stage: ConsoleStage, program: Program, result: Walk, began: float = 0.0) -> None:
        self._stage, self._program, self._result, self._began = stage, program, result, began
        self._done = set[str]()

    async def go(self, thread: str) -> None:
        while True:
            tasks = await self._program.queries.tasks(self._stage.account(WHO), ended=True, limit=1)
            if tasks:
                await self._look(await self._facts(tasks[0].id))
                if tasks[0].delivery.merged_into:
                    self._reached("merged")
                if tasks[0].has_ended:
                    self._result.stopped = "" if tasks[0].delivery.merged_into else "the task ended without a merge"
                    return
            for need in await self._program.queries.needs(self._stage.account(WHO)):
                if not await self._press(thread, need):
                    return
            await asyncio.sleep(0.1)

    async def _press(self, thread: str, need: Need) -> bool:
        kind, id = need.decision.kind, need.decision.id
        if id in self._done or (kind is Kind.PLAN and "baseline" not in self._result.seconds):
            return True
        label = USUAL.get(kind)
        if label is None or (kind is Kind.CONSENT and need.decision.evidence):
            rows = "; ".join(f"{row.label}: {row.value}" for row in need.card.rows)
            self._result.stopped = f"a person is asked ({kind.value}): {need.card.title}: {need.card.text} {rows}"
            return False
        label = label or need.card.buttons[0].label
        shown = {each for message in await self._stage.shown(WHO, thread) for each in message.buttons}
        if label not in shown:
            return True
        self._done.add(id)
        self._reached(f"{kind.value} asked")
        self._result.pressed.append(f"{kind.value}: {label}")
        await self._stage.press(WHO, thread, label)
        return True

    async def _facts(self, task: TaskId) -> list[Event]:
        return [each.event for each in await self._program.services.database.read(lambda tx: tx.log.facts(task))]

    async def _look(self, facts: list[Event]) -> None:
        for fact in facts:
            match fact:
                case GroundSettled():
                    self._reached("set up")
                case EnvironmentFailed(problem=problem):
                    self._result.stopped = f"set-up: {problem}"
                case BaselineMeasured(baseline=baseline):
                    self._reached("baseline")
                    self._result.baseline = baseline_in_words(baseline)
                case WorkEvaluated(evaluation=evaluation):
                    self._reached("judged")
                    gates = (f"{gate.name}: {gate.score.value} ({gate.why})" for gate in evaluation.gates)
                    self._result.checks[evaluation.attempt] = [*gates]
                case _:
                    pass

    def _reached(self, what: str) -> None:
        self._result.seconds.setdefault(what, round(time.perf_counter() - self._began, 1))
