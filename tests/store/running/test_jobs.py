"""Jobs under leases: claimed once, fenced, renewed, and parked when they keep killing their process (P7)."""

from datetime import timedelta

import pytest

from agents.domain.errors import StaleLease
from store.running.leases import is_dead, this_process
from tests.store.queue import LEASE, Queue, flows
from tests.store.room import MORNING, Room

SECOND = timedelta(seconds=1)


@pytest.fixture
async def queue(room: Room) -> Queue:
    return Queue(room, await room.task())


async def test_the_same_fact_asks_for_a_flow_once(queue: Queue) -> None:
    await queue.ask("plan", "plan", "review")
    jobs = await queue.claim()
    assert sorted(flows(jobs)) == ["plan", "review"]
    assert jobs[0].event.task == queue.task.id


async def test_a_job_is_claimed_by_one_at_a_time(queue: Queue) -> None:
    await queue.ask("plan")
    assert flows(await queue.claim()) == ["plan"]
    assert await queue.claim(owner="two") == []
    assert await queue.claim(MORNING + LEASE - SECOND, owner="two") == []
    assert flows(await queue.claim(MORNING + LEASE, owner="two")) == ["plan"]


async def test_a_renewed_lease_goes_on(queue: Queue) -> None:
    await queue.ask("plan")
    [job] = await queue.claim()
    assert await queue.do(lambda tx: tx.jobs.renew(job.id, job.fence, MORNING + 2 * LEASE))
    assert await queue.claim(MORNING + LEASE, owner="two") == []


async def test_a_zombie_can_neither_finish_nor_renew_nor_put_back_nor_park(queue: Queue) -> None:
    await queue.ask("plan")
    [zombie] = await queue.claim()
    [job] = await queue.claim(MORNING + LEASE, owner="two")
    with pytest.raises(StaleLease):
        await queue.do(lambda tx: tx.jobs.finish(zombie.id, zombie.fence))
    assert not await queue.do(lambda tx: tx.jobs.renew(zombie.id, zombie.fence, MORNING + 9 * LEASE))
    await queue.do(lambda tx: tx.jobs.put_back(zombie, "late", MORNING))
    await queue.do(lambda tx: tx.jobs.release([zombie]))
    assert not await queue.do(lambda tx: tx.jobs.park(zombie, "late"))
    assert await queue.state(job) == ("leased", 1)
    await queue.do(lambda tx: tx.jobs.finish(job.id, job.fence))
    assert await queue.state(job) == ("done", 1)


async def test_a_job_that_is_done_stays_done_whatever_its_flow_does_afterwards(queue: Queue) -> None:
    """A flow that fails after it recorded must not run again: its facts are there."""
    await queue.ask("plan")
    [job] = await queue.claim()
    await queue.do(lambda tx: tx.jobs.finish(job.id, job.fence))
    await queue.do(lambda tx: tx.jobs.put_back(job, "failed late", MORNING))
    await queue.do(lambda tx: tx.jobs.release([job]))
    assert not await queue.do(lambda tx: tx.jobs.park(job, "failed late"))
    assert await queue.state(job) == ("done", 0)
    with pytest.raises(StaleLease):
        await queue.do(lambda tx: tx.jobs.finish(job.id, job.fence))


async def test_three_deaths_are_counted_and_a_stop_is_not(queue: Queue) -> None:
    await queue.ask("plan")
    attempts = []
    for death in range(4):
        [job] = await queue.claim(owner=f"run {death}", dead=(f"run {death - 1}",))
        attempts.append(job.attempts)
    assert attempts == [0, 1, 2, 3], "the fourth is told that it is one too many"
    assert job.problem == "the program died while it ran"
    await queue.do(lambda tx: tx.jobs.release([job]))
    [job] = await queue.claim(owner="run 5")
    assert job.attempts == 3


async def test_a_failed_job_waits_and_tells_why(queue: Queue) -> None:
    await queue.ask("plan")
    [job] = await queue.claim()
    await queue.do(lambda tx: tx.jobs.put_back(job, "ValueError", MORNING + 4 * SECOND))
    assert await queue.claim(MORNING + 3 * SECOND) == []
    assert await queue.do(lambda tx: tx.jobs.next_try(MORNING)) == MORNING + 4 * SECOND
    [again] = await queue.claim(MORNING + 4 * SECOND)
    assert (again.attempts, again.problem) == (1, "ValueError")


async def test_a_parked_job_rests_until_a_person_asks_for_it_again(queue: Queue) -> None:
    await queue.ask("plan")
    [job] = await queue.claim()
    assert await queue.do(lambda tx: tx.jobs.park(job, "gave up"))
    assert await queue.claim(MORNING + timedelta(days=9), owner="two") == []
    await queue.do(lambda tx: tx.jobs.again(job.id))
    [again] = await queue.claim(owner="two")
    assert again.attempts == 0


async def test_what_a_process_holds_and_lost_sight_of_is_its_own_again_at_once(queue: Queue) -> None:
    """The claim was committed and its answer lost: nobody died, nobody is at work on it."""
    await queue.ask("plan", "review")
    jobs = await queue.claim()
    [again] = await queue.claim(busy=(jobs[0].id,))
    assert (again.id, again.attempts, again.fence) == (jobs[1].id, 0, jobs[1].fence + 1)


async def test_a_clock_that_jumps_ahead_does_not_make_a_process_race_itself(queue: Queue) -> None:
    await queue.ask("plan")
    [job] = await queue.claim()
    hour = MORNING + timedelta(hours=1)
    assert await queue.claim(hour, busy=(job.id,)) == []
    assert await queue.do(lambda tx: tx.jobs.next_try(hour)) is None, "and it does not look every millisecond"
    await queue.do(lambda tx: tx.jobs.finish(job.id, job.fence))


async def test_a_clock_that_is_set_back_stalls_no_job(queue: Queue) -> None:
    """P26: neither the lease of a holder that died unseen, nor a wait, nor a new job lasts for the hour."""
    later = MORNING + timedelta(hours=1)
    await queue.ask("held", "failed")
    [failed] = [job for job in await queue.claim(later, owner="gone") if job.flow == "failed"]
    await queue.do(lambda tx: tx.jobs.put_back(failed, "x", later + 4 * SECOND))
    await queue.ask("new")
    assert flows(await queue.claim(owner="two")) == ["new"]
    assert await queue.claim(owner="three") == [], "it is mended now"
    assert flows(await queue.claim(owner="three")) == ["failed"]
    assert set(flows(await queue.claim(MORNING + LEASE, owner="four"))) == {"held", "failed", "new"}


def test_an_owner_is_dead_when_its_process_is_another_or_gone() -> None:
    me = this_process()
    host, pid, started = me.split("/")
    assert not is_dead(me) and not is_dead(f"{me}/1f2e")
    assert is_dead(f"{host}/{pid}/{int(started) - 1}"), "the number was used again"
    assert is_dead(f"{host}/4194304/1")
    assert not is_dead(f"elsewhere/{pid}/1") and not is_dead("nonsense"), "of other hosts nothing is known"
