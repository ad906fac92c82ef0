"""Who brings the whole in, and what becomes of changes asked for instead: the same on every platform."""

import asyncio

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.checks.risk import Risk
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.table import rule_name
from agents.domain.events import MergeApproved
from agents.domain.task.task import TaskState
from bot.cards.reasons import risk_sentence
from tests.fakes.work import Workshop, failing, waits
from tests.scenarios.conftest import THREE, Opened, Play
from tests.scenarios.working import at_work, given, wished

STAGES = THREE

KEYS = Risk(level=RiskLevel.CRITICAL, why=("key management: keys.py",))
AUTH = Risk(level=RiskLevel.HIGH, why=("auth code: password.py",))
NOT_YOURS = "You asked for this work, so you cannot be one of the people who approve it"


async def step_passed(play: Play, thread: str, *people: str) -> None:
    for who in people:
        await play.sees(who, thread, "review step ", offers="Continue")
        await play.stage.press(who, thread, "Continue")


async def test_a_critical_change_is_merged_by_two_people_who_did_not_ask_for_it(opened: Opened) -> None:
    work = Workshop(risk=KEYS)
    play, thread = await at_work(opened, given(work))
    await step_passed(play, thread, "lead", "sec")
    card = await play.sees(
        "lead", thread, "T-1 is ready to merge", "Approvals (0 of 2)", "nobody yet", offers="Merge it"
    )
    assert (
        risk_sentence(KEYS.level, KEYS.why) in card.text
        and "2 different people" in card.text
        and "and not the requester" in card.text
    )

    await play.stage.press("ana", thread, "Merge it")
    assert (await play.sees("ana", thread, NOT_YOURS, "2 different people")).private
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is ready to merge", "Approvals (1 of 2)", offers="Merge it")
    await play.stage.press("lead", thread, "Merge it")
    assert (await play.sees("lead", thread, "Your approval is counted already", "Another person must approve")).private
    assert not work.forge.merged
    await play.stage.press("ops", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    (approved,) = (r.event for r in await play.log() if isinstance(r.event, MergeApproved))
    assert len(set(approved.by)) == 2 and (await play.task()).request.by not in approved.by
    assert len(work.forge.merged) == 1


async def test_whoever_asked_is_refused_even_if_they_could_approve_for_others(opened: Opened) -> None:
    play = await opened(given(Workshop(risk=KEYS)))
    thread = await play.stage.say("lead", "add a login page", mention=True)
    await play.sees("lead", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await step_passed(play, thread, "sec", "ops")
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
    await play.stage.press("lead", thread, "Merge it")
    assert (await play.sees("lead", thread, NOT_YOURS)).private
    merge = (await play.task()).of_kind(Kind.MERGE)
    assert merge and rule_name(merge) == "merge_critical" and not merge.votes


async def test_an_approval_counts_for_what_was_shown_and_not_for_what_comes_after(opened: Opened) -> None:
    """One of two asks for changes: the approval that was there is for the old head, and both are asked anew."""
    work = Workshop(risk=KEYS)
    play, thread = await at_work(opened, given(work))
    await step_passed(play, thread, "lead", "ops")
    await play.sees("lead", thread, "T-1 is ready to merge", "Approvals (0 of 2)", offers="Merge it")
    before = (await play.task()).delivery.head
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ops", thread, "Approvals (1 of 2)")
    await play.stage.press("ops", thread, "Request changes", words="rotate the old key, too")
    await play.sees("ana", thread, "T-1 is ready to merge", "rotate the old key, too", gone="Merge it")
    await play.sees("lead", thread, "T-1.2 passed its checks", "key management")
    await step_passed(play, thread, "lead", "ops")
    await play.sees("lead", thread, "T-1 is ready to merge", "Approvals (0 of 2)", offers="Merge it")
    task = await play.task()
    merge = task.of_kind(Kind.MERGE)
    assert merge and rule_name(merge) == "merge_critical"
    assert task.delivery.head != before and not work.forge.merged


async def test_a_risky_change_is_merged_by_one_who_answers_for_such_changes(opened: Opened) -> None:
    play, thread = await at_work(opened, given(Workshop(risk=AUTH)))
    await step_passed(play, thread, "sec")
    await play.sees("sec", thread, "T-1 is ready to merge", "High risk: auth code: password.py", offers="Merge it")
    await play.stage.press("ops", thread, "Merge it")
    refused = await play.sees("ops", thread, "This is not yours to decide", "a tech lead", "the security team")
    assert refused.private
    await play.stage.press("sec", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    assert (await play.task()).state is TaskState.DONE


async def test_changes_asked_for_at_the_merge_are_worked_in_judged_and_shown_anew(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work))
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
    before = await play.task()
    seen = asyncio.Event()
    work.minions.scripts = {2: [waits(seen)]}
    await play.stage.press("lead", thread, "Request changes", words="call it sign in")
    await play.sees(
        "ana", thread, "T-1 is ready to merge", "Changes requested by", ": call it sign in", gone="Merge it"
    )
    await play.sees("ana", thread, "All of it together: attempt 2 has started")
    seen.set()

    card = await play.sees("lead", thread, "T-1 is ready to merge", "Pull request", offers="Merge it")
    assert {"Merge it", "Request changes", "I'll finish it myself", "Cancel task"} == set(card.buttons)
    await play.sees("ana", thread, "T-1.2 passed at attempt 2", "All of it together", "exit 0", "approves")
    assert wished(work.minions.briefs[-1]) == ["call it sign in"]
    task, judged = await play.task(), work.gates.judged
    assert (
        task.delivery.head != before.delivery.head
        and task.delivery.pull == before.delivery.pull
        and len(work.forge.pulls) == 1
    )
    assert [each.base for each in judged[-2:]] == [task.work.base] * 2, (
        "the whole is judged, and not only what was mended"
    )

    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    assert work.forge.merged == [task.delivery.head], "what was shown last, and nothing else"


async def test_changes_that_were_asked_for_and_do_not_pass_come_back_to_a_person(opened: Opened) -> None:
    work = Workshop()
    work.gates.says = {f"T-1.2-{attempt}": (failing(),) for attempt in (2, 3, 4)}
    play, thread = await at_work(opened, given(work))
    await play.sees("lead", thread, "T-1 is ready to merge", offers="Merge it")
    await play.stage.press("lead", thread, "Request changes", words="call it sign in")
    card = await play.sees("ana", thread, "needs you", "3 attempts failed", "test_login", "T-1.2-4.patch")
    assert "Merge it" not in card.buttons and not work.forge.merged
    assert not (await play.task()).of_kind(Kind.MERGE), "what was asked for is not there, so nobody is asked to merge"
    await play.stage.press("ana", thread, "Retry with a hint", words="only the label")
    await play.sees("lead", thread, "T-1 is ready to merge", "Pull request", offers="Merge it")
