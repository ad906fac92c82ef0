"""Interfaces are agreed on first and locked; one that must change is a person's decision, and all others hear of it."""

from agents.domain.decisions.authority import Kind
from agents.domain.task.wishes import Source
from agents.ports import WantsScope
from tests.fakes.work import ScriptedMinions, Workshop, finishes, says
from tests.scenarios.conftest import BY_TURNS, Opened
from tests.scenarios.plans import Says, subtask
from tests.scenarios.test_enterprise_family import to_merge
from tests.scenarios.test_workflow_templates import under
from tests.scenarios.working import at_work, given, wished

STAGES = BY_TURNS
PATH = "interfaces/links.pyi"
WANTS = says(WantsScope(paths=(PATH,), why="A day is missing"))
TWO: Says = {
    "status": "COMPLETE",
    "goal": "Logging in works",
    "subtasks": [subtask("Write the form", files=["form.py"]), subtask("Check it", 1, files=["check.py"])],
}


async def test_an_interface_change_is_decided_and_reaches_the_others(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={2: [WANTS, finishes()]}))
    play, thread = await at_work(opened, given(work, under("enterprise"), decompose=TWO))
    await play.sees("lead", thread, "T-1.1 passed its checks", offers="Continue")
    await play.stage.press("lead", thread, "Continue")
    card = await play.sees("lead", thread, "may an agreed interface change?", "A day is missing", PATH)
    assert "Keep the interface" in card.buttons
    first = next(brief for brief in work.minions.briefs if brief.subtask.number == 2)
    assert first.work.scope.locks(PATH) and not first.work.scope.locks("form.py")
    await play.stage.press("mallory", thread, "Allow the change")
    assert (await play.sees("mallory", thread, "This is not yours to decide")).private
    await play.stage.press("lead", thread, "Allow the change")
    await to_merge(play, thread)
    again = [brief for brief in work.minions.briefs if brief.subtask.number == 2][1]
    assert again.work.scope.refuse(PATH) is None, "it goes on, and may"
    other = next(brief for brief in work.minions.briefs if brief.subtask.number == 3)
    assert other.work.scope.locks(PATH), "for the others it stays locked"
    assert any(PATH in words and "A day is missing" in words for words in wished(other)), "and they are told"
    task = await play.task()
    assert [wish.source for wish in task.wishes] == [Source.INTERFACE] and not task.of_kind(Kind.INTERFACE)


async def test_a_no_keeps_it_locked_and_says_why(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={2: [WANTS, finishes()]}))
    play, thread = await at_work(opened, given(work, under("enterprise"), decompose=TWO))
    await play.sees("lead", thread, "T-1.1 passed its checks", offers="Continue")
    await play.stage.press("lead", thread, "Continue")
    await play.sees("lead", thread, "may an agreed interface change?")
    await play.stage.press("lead", thread, "Keep the interface", words="Use the day of the store")
    await to_merge(play, thread)
    again = [brief for brief in work.minions.briefs if brief.subtask.number == 2][1]
    assert "Use the day of the store" in again.work.answer and again.work.scope.locks(PATH)
