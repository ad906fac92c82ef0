"""A bot that is killed while it starts, at any call of any function, starts the next time as if nothing had been."""

import os
import random
import signal
import sys
import threading
from itertools import count
from pathlib import Path
from types import FrameType

import pytest

from tests.fakes.ports import free_port
from tests.faults.console_trial import furnished, the_bot
from tests.faults.killing import Main, Mortal, Ready, Steps, living, side_by_side
from tests.faults.outside import Outside
from tests.faults.person import Person

TRIALS = 12


def killed_at_call(main: Main, at: int, calls: Steps) -> Main:
    """Watched from its first call, on all of its threads, until it is ready; `calls` then says how many there were."""
    made = count(1)

    def watch(frame: FrameType, happened: str, argument: object) -> None:
        if (happened == "call" or happened == "c_call") and next(made) == at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def watched(ready: Ready) -> None:
        def ready_at_last(address: str) -> None:
            threading.setprofile(None)
            sys.setprofile(None)
            calls.count(next(made))
            ready(address)

        threading.setprofile(watch)
        sys.setprofile(watch)
        await main(ready_at_last)

    return watched


def start_killed_at(trial: tuple[Path, int]) -> str:
    """What went wrong, or nothing. The bot dies at that call of its first start; then somebody speaks to it."""
    home, at = trial
    bot = the_bot(furnished(home), free_port())
    first = Mortal(killed_at_call(bot, at, Steps()), home / "bot.log")
    try:
        first.start_once()
        first.kill()
        with living(Mortal(bot, home / "bot.log")) as mortal:
            Person(mortal, f"after-{at}").say("@overlord add a health check")
            with Outside(home / "overlord.db").look() as glimpse:
                wrongs = [] if glimpse.states == ["handled"] else [f"the deliveries are {glimpse.states}"]
                return "; ".join(wrongs + glimpse.wrongs())
    except AssertionError as problem:
        return f"killed at call {at}: {problem}"


@pytest.mark.timeout(180)
def test_a_bot_killed_at_any_call_of_its_first_start_starts_again(tmp_path: Path) -> None:
    calls = Steps()
    bot = the_bot(furnished(tmp_path / "calm"), free_port())
    with living(Mortal(killed_at_call(bot, 0, calls), tmp_path / "log")):
        pass
    seed = random.SystemRandom().randrange(10**6)
    # most calls read templates and manifests; half of the trials are among the last fifth, where files are written
    chance = random.Random(seed)
    early = [chance.randint(1, calls.made) for _ in range(TRIALS // 2)]
    late = [chance.randint(calls.made * 4 // 5, calls.made) for _ in range(TRIALS // 2)]
    wrongs = list(
        side_by_side(start_killed_at, [(tmp_path / f"{n}", at) for n, at in enumerate(early + late)], at_once=2)
    )
    assert not any(wrongs), f"seed {seed}: {[wrong for wrong in wrongs if wrong]}"


def test_half_a_secret_left_by_an_older_program_is_made_anew(tmp_path: Path) -> None:
    (furnished(tmp_path) / "console.secret").touch()
    with living(Mortal(the_bot(tmp_path, free_port()), tmp_path / "bot.log")) as mortal:
        Person(mortal, "half-secret").say("@overlord add a health check")
    assert len((tmp_path / "console.secret").read_bytes()) == 32
