"""Whoever decides has the change in sight: the diff of the very step or whole, and the plan that was approved."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.ids import Account, TaskId
from agents.workspace.files.artefacts import FileArtefacts
from bot.messages import Pressed
from tests.fakes.work import Workshop
from tests.scenarios.conftest import BY_TURNS, THREE, Opened, on
from tests.scenarios.public_links import PUBLIC, cards, linked
from tests.scenarios.working import at_work, given

STAGES = BY_TURNS
SILENT = {"status": "no_verdict"}
DIFF = "diff --git a/form.py b/form.py\n--- a/form.py\n+++ b/form.py\n@@ -0,0 +1 @@\n+hello\n"


@on(*THREE)
@pytest.mark.parametrize("public", ["", PUBLIC])
async def test_the_approved_plan_stays_readable_in_its_thread(opened: Opened, public: str) -> None:
    play, thread = await at_work(opened, given(Workshop(), public))
    card = await play.sees("ana", thread, "Plan approved by")
    if play.stage.name == "console":
        assert "T-1-plan.md" in (await cards(play, "T-1: plan approved"))[-1][0]
        return
    if public:
        assert await linked(play, "T-1: plan approved") == ("https://overlord.example/task/T-1#plan",)
        return
    assert card.buttons == ("Show the plan",)
    await play.sees("lead", thread, "T-1 is ready to merge")  # where it rests
    before = await play.facts()
    await play.stage.press("mallory", thread, "Show the plan")
    await play.whispered("mallory", thread, "The plan of T-1", "T-1.1 Write the form", "Why: ", "Test: ")
    assert await play.facts() == before, "nothing is decided by looking"


@on(*THREE)
@pytest.mark.parametrize("public", ["", PUBLIC])
async def test_a_step_shows_its_files_and_its_own_diff(opened: Opened, public: str) -> None:
    play, thread = await at_work(opened, given(Workshop(), public, code_review=SILENT))
    await play.sees("lead", thread, "T-1: review step 1 of 2: Write the form", "Changed", "src/app.py (+3 −1)")
    files, urls = (await cards(play, "review step 1 of 2"))[-1]
    if play.stage.name == "console":
        assert urls == ("/task/T-1/kept/T-1.1-1.patch",)
    elif public:
        assert urls == ("https://overlord.example/task/T-1/kept/T-1.1-1.patch",) and not files
    else:
        assert files == ("T-1.1-1.patch",) and not urls


@on("console")
async def test_for_you_and_the_diff_itself_lead_to_each_other(opened: Opened, tmp_path: Path) -> None:
    """Comments on lines are pressed as one request for changes, by whoever may ask for them."""
    play, thread = await at_work(opened, given(Workshop()))
    await play.sees("lead", thread, "T-1 is ready to merge")
    await FileArtefacts(tmp_path / "home").keep("T-1.diff", DIFF)
    queries, lead = play.program.queries, Account("console:lead")
    [need] = [need for need in await queries.needs(lead) if need.decision.kind == "merge"]
    assert [link.url for link in need.card.links] == ["/task/T-1/kept/T-1.diff"]
    found = await queries.find_kept(TaskId("T-1"), "T-1.diff", lead)
    assert found and found.need and found.need.decision.id == need.decision.id
    assert found.comments and found.comments.label == "Request changes"
    press = Pressed(
        key="console:mallory:1",
        thread=need.task.request.thread,
        channel=need.task.request.channel,
        message="",
        by=Account("console:mallory"),
        token=found.comments.choice.token,
        words="form.py:1: say hello to whom?",
        shown=need.card.fingerprint,
        at=need.decision.opened_at,
    )
    refused = await queries.hear(press)
    assert refused and refused.refused and "not yours to decide" in refused.words
    taken = await queries.hear(replace(press, key="console:ana:1", by=Account("console:ana")))
    assert taken and not taken.refused, "the owner may ask for changes at the merge"
    await play.sees("ana", thread, "Changes requested by", "form.py:1: say hello to whom?")
    again = await queries.find_kept(TaskId("T-1"), "T-1.diff", lead)
    assert again is None or again.need is None or again.need.decision.id != need.decision.id
