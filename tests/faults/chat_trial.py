"""One conversation on Slack or Discord while the bot is killed and the provider fails, counted at the provider."""

import asyncio
import json
import random
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import apscheduler.schedulers.asyncio  # noqa: F401  # what a bot loads when it starts is loaded before it is forked
from sqlalchemy import Row

import bot.platforms.discord.gateway
import bot.platforms.slack.gateway  # noqa: F401
from agents.domain.errors import NoAnswer
from agents.ports import Ask, Ports, Shape, Spent
from bot.app import running
from bot.config.settings_source import load_settings
from store.chat.posts import Act, PostState
from tests.fakes.clock import ScaledClock
from tests.fakes.llm import A_CHANGE
from tests.fakes.ports import free_port
from tests.faults.chat_people import SURFACES, Held, a_provider
from tests.faults.console_trial import SCALE, furnished
from tests.faults.killing import Main, Mortal, Ready, living, side_by_side, until
from tests.faults.outside import Glimpse, Outside

PATIENCE = 120.0
TRIALS, MORE, KILLS = 4, 3, 15  # trials in `make test`, kills after the first in each, kills there must be in all
# How far kills are spread, in a calm run's steps. Faults and kills add to them, so almost all of these are reached; a
# long search goes on to the end, where some kills come too late.
SURELY, TO_THE_END = 0.8, 1.6
# Each must happen once, and in this order.
FACTS = ["TaskRequested", "ProjectChosen", "TaskCancelled"]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """The bot dies at step kills[0], its successor at step kills[1], and so on."""

    surface: str
    seed: int = 0  # of the provider's faults; 0: it has none
    kills: tuple[int, ...] = ()


@dataclass
class Counted:
    """What one trial came to. `wrongs` is empty when all is well."""

    trial: Trial
    died: int = 0
    start: int = 0  # of the steps, those until it could be spoken to
    steps: int = 0
    posts: int = 0
    faults: int = 0
    took: float = 0.0
    wrongs: list[str] = field(default_factory=list)


class NoModel:
    """Knows a request when it reads one, and then is away: the task asks its owner, and nothing slow is loaded."""

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        if asked.question == "route":
            return shape.model_validate(A_CHANGE), Spent(model="scripted")
        raise NoAnswer("No model answers in this trial", next_step="Cancel the task.")


def _without_models(ports: Ports) -> Ports:
    return replace(ports, llm=NoModel())


def the_bot(home: Path, environ: Mapping[str, str], scale: float = SCALE) -> Main:
    """The whole program, as it is, on a clock that runs so many times as fast."""
    since = time.time()
    given = {"OVERLORD_HOME": str(home), "OVERLORD_CONSOLE_PORT": "0", **environ}

    async def main(ready: Ready) -> None:
        settings = load_settings(given, cwd=home)
        async with running(settings, clock=ScaledClock(scale, since), swap=_without_models) as program:
            ready(program.address)
            await asyncio.Event().wait()

    return main


class Watch:
    """The parent of both processes: keeps the bot alive, and looks at its tables all the while (P6)."""

    def __init__(self, mortal: Mortal, outside: Outside, wire: "Connection[Any, Any]") -> None:
        self._mortal, self._outside, self._wire = mortal, outside, wire
        self.wrongs: list[str] = []
        mortal.on_death = self._look

    def until_held(self) -> Held:
        """Until the talk is over and the bot has nothing left to do; then what the provider has."""
        until(self._told, self._mortal, what="the end of the talk", patience=PATIENCE)
        held = Held.read(self._wire.recv())
        if not held.problem:
            until(lambda: self._tick() and self._idle(), self._mortal, what="nothing is left to do", patience=PATIENCE)
            self._wire.send("count")
            held = Held.read(self._wire.recv())
        return held

    def _told(self) -> bool:
        self._tick()
        return self._wire.poll()

    def _tick(self) -> bool:
        self._look()
        return True

    def _look(self) -> None:
        if self._outside.exists:
            with self._outside.look() as glimpse:
                self.wrongs += [f"P6: nothing moves {task}" for task in glimpse.stalled]

    def _idle(self) -> bool:
        with self._outside.look() as glimpse:
            return glimpse.is_idle

    def count(self, held: Held) -> list[str]:
        """Everything that must be there once, in its place, and nothing else."""
        with self._outside.look() as glimpse:
            wrongs = glimpse.wrongs() + _wrong_posts(glimpse, held) + _wrong_rows(glimpse)
        return wrongs + _wrong_words(held)


def _sent(glimpse: Glimpse) -> list[Row[Any]]:
    return sorted((row for row in glimpse.rows("posts") if row.act == Act.POST), key=lambda row: int(row.id))


