"""What was acknowledged is never lost and never counts twice, over real HTTP and real kills (P1, P2)."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tests.faults.console_trial import free_port, furnished, the_bot
from tests.faults.killing import Mortal, living, until
from tests.faults.outside import Glimpse, Outside
from tests.faults.person import Person

PEOPLE, MESSAGES, KILLS = 4, 300, 15


@dataclass(frozen=True)
class SomebodyElsesBot:
    """A bot that this person can only wait for."""

    address: str

    def revive(self) -> None:
        return


def talk(address: str, name: str, seed: int, acknowledged: Path) -> None:
    """Send messages of one's own, each up to three times; write down each that was acknowledged."""
    chance, person = random.Random(seed), Person(SomebodyElsesBot(address), name)
    with acknowledged.open("w", buffering=1) as notes:
        for number in range(MESSAGES // PEOPLE):
            nonce = f"{name}-message-{number}"
            for _ in range(chance.randint(1, 3)):
                notes.write(f"{nonce} {person.say(f'@overlord do {nonce}', nonce=nonce)}\n")


@contextmanager
def people_talking(address: str, seed: int, notes: list[Path]) -> Iterator[list[BaseProcess]]:
    fork = get_context("fork")
    talking = [
        fork.Process(target=talk, args=(address, f"person-{at}", seed + at, path), daemon=True)
        for at, path in enumerate(notes)
    ]
    for process in talking:
        process.start()
    try:
        yield list(talking)
    finally:
        for process in talking:
            process.kill()
            process.join()


def lines(notes: list[Path]) -> list[str]:
    return [line for path in notes if path.exists() for line in path.read_text().splitlines()]


def wrong_threads(glimpse: Glimpse, threads: set[str]) -> list[str]:
    wrong = []
    for thread in sorted(threads):
        kinds = [shown.key.partition(":")[0] for shown in glimpse.thread(thread)]
        if kinds != ["", "status", "decision"]:
            wrong.append(f"{thread} holds {kinds}")
    return wrong


@pytest.mark.timeout(240)
def test_no_acknowledged_message_is_lost_and_none_makes_two_tasks_across_fifteen_kills(tmp_path: Path) -> None:
    home, port, seed = furnished(tmp_path), free_port(), random.SystemRandom().randrange(10**6)
    chance, outside = random.Random(seed), Outside(home / "overlord.db")
    mortal = Mortal(the_bot(home, port), home / "bot.log")
    notes = [home / f"acknowledged-{at}" for at in range(PEOPLE)]
    moments = sorted(chance.sample(range(MESSAGES), KILLS))
    stalled: list[str] = []
    with living(mortal), people_talking(mortal.address, seed, notes) as talking:
        for at in moments:
            until(lambda at=at: len(lines(notes)) >= at, mortal, what=f"{at} acknowledgements")  # type: ignore[misc]
            mortal.kill()
            with outside.look() as glimpse:
                stalled += glimpse.stalled
            mortal.start()
        until(lambda: not any(p.is_alive() for p in talking), mortal, what="everybody was heard", patience=120)
        assert [process.exitcode for process in talking] == [0] * PEOPLE

        def idle() -> bool:
            with outside.look() as glimpse:
                return glimpse.is_idle

        until(idle, mortal, what="nothing is left to do", patience=60)
    told = [line.split() for line in lines(notes)]
    assert len({nonce for nonce, _ in told}) == MESSAGES
    with outside.look() as glimpse:
        states = {key.rpartition(":")[2]: state for key, state in glimpse.deliveries().items()}
        lost = [nonce for nonce, _ in told if states.get(nonce) != "handled"]
        assert not lost, f"acknowledged and lost (seed {seed}): {lost}"
        assert glimpse.count("snapshots") == MESSAGES, f"tasks are doubled or missing (seed {seed})"
        assert not wrong_threads(glimpse, {thread for _, thread in told}), f"seed {seed}"
        assert not glimpse.wrongs() + stalled, f"seed {seed}"
