"""P4: killed at any step of push, draft, comment, marking ready or merge, and begun again, each happened once."""

import asyncio
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.ports import Forge, Pull
from tests.fakes.github import FakeGitHub, Fault, apart
from tests.faults.killing import Mortal
from tests.workspace import repositories as repos
from tests.workspace.forge_rig import PROJECT, github_forge, local_forge, remembered, work_on

SAMPLES = 10  # steps to die at, spread over all there are; the second death is a little later
WRITES = ["POST .*/pulls", "POST .*/comments", "POST .*/graphql", "PUT .*", "POST .*receive-pack"]
FULL = os.environ.get("OVERLORD_HYPOTHESIS") == "full"  # every step; `make bench` sets it


@dataclass(frozen=True, kw_only=True)
class Handover:
    """All that is done with one piece of work, from a process that may die."""

    make: Callable[[], Forge]
    pull: Pull

    async def __call__(self, ready: Callable[[str], None]) -> None:
        forge = self.make()
        opened = await forge.open(self.pull)
        await forge.comment("evaluated", PROJECT, opened.number, "The gates pass.")
        await forge.ready(PROJECT, opened.number)
        merged = await forge.merge(PROJECT, opened.number, self.pull.head, "Add b")
        assert merged
        ready(merged)
        await asyncio.Event().wait()


def end_up(main: Handover, log: Path, kills: list[int]) -> tuple[str, int]:
    """Die as often as told, begin again each time; the merge that it says it made, and the steps of its last life."""
    mortal = Mortal(main=main, log=log, kills=list(kills))
    mortal.start()
    mortal.kill()
    return mortal.address, mortal.steps.made


def spread(steps: int) -> range:
    return range(2, steps, 1 if FULL else max(1, steps // SAMPLES))


def hand_over_locally(place: Path, kind: str, kills: list[int]) -> int:
    """One trial; how many steps the last life took."""
    place.mkdir()
    theirs = repos.somebodys(place / "theirs")
    far = theirs if kind == "checked out" else repos.bare(theirs, place / "far")
    ours = repos.bare(far, place / "ours")
    pull, main = work_on(ours, draft=True), repos.tip(far, "main")
    merged, steps = end_up(Handover(make=lambda: local_forge(place, far, ours)[0], pull=pull), place / "log", kills)
    (seen,) = remembered(place)
    assert (seen.state, seen.draft) == ("merged", False), kills
    assert repos.tip(far, pull.branch) == pull.head
    assert repos.tip(far, "main") == merged
    assert repos.git(far, "show", "-s", "--format=%P", merged).split() == [main, pull.head]
    if kind == "checked out":
        assert repos.git(far, "status", "--porcelain") == "", kills
        assert (far / "src/b.py").exists()
    return steps


@pytest.mark.timeout(3600 if FULL else 180)
@pytest.mark.parametrize("kind", ["bare", "checked out"])
def test_each_effect_happens_once_in_the_users_own_repository(tmp_path: Path, kind: str) -> None:
    steps = hand_over_locally(tmp_path / "unharmed", kind, [])
    for at in spread(steps):
        hand_over_locally(tmp_path / str(at), kind, [at, at + 3])


def hand_over_to_github(place: Path, kills: list[int], chance: random.Random) -> int:
    """One trial, with an answer lost on the way as well; how many steps the last life took."""
    place.mkdir()
    fake = FakeGitHub(place / "hub")
    far = fake.world.add("acme", "shop", repos.somebodys(place / "theirs"), fake.folder).path
    ours = repos.bare(far, place / "ours")
    pull = work_on(ours, draft=True)
    if kills:
        fault = chance.choice([Fault.RESET_AFTER, Fault.ERROR_AFTER, Fault.RESET_BEFORE, Fault.LIMIT_429])
        fake.faults.plan(fault, chance.choice(WRITES))
    with apart(fake) as count:
        hand_over = Handover(make=lambda: github_forge(fake.api_url, ours)[0], pull=pull)
        merged, steps = end_up(hand_over, place / "log", kills)
        assert [count(kind) for kind in ("push", "pull", "comment", "ready", "merge")] == [1, 1, 1, 1, 1], kills
    assert repos.tip(far, pull.branch) == pull.head
    assert repos.tip(far, "main") == merged
    return steps


@pytest.mark.timeout(3600 if FULL else 180)
def test_each_effect_happens_once_on_github(tmp_path: Path) -> None:
    chance = random.Random(4)
    steps = hand_over_to_github(tmp_path / "unharmed", [], chance)
    for at in spread(steps):
        hand_over_to_github(tmp_path / str(at), [at, at + 3], chance)
