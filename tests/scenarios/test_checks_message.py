"""The one message of a task's checks: what stands behind its buttons, and where it leads."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.workspace.files.artefacts import FileArtefacts
from tests.fakes.work import Workshop, failing, passed
from tests.scenarios.conftest import ALL, Opened, Play
from tests.scenarios.public_links import PUBLIC, linked
from tests.scenarios.stage import until
from tests.scenarios.working import at_work, given

STAGES = ALL

ISSUE = "the form takes an empty name"
COMMENTED = {"status": "approved", "suggestions": [ISSUE]}
SILENT = {"status": "no_verdict"}


async def keep(play: Play, home: Path) -> None:
    """The work is played in memory, so what it kept is put where the program looks for it."""
    for name, text in {"T-1.2-1.patch": "+hello\n-goodbye\n", "T-1.1-1-tests": "$ pytest\n12 passed in 3 s\n"}.items():
        await FileArtefacts(home).keep(name, text)


@pytest.mark.parametrize("public", ["", PUBLIC])
async def test_the_checks_lead_to_the_diff_the_log_and_the_comments(
    opened: Opened, public: str, tmp_path: Path
) -> None:
    work = Workshop()
    work.gates.says = {"T-1.1-1": (replace(passed(), log="T-1.1-1-tests"),)}  # the whole is the same change
    play, thread = await at_work(opened, given(work, public, code_review=COMMENTED))
    await play.sees("lead", thread, "T-1 is ready to merge")
    await keep(play, tmp_path / "home")
    card = await play.sees("ana", thread, "Checks of T-1: T-1.2 passed")
    if public or play.stage.name == "console":
        assert not card.buttons
        base = "" if play.stage.name == "console" else "https://overlord.example"
        there = await linked(play, "Checks of T-1")
        assert there == tuple(f"{base}/task/T-1/kept/T-1.{end}" for end in ("2-1.patch", "1-1-tests", "2-1.comments"))
        return
    assert card.buttons == ("Show the diff", "Log", "Comments")
    before = await play.facts()
    await play.stage.press("mallory", thread, "Comments")
    told = await play.whispered("mallory", thread, "What reviewers say of T-1.2, attempt 1", ISSUE)
    assert told.private or play.stage.name == "discord"
    await play.stage.press("ana", thread, "Show the diff")
    await play.whispered("ana", thread, "What T-1.2, attempt 1 changes")
    await play.stage.press("ana", thread, "Log")
    await play.whispered("ana", thread, "What the checks of T-1.2, attempt 1 printed")
    sent = await files_for("ana", play)
    assert "+hello\n-goodbye\n" in sent and "$ pytest\n12 passed in 3 s\n" in sent
    assert await play.facts() == before, "nothing is decided by looking"


async def files_for(who: str, play: Play) -> list[str]:
    stage = play.stage
    if stage.name == "slack":
        direct = stage.fake.world.direct(stage._user(who)).id  # type: ignore[attr-defined]
        return [text for m in stage.fake.world.messages if m.channel == direct for text in m.files]  # type: ignore[attr-defined]
    channels = stage.fake.world.channels.values()  # type: ignore[attr-defined]
    mine = stage.account(who).removeprefix("discord:")
    return [data.decode() for c in channels for m in c.messages if m.only_for == mine for data in m.files.values()]


@pytest.mark.parametrize("stuck", [False, True])
async def test_the_checks_lead_to_the_decision_that_they_need(opened: Opened, stuck: bool) -> None:
    work = Workshop()
    if stuck:
        work.gates.says = {f"T-1.1-{n}": (failing(),) for n in (1, 2, 3)}
    play, thread = await at_work(opened, given(work, code_review=SILENT))
    title = "T-1.1 (Write the form) needs you" if stuck else "T-1: review step 1 of 2: Write the form"
    await play.sees("lead", thread, title)
    await play.sees("ana", thread, "Checks of T-1", f"T-1.1 needs a person: see “{title}” in this thread.")
    starts = {"slack": "https://acme.slack.com/archives/", "discord": "https://discord.com/channels/"}

    async def leads() -> bool:
        shown = [m for m in await play.silence("ana", thread) if "Checks of T-1" in m.text]
        return play.stage.name == "console" or starts[play.stage.name] in shown[-1].text

    await until(leads, "a link to the decision")
    await play.stage.press("lead", thread, "Drop subtask" if stuck else "Continue")
    await play.sees("ana", thread, title, gone="Continue")
    assert "needs a person" not in (await play.silence("ana", thread))[2].text
