"""Branches of ended tasks go by the retention setting, here and in a person's repository; what is theirs stays."""

from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.ids import TaskId
from agents.domain.limits import Retention
from agents.workspace.git.checkouts import GitCheckouts
from bot.running.upkeep import Repositories as Place, prune_branches
from store.codec import Cause
from store.database import Database
from tests.store.room import ANA, Room, office_of
from tests.workspace.yard import Yard, git

DAY = 86_400.0


@dataclass
class Farm:
    """Three tasks with a branch and a subtask's branch each, all of them published."""

    room: Room
    yard: Yard
    checkouts: GitCheckouts
    head: str

    async def end(self, task: TaskId) -> None:
        owner = (await self.room.database.read(lambda tx: tx.log.task(task))).request.by
        await self.record(e.TaskCancelled(task=task, at=self.room.clock.now(), by=owner, reason="over"))

    async def record(self, fact: Event) -> None:
        cause = Cause(actor=ANA, delivery="d")
        await self.room.database.write(lambda tx: tx.log.append(fact.task, [fact], cause))

    async def prune(self, days: int | None = 7, *, original: bool = True) -> None:
        office = replace(self.room.office, retention=Retention(branches=days))
        place = Place(copy=self.yard.mirror, original=self.yard.user if original else None)
        await prune_branches(office, {"links": place})

    def here(self) -> set[str]:
        return set(
            git(self.yard.mirror, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/overlord/base").split()
        )

    def there(self) -> set[str]:
        return set(git(self.yard.user, "for-each-ref", "--format=%(refname:short)", "refs/heads/ai").split())


@pytest.fixture
async def farm(yard: Yard, tmp_path: Path) -> AsyncIterator[Farm]:
    with closing(Database(f"sqlite:///{tmp_path / 'overlord.db'}")) as database:
        room, checkouts = Room(office_of(database)), yard.checkouts()
        head = await checkouts.tip("links", "HEAD")
        for number in (1, 2, 3):
            await room.task()
            for branch in (f"ai/t-{number}-x", f"ai/t-{number}.1-y"):
                await checkouts.open("links", branch, head)
                git(yard.user, "update-ref", f"refs/heads/{branch}", head)
        yield Farm(room, yard, checkouts, head)


ONE, TWO = TaskId("T-1"), TaskId("T-2")
ALL_THERE = {f"ai/t-{n}{part}" for n in (1, 2, 3) for part in ("-x", ".1-y")}


async def test_those_of_a_task_that_ended_long_ago_go_and_no_others(farm: Farm) -> None:
    await farm.end(ONE)
    farm.room.clock.pass_(10 * DAY)
    await farm.end(TWO)
    before = git(farm.yard.user, "status", "--porcelain")
    await farm.prune(None)
    await farm.prune(20)
    assert farm.there() == ALL_THERE
    await farm.prune(7)
    assert farm.there() == ALL_THERE - {"ai/t-1-x", "ai/t-1.1-y"}
    assert farm.here() == {f"refs/{kind}/{branch}" for kind in ("heads", "overlord/base") for branch in farm.there()}
    assert git(farm.yard.user, "status", "--porcelain") == before
    assert git(farm.yard.mirror, "cat-file", "-t", farm.head) == "commit", "commits stay"


async def test_those_of_another_pattern_go_unless_it_is_not_clear_whose_they_are(farm: Farm) -> None:
    unclear, of_two = "see-t-1-again_t-2", ("bots/t-2/x", "y-t-2.1", "ai/t-2-see-t-3")
    for branch in ("bots/t-1/x", unclear, *of_two):
        await farm.checkouts.open("links", branch, farm.head)
    await farm.end(ONE)
    farm.room.clock.pass_(10 * DAY)
    await farm.prune()
    here = {ref.removeprefix("refs/heads/") for ref in farm.here()}
    assert "bots/t-1/x" not in here and {unclear, *of_two} <= here


async def test_what_a_person_moved_or_works_on_stays_in_both(farm: Farm) -> None:
    await farm.end(ONE)
    tree = git(farm.yard.user, "rev-parse", "HEAD^{tree}")
    theirs = git(farm.yard.user, "commit-tree", "-p", "HEAD", "-m", "mine", tree)
    git(farm.yard.user, "update-ref", "refs/heads/ai/t-1-x", theirs)
    git(farm.yard.user, "worktree", "add", "-q", str(farm.yard.home / "elsewhere"), "ai/t-1.1-y")
    farm.room.clock.pass_(10 * DAY)
    await farm.prune()
    assert farm.there() == ALL_THERE and len(farm.here()) == 12


async def test_what_a_person_took_over_stays(farm: Farm) -> None:
    await farm.end(ONE)
    await farm.record(e.WorkKept(task=ONE, at=farm.room.clock.now(), branches=("ai/t-1-x",), patch=""))
    farm.room.clock.pass_(10 * DAY)
    await farm.prune()
    assert farm.there() == ALL_THERE and len(farm.here()) == 12


async def test_where_the_original_is_on_another_machine_our_copy_is_cleared(farm: Farm) -> None:
    await farm.end(ONE)
    farm.room.clock.pass_(10 * DAY)
    await farm.prune(original=False)
    assert farm.there() == ALL_THERE and len(farm.here()) == 8
