"""A phase begins anew, or is taken back, on every platform: asked for in words or by a button, an approver decides."""

from agents.domain.decisions.authority import Kind
from agents.domain.work.work import SubtaskState as S
from tests.fakes.work import Workshop
from tests.scenarios.conftest import THREE, Opened, Play
from tests.scenarios.stage import until
from tests.scenarios.test_supervisors import PHASES
from tests.scenarios.working import at_work, given

STAGES = THREE


async def test_a_phase_begins_anew_and_is_taken_back(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, decompose=PHASES))
    await play.sees("ana", thread, "T-1 is ready to merge", offers="Merge it")
    await play.stage.say("ana", "restart phase 1", thread=thread, mention=True)
    card = await play.sees("ana", thread, "Restart phase 1 of T-1?", "T-1.1 Write the form (done)")
    assert "T-1.2 Put it on the page (done)" in card.text and "Leave it as it is" in card.buttons
    for who in ("mallory", "ana"):
        await play.stage.press(who, thread, "Restart phase 1")
        assert (await play.sees(who, thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "Restart phase 1")
    await play.sees("lead", thread, "Phase 1 restarted by")
    await play.sees("ana", thread, "T-1 is ready to merge", offers="Merge it")
    assert [(brief.subtask.number, brief.work.attempt) for brief in work.minions.briefs] == [(1, 1), (2, 1), (1, 2)]
    await play.stage.press("ana", thread, "Revert phase", words="2")
    await play.sees("ana", thread, "Revert phase 2 of T-1?", "new commits on the task's branch")
    await play.stage.press("lead", thread, "Revert phase 2")
    await play.sees("ana", thread, "T-1.2", "Put it on the page: taken back with its phase")
    await until(lambda: states_are(play, S.DONE, S.CANCELLED, S.DONE), "the task without phase 2, looked over again")
    await play.sees("ana", thread, "T-1 is ready to merge", offers="Merge it")
    assert [text.partition("\n")[0] for text in work.checkouts.undone] == ["T-1.2: Revert Put it on the page"]
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "merged")


async def states_are(play: Play, *wanted: S) -> bool:
    return tuple(each.state for each in (await play.task()).work.subtasks) == wanted


async def test_who_may_not_ask_is_told_and_nothing_is_asked(opened: Opened) -> None:
    play, thread = await at_work(opened, given(Workshop(), decompose=PHASES))
    await play.sees("ana", thread, "T-1 is ready to merge")
    await play.stage.say("mallory", "revert phase 1 of T-1", thread=thread, mention=True)
    await play.sees("mallory", thread, "This is not yours to decide")
    await play.stage.say("ana", "revert phase 7", thread=thread, mention=True)
    await play.sees("ana", thread, "has no such phase", "1, 2")
    assert (await play.task()).of_kind(Kind.PHASE) is None
