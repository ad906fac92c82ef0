"""The whole walk with nothing played but the model: real git, sandbox, gates and forge."""

from pathlib import Path

import pytest

from agents.domain.task.task import TaskState
from tests.scenarios.conftest import Given, Opened, Play
from tests.scenarios.rehearsed import WORK, git

STAGES = ("slack", "discord")  # on the console it goes on to a change at the merge: test_rehearsed_changes.py

RENAMED = "Let short links expire after a chosen number of days, please"
pytestmark = pytest.mark.timeout(300)


async def attached_to_people(play: Play, thread: str, words: str) -> list[str]:
    """Texts of files in the thread that hold these words, as the platform has them."""
    fake = play.stage.fake  # type: ignore[attr-defined]
    if play.stage.name == "slack":
        texts = [text for m in fake.world.messages if m.parent == thread.rpartition(":")[2] for text in m.files]
    else:
        there = fake.world.channels[thread.rpartition(":")[2]].messages
        texts = [data.decode(errors="replace") for m in there for data in m.files.values()]
    return [text for text in texts if words in text]


async def test_a_mention_becomes_a_commit_on_main(opened: Opened, tmp_path: Path) -> None:
    """And people behave as people do: they put the request otherwise, talk beside it, and answer after a remark."""
    play = await opened(Given(work=None))
    thread = await play.stage.say("ana", RENAMED, mention=True)
    await play.sees("ana", thread, "please look at the plan")
    sample = tmp_path / "home" / "sample"
    before = git(sample, "rev-parse", "main").strip()
    await play.stage.press("lead", thread, "Approve plan")

    await play.stage.say("ana", "thanks, and mind the README", thread=thread)
    await play.sees("ana", thread, "T-1.2 asks: What shall somebody get", patience=WORK)
    await play.stage.say("mallory", "nice, how far is it?", thread=thread)
    await play.stage.say("ana", "The same as for an unknown code", thread=thread)
    await play.sees("lead", thread, "T-1.4 passed its checks", "Medium risk: 6 files changed", patience=WORK)
    await play.stage.press("lead", thread, "Continue")
    card = await play.sees("lead", thread, "T-1 is ready to merge", "passed at attempt 2", patience=WORK)
    assert "Merges into: main" in card.text
    assert "Original tests: 13 passed · exit 0" in card.text and "6 files, +74 −6" in card.text
    assert git(sample, "rev-parse", "main").strip() == before, "nothing is merged before a person says so"

    await play.stage.press("mallory", thread, "Merge it")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged", "on main", patience=WORK)
    task = await play.task()
    assert task.state is TaskState.DONE and git(sample, "rev-parse", "main").strip() == task.delivery.head
    assert task.work.on(2).skills == ("python-tests",), "which skills helped is remembered"
    assert "--days" in git(sample, "show", "main:shortlinks/cli.py")
    log = git(sample, "log", "--format=%s%n%b", f"{before}..main")
    assert "T-1.1: " in log and "\nPart of T-1: " in log and "Join" not in log
    assert not git(sample, "status", "--porcelain"), "the folder shows what main has"
    shown = await play.silence("ana", thread)
    assert "127.0.0.1" not in "".join(message.text for message in shown), "nobody but the operator could open that"
    diffs = await attached_to_people(play, thread, "+++ b/shortlinks/cli.py")
    assert len(diffs) == 2, "one came with the card of the step, one with that of the merge, each once"
    assert all("--days" in diff for diff in diffs)
    assert sum(message.by_bot for message in shown) == 7, "status, plan, question, checks, gate, merge, merged"
