"""From a sentence to an approved plan, the same on every platform: the rehearsed walks, played by the real client."""

from collections.abc import Sequence

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.subject import OfPlan
from agents.domain.planning.decomposition import Subtask
from agents.domain.task.task import TaskState
from tests.scenarios.conftest import THREE, Given, Opened, Play
from tests.scenarios.first_words import AT_FIRST

STAGES = THREE

SENT_BACK = "Count how often each link is used"
ALIGNED = "Let people choose their own short code"
UNRESOLVED = "Delete links that nobody has opened for a year"
STOPPED = "Move all links to our new billing database"


async def steps(play: Play) -> Sequence[Subtask]:
    draft = (await play.task()).plan.draft
    return draft.steps if draft else ()


@pytest.fixture
async def rehearsal(opened: Opened) -> Play:
    return await opened(Given())


async def test_a_plan_that_both_reviewers_let_through_waits_for_a_person(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", AT_FIRST, mention=True)
    card = await play.sees("ana", thread, "please look at the plan", "Critic", "approves", "Scope guard", "within the")
    assert {"Approve plan", "Request changes", "Narrow scope", "Send plan back", "Snooze"} <= set(card.buttons)
    for words in ("Store an optional expiry", "side by side", "Assumes", "Risk", "shortlinks/store.py", "ehearsal"):
        assert words in card.text
    await play.sees("ana", thread, "Waiting for approval")

    await play.stage.press("mallory", thread, "Approve plan")
    refusal = await play.sees("mallory", thread, "This is not yours to decide", "an approver")
    assert refusal.private
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "Plan approved by", gone="Approve plan")
    await play.sees("ana", thread, "Running")
    task = await play.task()
    assert task.plan.draft and task.plan.accepted == task.plan.draft.hash
    shown = await play.silence("ana", thread)
    assert sum(m.by_bot for m in shown) == 2, "one status card, one decision, nothing else"


async def test_a_plan_is_sent_back_by_the_reviewers_and_comes_again(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", SENT_BACK, mention=True)
    await play.sees("ana", thread, "please look at the plan, version 2", "Sent back before", "Nobody asked for a dash")
    facts = await play.facts()
    assert facts.count("DecompositionSentBack") == 1 and facts.count("DecompositionDrafted") == 2
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "Running")


async def test_reviewers_who_disagree_argue_and_agree(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", ALIGNED, mention=True)
    await play.sees("ana", thread, "please look at the plan", "gives way", "they agree to go on")
    facts = await play.facts()
    assert facts.count("ReviewersDisagreed") == facts.count("DebateRoundHeld") == 1


async def test_reviewers_who_cannot_agree_leave_it_to_a_person(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", UNRESOLVED, mention=True)
    card = await play.sees("ana", thread, "the plan needs your judgement", "Round 2", "they still disagree")
    more = {"Edit plan", "Cancel task"}
    assert set(card.buttons) == {"Proceed as proposed", "Narrow scope", "Ask for more information", *more}
    await play.sees("ana", thread, "Waiting for a person's judgement")
    rename = "\n".join(f"{step.number}{' | Count first' if step.number == 1 else ''}" for step in await steps(play))
    await play.stage.press("ana", thread, "Edit plan", words=rename)
    await play.sees("ana", thread, "the plan needs your judgement", "they still disagree", "renamed 1", "Count first")
    assert (await play.facts()).count("ReviewersDisagreed") == 1, "it did not grow, so nobody read it again"
    await play.stage.press("lead", thread, "Proceed as proposed")
    await play.sees("ana", thread, "Plan approved by", gone="Proceed as proposed")
    await play.sees("ana", thread, "Running")


async def test_what_a_reviewer_stops_cannot_be_approved_but_changed(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", STOPPED, mention=True)
    card = await play.sees("ana", thread, "the scope guard says stop", "stops it", "administrator", "use no permission")
    assert set(card.buttons) == {"Request changes", "Edit plan", "Narrow scope", "Cancel task"}
    await play.sees("ana", thread, "A reviewer says stop: it needs you")
    await play.stage.say("lead", "approve", thread=thread, mention=True)
    await play.sees("lead", thread, "Nothing in T-1 waits for an approval")

    await play.stage.press("lead", thread, "Request changes", words="Only links of our own team")
    await play.sees(
        "ana", thread, "please look at the plan, version 2", "Changes asked for", "Only links of our own team"
    )
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "Running")
    assert (await play.task()).state is TaskState.RUNNING


async def test_to_an_unknown_request_the_rehearsal_says_what_it_can_and_how_to_do_better(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", "paint it green", mention=True)
    card = await play.sees("ana", thread, "I could not make a plan", AT_FIRST, STOPPED, "OVERLORD_MODELS__PRIMARY")
    assert card.buttons == ("Cancel task",)
    await play.sees("ana", thread, "Waiting for you: there is no plan yet")

    await play.stage.edit("ana", thread, AT_FIRST)
    await play.sees("ana", thread, "please look at the plan")
    await play.sees("ana", thread, "I could not make a plan", gone="Cancel task")


async def test_an_edited_request_closes_the_card_and_is_planned_anew(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", AT_FIRST, mention=True)
    await play.sees("ana", thread, "please look at the plan", "Store an optional expiry")
    old = (await play.task()).of_kind(Kind.PLAN)
    await play.stage.edit("ana", thread, ALIGNED)
    await play.sees("ana", thread, "please look at the plan, version 2", "The request was corrected", "wished codes")
    await play.sees("ana", thread, "No longer needed: the request was corrected", gone="Approve plan")
    task = await play.task()
    new = task.of_kind(Kind.PLAN)
    assert (
        old
        and new
        and new.id != old.id
        and task.plan.draft
        and new.subject == OfPlan(hash=task.plan.draft.hash, version=task.plan.number)
    )
    assert not task.plan.accepted


async def test_a_wish_in_words_is_rehearsed_too(rehearsal: Play) -> None:
    play = rehearsal
    thread = await play.stage.say("ana", AT_FIRST, mention=True)
    await play.sees("ana", thread, "please look at the plan", "Offer --days")
    await play.stage.say("ana", "leave the command line out, please", thread=thread)
    card = await play.sees("ana", thread, "please look at the plan, version 2", "Changes asked for", "command line out")
    assert "Gone" in card.text and "New: Say in the README" in card.text
    await play.sees("ana", thread, "No longer needed: changes were asked for", gone="Approve plan")