def _wrong_posts(glimpse: Glimpse, held: Held) -> list[str]:
    """Lost, doubled or out of order: the provider has exactly what the outbox meant, in that order."""
    wanted = [row.message for row in _sent(glimpse)]
    shown = [message.id for message in held.messages if message.by_bot]
    wrongs = [f"lost: {row.key}" for row in _sent(glimpse) if row.message not in shown]
    wrongs += [f"doubled: {m.text[:80]}" for m in held.messages if m.by_bot and m.id not in wanted]
    if not wrongs and shown != wanted:
        wrongs.append(f"out of order: {shown}, not {wanted}")
    wrongs += [f"outside the thread: {stray}" for stray in held.strays]
    for row in glimpse.rows("posts"):
        finished = row.act == Act.WHISPER or (row.state == PostState.SENT and row.wanted == row.shown)
        if not finished:
            wrongs.append(f"post {row.key} is {row.state}, {row.problem}")
    return wrongs


def _wrong_words(held: Held) -> list[str]:
    """What people see: questions once, marks on what they said, no button that is left over."""
    wrongs = []
    for words in ("T-1 · add a health check", "which project is this for?", "Cancel T-1?"):
        found = sum(m.text.startswith(words) or words in m.text.partition("\n")[0] for m in held.messages if m.by_bot)
        if found != 1:
            wrongs.append(f"{found} messages say “{words}”")
    wrongs += [f"marked {m.marks} times: {m.text}" for m in held.messages if not m.by_bot and m.marks != 1]
    return wrongs + [f"still has buttons: {m.text[:80]}" for m in held.messages if m.buttons]


def _wrong_rows(glimpse: Glimpse) -> list[str]:
    told = [kind for kind in glimpse.facts if kind in FACTS]
    wrongs = [] if told == FACTS else [f"the facts are {glimpse.facts}"]
    handled = sorted(row.kind for row in glimpse.rows("deliveries") if row.state == "handled")
    if handled != ["Pressed", "Pressed", "Said", "Said"]:
        wrongs.append(f"handled were {handled}")
    wrongs += [f"{key} is {state}" for key, state in glimpse.deliveries.items() if state in ("received", "parked")]
    return wrongs


def furnished_for_kills(home: Path) -> Path:
    """A job that dies with its bot three times is parked, and says so (P7): not what is tried here."""
    config = furnished(home) / "overlord.yaml"
    config.write_text(config.read_text().replace("limits: {", "limits: {job_recoveries: 20, "))
    return home


def run_trial(trial: Trial) -> Counted:
    started, counted = time.monotonic(), Counted(trial)
    home = furnished_for_kills(Path(tempfile.mkdtemp(prefix=f"overlord-{trial.surface}-")))
    ours, theirs = Pipe()
    main = a_provider(SURFACES[trial.surface], trial.seed, free_port(), theirs)
    with living(Mortal(main, home / "provider.log")) as provider:
        mortal = Mortal(the_bot(home, json.loads(provider.address)), home / "bot.log", list(trial.kills))
        watch = Watch(mortal, Outside(home / "overlord.db"), ours)
        try:
            with living(mortal):
                counted.start = mortal.steps.made
                held = watch.until_held()
                counted.steps, counted.died = mortal.steps.made, mortal.died
                counted.posts, counted.faults = sum(m.by_bot for m in held.messages), held.faults
                counted.wrongs = watch.wrongs + ([held.problem] if held.problem else watch.count(held))
        except AssertionError as problem:
            counted.wrongs = [*watch.wrongs, str(problem)]
    counted.took = time.monotonic() - started
    if counted.wrongs:
        counted.wrongs.append(f"what it left behind: {home}")
    else:
        shutil.rmtree(home)
    return counted


def plans(calm: Counted, trials: int, seed: int, reach: float) -> list[Trial]:
    """Kills spread over the conversation, and one in four while the bot starts.

    Each life has its start to go through again, and then goes on from where the last one was killed.
    """
    surface = calm.trial.surface
    chance, talk = random.Random(f"{surface} {seed}"), (calm.steps - calm.start) * reach
    made: list[Trial] = []
    for at in range(trials):
        points = sorted([talk * at / max(1, trials - 1), *(chance.uniform(0, talk) for _ in range(MORE))])
        lives = [calm.start + 1 + round(end - begin) for begin, end in pairwise([0, *points])]
        kills = [chance.randint(1, calm.start) if chance.random() < 0.25 else life for life in lives]
        made.append(Trial(surface=surface, seed=seed + at, kills=tuple(kills)))
    return made


def kill_in_talks(surface: str) -> None:
    """A sample of what `python -m tests.bench.kill_chats` does at length. It goes on until there were enough kills."""
    seed = random.SystemRandom().randrange(1, 10**6)
    calm, done = run_trial(Trial(surface=surface)), list[Counted]()
    assert not calm.wrongs, told(calm)
    while sum(counted.died for counted in done) < KILLS:
        some = plans(calm, TRIALS if not done else 2, seed + len(done), SURELY)
        done += side_by_side(run_trial, some, at_once=2)
        wrong = [counted for counted in done if counted.wrongs]
        assert not wrong, "\n".join(map(told, wrong))
    assert sum(counted.faults for counted in done) > 0


def told(counted: Counted) -> str:
    trial = counted.trial
    again = f"python -m tests.bench.kill_chats --again {trial.surface}:{trial.seed}:{','.join(map(str, trial.kills))}"
    return "\n  ".join([f"killed at {trial.kills} (again: {again})", *counted.wrongs])
