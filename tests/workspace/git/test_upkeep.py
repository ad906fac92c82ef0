"""Our copies are packed now and then: nothing is lost by it, beside other work or killed in the middle."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from agents.workspace.files.locks import hold_file_now
from agents.workspace.git.git import Git, GitFailed
from agents.workspace.git.mirror import lock_of
from agents.workspace.git.upkeep import REFS_MOST, count_objects, keep_up, loose_refs, pack_refs
from bot.running.upkeep import Upkeep
from tests.fakes.llm import ScriptedLlm
from tests.flows.world import planning
from tests.workspace.kill_trial import below
from tests.workspace.yard import BRANCH, Yard, git, write

PACK = "import asyncio, sys; from pathlib import Path; from agents.workspace.git.upkeep import keep_up; "
PACK += "print(asyncio.run(keep_up(Path(sys.argv[1]), fill=0)))"


def objects(repository: Path) -> set[str]:
    listed = git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())


def unfinished(repository: Path) -> list[str]:
    return [path.name for pattern in (".tmp-*", "tmp_*") for path in (repository / "objects/pack").glob(pattern)]


async def lived_in(yard: Yard) -> str:
    """Branches, a folder with work that is not committed, and a commit that nothing leads to; that commit."""
    checkouts, checkout = await yard.opened()
    for number in range(6):
        write(checkout.workspace.path, {f"{number}.txt": f"{number}\n"})
        await checkouts.commit(checkout, f"step {number}")
    write(checkout.workspace.path, {"draft.txt": "not yet\n"})
    tree = git(yard.mirror, "rev-parse", f"{BRANCH}^{{tree}}")
    return git(yard.mirror, "commit-tree", "-p", BRANCH, "-m", "about to be joined", tree)


async def test_branches_are_packed_and_all_of_them_stay(yard: Yard) -> None:
    await lived_in(yard)
    tip = git(yard.mirror, "rev-parse", BRANCH)
    await asyncio.to_thread(_branch_off, yard.mirror, tip, REFS_MOST)
    before = git(yard.mirror, "for-each-ref")
    assert loose_refs(yard.mirror) > REFS_MOST
    assert await pack_refs(yard.mirror, lock_of(yard.mirror))
    assert loose_refs(yard.mirror) == 0 and git(yard.mirror, "for-each-ref") == before
    assert not await pack_refs(yard.mirror, lock_of(yard.mirror)), "nothing is left to do"
    checkouts, checkout = await yard.opened()
    assert checkout.head == tip, "a folder that is worked in knows nothing of it"
    write(checkout.workspace.path, {"more.txt": "more\n"})
    assert await checkouts.commit(checkout, "more") == git(yard.mirror, "rev-parse", BRANCH) != tip


def _branch_off(repository: Path, tip: str, count: int) -> None:
    lines = "".join(f"create refs/heads/ai/t-{number}-x {tip}\n" for number in range(count))
    subprocess.run(["git", "-C", str(repository), "update-ref", "--stdin"], input=lines, text=True, check=True)


async def test_branches_of_a_persons_repository_are_packed_and_nothing_else_is_touched(
    yard: Yard, tmp_path: Path
) -> None:
    tip = git(yard.user, "rev-parse", "HEAD")
    await asyncio.to_thread(_branch_off, yard.user, tip, REFS_MOST)
    before = (git(yard.user, "for-each-ref"), git(yard.user, "status"), objects(yard.user))
    async with planning(tmp_path, lambda office: lambda job: ScriptedLlm()) as quiet:
        upkeep = Upkeep(quiet.office, (), (yard.user,))
        await upkeep.keep_up()
    assert loose_refs(yard.user / ".git") == 0
    assert before == (git(yard.user, "for-each-ref"), git(yard.user, "status"), objects(yard.user))


async def test_what_lies_loose_is_packed_and_all_of_it_is_still_there(yard: Yard) -> None:
    loner = await lived_in(yard)
    before = objects(yard.mirror)
    assert await keep_up(yard.mirror, fill=0)
    assert count_objects(yard.mirror) == (0, 1)
    assert objects(yard.mirror) == before and loner in before, "nothing leads to it, and it stays"
    assert not git(yard.mirror, "fsck", "--no-dangling")
    for pack in (yard.mirror / "objects/pack").iterdir():
        assert pack.stat().st_mode & stat.S_IROTH, "whoever the sandbox runs as reads it"

    checkouts, checkout = await yard.opened()
    assert await checkouts.unsaved_paths(checkout) == ["draft.txt"], "a folder that is worked in knows nothing of it"
    await checkouts.commit(checkout, "and on")
    assert not await keep_up(yard.mirror), "a few loose objects are no trouble"
    assert await keep_up(yard.mirror, fill=0) and count_objects(yard.mirror)[0] == 0


async def test_it_may_go_on_beside_work(yard: Yard) -> None:
    checkouts, checkout = await yard.opened()
    told = []

    async def work() -> None:
        for number in range(12):
            write(checkout.workspace.path, {"a.txt": f"{number}\n"})
            told.append(await checkouts.commit(checkout, str(number)))

    working = asyncio.create_task(work())
    while not working.done():
        await keep_up(yard.mirror, fill=0)
        await asyncio.sleep(0)
    await working
    assert set(told) <= set(git(yard.mirror, "rev-list", BRANCH).split()) and len(told) == 12
    assert not git(yard.mirror, "fsck", "--no-dangling")


def killed_in_the_middle(repository: Path) -> bool:
    """kill -9, all of it, as soon as half a pack is there; False if it was done before that was seen."""
    command = [sys.executable, "-c", PACK, str(repository)]
    process = subprocess.Popen(
        command, cwd=Path(__file__).parents[3], start_new_session=True, stdout=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        if unfinished(repository):
            for each in (process.pid, *below(process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            process.wait()
            return bool(unfinished(repository))
    process.wait()
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="finds git's processes in /proc")
async def test_killed_in_the_middle_it_lost_nothing_and_is_done_the_next_time(yard: Yard) -> None:
    await lived_in(yard)
    for attempt in range(10):  # more to do each time, until it is caught at it
        pile = await asyncio.to_thread(_pile, yard.mirror, 400 * (attempt + 1))
        before = objects(yard.mirror)
        assert pile <= before
        if await asyncio.to_thread(killed_in_the_middle, yard.mirror):
            break
    else:
        pytest.fail("it was never seen at work")
    assert objects(yard.mirror) == before and not git(yard.mirror, "fsck", "--no-dangling")

    long_ago = time.time() - 100_000
    for name in unfinished(yard.mirror):
        os.utime(yard.mirror / "objects/pack" / name, (long_ago, long_ago))
    async with asyncio.timeout(60):
        while not await keep_up(yard.mirror, fill=0):  # noqa: ASYNC110  the lock goes when the last git is gone
            await asyncio.sleep(0.01)
    assert objects(yard.mirror) == before and not git(yard.mirror, "fsck", "--no-dangling")
    assert count_objects(yard.mirror)[0] == 0 and not unfinished(yard.mirror)


def _pile(repository: Path, count: int) -> set[str]:
    """Loose objects that nothing leads to and that do not compress."""
    files = [repository.parent / f"pile-{number}" for number in range(count)]
    for file in files:
        file.write_bytes(os.urandom(20_000))
    command = ["git", "--git-dir", str(repository), "hash-object", "-w", "--stdin-paths"]
    made = subprocess.run(command, input="\n".join(map(str, files)), capture_output=True, check=True, text=True)
    return set(made.stdout.split())


async def test_half_a_pack_that_somebody_may_be_writing_stays(yard: Yard) -> None:
    await lived_in(yard)
    (yard.mirror / "objects/pack/tmp_pack_fetch").write_bytes(b"PACK")
    (yard.mirror / "objects/pack/.tmp-1-pack-gone").write_bytes(b"PACK")
    await keep_up(yard.mirror, fill=0)
    assert unfinished(yard.mirror) == ["tmp_pack_fetch"]


async def test_two_processes_do_not_do_it_twice(yard: Yard) -> None:
    await lived_in(yard)
    lock = hold_file_now(yard.mirror.with_suffix(".upkeep"))
    assert lock is not None
    assert not await keep_up(yard.mirror, fill=0)
    os.close(lock)
    assert await keep_up(yard.mirror, fill=0)


async def test_it_is_bounded_in_time(yard: Yard) -> None:
    await lived_in(yard)
    before = objects(yard.mirror)
    with pytest.raises(GitFailed, match="no answer within"):
        await keep_up(yard.mirror, fill=0, seconds=0.0)
    assert objects(yard.mirror) == before
    async with asyncio.timeout(60):
        while not await keep_up(yard.mirror, fill=0):  # noqa: ASYNC110  the lock goes when the last git is gone
            await asyncio.sleep(0.01)
    assert objects(yard.mirror) == before and count_objects(yard.mirror) == (0, 1)


async def test_what_should_be_there_and_is_not_is_no_trouble(tmp_path: Path) -> None:
    assert not await keep_up(tmp_path / "nothing.git", fill=0)
    (tmp_path / "empty.git").mkdir()
    assert not await keep_up(tmp_path / "empty.git", fill=0)
    await Git(directory=tmp_path / "fresh.git").run("init", "--bare", "--quiet")
    assert not await keep_up(tmp_path / "fresh.git", fill=0)


async def test_the_program_waits_for_a_quiet_moment(yard: Yard, tmp_path: Path) -> None:
    await lived_in(yard)
    await asyncio.to_thread(_packs, yard.mirror, 25)
    async with planning(tmp_path, lambda office: lambda job: ScriptedLlm()) as busy:
        job = await busy.next_job()
        upkeep = Upkeep(busy.office, (yard.mirror,))
        await upkeep.keep_up()
        assert count_objects(yard.mirror)[1] >= 25, "somebody waits for a job"
        await busy.office.database.write(lambda tx: tx.jobs.finish(job.id, job.fence))
        await upkeep.keep_up()
        assert count_objects(yard.mirror) == (0, 1)


async def test_one_copys_trouble_is_not_anothers(yard: Yard, tmp_path: Path) -> None:
    await lived_in(yard)
    await asyncio.to_thread(_packs, yard.mirror, 25)
    broken = tmp_path / "broken.git"
    (broken / "objects/pack").mkdir(parents=True)
    for number in range(25):
        (broken / f"objects/pack/pack-{number}.pack").touch()
    async with planning(tmp_path, lambda office: lambda job: ScriptedLlm()) as idle:
        await Upkeep(idle.office, (broken, yard.mirror)).keep_up()
    assert count_objects(yard.mirror) == (0, 1)


def _packs(repository: Path, count: int) -> None:
    for number in range(count):
        blob = subprocess.run(
            ["git", "--git-dir", str(repository), "hash-object", "-w", "--stdin"],
            input=f"{number}".encode(), capture_output=True, check=True,
        ).stdout  # fmt: skip
        into = str(repository / "objects/pack/pack")
        made = ["git", "--git-dir", str(repository), "pack-objects", "-q", into]
        subprocess.run(made, input=blob, capture_output=True, check=True)
