"""Changes asked for at the merge, with nothing played but the model: worked in, judged as a whole, shown and merged."""

from pathlib import Path

import pytest

from agents.domain.task.task import TaskState
from tests.scenarios.conftest import Given, Opened
from tests.scenarios.rehearsed import REQUEST, WORK, git

STAGES = ("console",)
WISH = "Show that other links never end"
pytestmark = pytest.mark.timeout(300)


async def test_what_is_asked_for_at_the_merge_is_in_what_is_merged(opened: Opened, tmp_path: Path) -> None:
    play = await opened(Given(work=None))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "T-1.2 asks", patience=WORK)
    await play.stage.say("ana", "The same as for an unknown code", thread=thread)
    await play.sees("lead", thread, "T-1.4 passed its checks", "Medium risk: 6 files changed", patience=WORK)
    await play.stage.press("lead", thread, "Continue")
    first = await play.sees("lead", thread, "T-1 is ready to merge", "6 files, +74 −6", patience=WORK)
    assert "whatever changes you ask for, a script plays" in first.text
    before = await play.task()

    await play.stage.press("lead", thread, "Request changes", words=WISH)
    await play.sees("lead", thread, "Changes requested by", f": {WISH}", gone="Merge it")
    await play.sees("lead", thread, "T-1.4 passed its checks", "Tests: 20 passed", patience=WORK)
    await play.stage.press("lead", thread, "Continue")
    card = await play.sees("lead", thread, "T-1 is ready to merge", "6 files, +82 −6", patience=WORK)
    assert card.buttons == first.buttons
    assert "Tests: 20 passed" in card.text and "Original tests: 13 passed" in card.text, (
        "as a whole, not by its last part"
    )
    assert "shortlinks/cli.py (+21 −3)" in card.text and "tests/test_service.py (+18 −2)" in card.text
    await play.sees("ana", thread, "T-1.4 passed at attempt 2", "All of it together", "Tests: 20 passed")
    task = await play.task()
    assert task.delivery.head != before.delivery.head and task.delivery.pull == before.delivery.pull

    sample = tmp_path / "home" / "sample"
    assert "never_ends" not in git(sample, "show", "main:tests/test_service.py")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged", "on main", patience=WORK)
    assert (await play.task()).state is TaskState.DONE
    assert "never_ends" in git(sample, "show", "main:tests/test_service.py")
