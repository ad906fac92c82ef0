"""People who send and send again while the bot is killed from outside; what they saw acknowledged is written down."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.faults.killing import Main, Mortal, living, until
from tests.faults.outside import Glimpse, Outside
from tests.faults.person import Person


@dataclass(frozen=True, kw_only=True)
class Rush:
    seed: int
    people: int = 4
    messages: int = 300
    kills: int = 15


@dataclass
class Rushed:
    acknowledged: list[tuple[str, str]] = field(default_factory=list)  # nonce and thread, once for each time
    stalled: list[str] = field(default_factory=list)  # tasks that nothing would have moved, as each kill left them


@dataclass(frozen=True)
class SomebodyElsesBot:
    """A bot that this person can only wait for."""

    address: str

    def revive(self) -> None:
        return


def rush(home: Path, mains: Sequence[Main], plan: Rush, is_over: Callable[[Glimpse], bool]) -> Rushed:
    """Kill a bot each time so many more messages were acknowledged; end when all were, and it is over.

    Several bots share one store: each time it is sent, a message goes to any of them.
    """
    outside, rushed, chance = Outside(home / "overlord.db"), Rushed(), random.Random(plan.seed)
    bots = [Mortal(main, home / "bot.log") for main in mains]
    notes = [home / f"acknowledged-{at}" for at in range(plan.people)]
    moments = sorted(chance.sample(range(1, plan.messages), plan.kills))

    def over() -> bool:
        with outside.look() as glimpse:
            return is_over(glimpse)

    with ExitStack() as alive:
        for bot in bots:
            alive.enter_context(living(bot))
        talking = alive.enter_context(_talking([bot.address for bot in bots], plan, notes))
        for moment in moments:
            _until_acknowledged(moment, notes, bots)
            killed = chance.choice(bots)
            killed.kill()
            with outside.look() as glimpse:
                rushed.stalled += glimpse.stalled
            killed.start()
        until(lambda: not any(p.is_alive() for p in talking), *bots, what="everybody was heard", patience=120)
        assert [process.exitcode for process in talking] == [0] * plan.people
        until(over, *bots, what="nothing is left to do", patience=60)
    for line in _lines(notes):
        nonce, thread = line.split()
        rushed.acknowledged.append((nonce, thread))
    return rushed


def _until_acknowledged(count: int, notes: list[Path], bots: Sequence[Mortal]) -> None:
    until(lambda: len(_lines(notes)) >= count, *bots, what=f"{count} acknowledgements")


@contextmanager
def _talking(addresses: list[str], plan: Rush, notes: list[Path]) -> Iterator[list[BaseProcess]]:
    fork = get_context("fork")
    talking: list[BaseProcess] = [
        fork.Process(target=_talk, args=(addresses, f"person-{at}", plan, path), daemon=True)
        for at, path in enumerate(notes)
    ]
    for process in talking:
        process.start()
    try:
        yield talking
    finally:
        for process in talking:
            process.kill()
            process.join()


def _talk(addresses: list[str], name: str, plan: Rush, acknowledged: Path) -> None:
    """Send messages of one's own, each one to three times; write down each that was acknowledged."""
    chance, windows = random.Random(f"{plan.seed} {name}"), [Person(SomebodyElsesBot(at), name) for at in addresses]
    with acknowledged.open("w", buffering=1) as notes:
        for number in range(plan.messages // plan.people):
            nonce = f"{name}-message-{number}"
            for _ in range(chance.randint(1, 3)):
                thread = chance.choice(windows).say(f"@overlord do {nonce}", nonce=nonce)
                notes.write(f"{nonce} {thread}\n")


def _lines(notes: list[Path]) -> list[str]:
    return [line for path in notes if path.exists() for line in path.read_text().splitlines()]


def lost(home: Path, rushed: Rushed) -> list[str]:
    """What was acknowledged and is not in the store, or was never settled."""
    with Outside(home / "overlord.db").look() as glimpse:
        states = {key.rpartition(":")[2]: state for key, state in glimpse.deliveries.items()}
    return sorted({nonce for nonce, _ in rushed.acknowledged if states.get(nonce) != "handled"})
