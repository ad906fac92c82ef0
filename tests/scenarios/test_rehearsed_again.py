"""After the first merge the other suggestions still work: each starts from the sample's first commit."""

from pathlib import Path

import pytest

from tests.scenarios.conftest import Given, Opened
from tests.scenarios.rehearsed import WORK, git

STAGES = ("console",)
pytestmark = pytest.mark.timeout(300)


async def test_a_request_after_a_merge_is_played_on_a_branch_of_its_own(opened: Opened, tmp_path: Path) -> None:
    play = await opened(Given(work=None))
    sample = tmp_path / "home" / "sample"
    first = git(sample, "rev-parse", "main").strip()
    (sample / "shortlinks" / "store.py").write_text("# what another request merged\n")
    git(sample, "-c", "user.name=Ana", "-c", "user.email=a@example.org", "commit", "-qam", "merged")
    merged = git(sample, "rev-parse", "main").strip()
    thread = await play.stage.say("ana", "Let people choose their own short code", mention=True)
    await play.sees("ana", thread, "please look at the plan", "rehearsal-2", patience=WORK)
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "Checks of T-1: T-1.1 passed", patience=WORK)
    task = await play.task()
    assert (task.work.base, task.work.into) == (first, "rehearsal-2")
    assert git(sample, "rev-parse", "main").strip() == merged, "what was merged before stays where it is"
