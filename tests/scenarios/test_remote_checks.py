"""Draft pull requests, and checks of the forge that are waited for: nothing is pushed too early, nothing is taken for a
pass, and nobody waits for ever."""

import asyncio
from collections.abc import Sequence

from agents.domain.checks.remote import CheckState, RemoteCheck
from agents.domain.events import (
    ChecksAwaited,
    ChecksWaived,
    DraftOpened,
    Event,
    PullOpened,
    StepPassed,
    StepRefused,
)
from agents.ports import ForgeFailed
from tests.fakes.work import Workshop, remote
from tests.scenarios.conftest import BY_TURNS, THREE, Opened, Play, on
from tests.scenarios.stage import OPERATOR, until
from tests.scenarios.working import at_work, given

STAGES = BY_TURNS
P, W, F = CheckState.PASSED, CheckState.WAITING, CheckState.FAILED
LOG = "E assert 2 == 1"


def under(draft: str, wait: int = 600) -> str:
    """`wait`: seconds of the scenario's clock, which is ten times as fast."""
    limits = f"{{checks_apart: 1, checks_grace: 1, checks_wait: {wait}}}"
    workflow = f"{{template: open_source, overrides: {{create_pr: {{config: {{draft: {draft}}}}}}}}}"
    return f"limits: {limits}\nworkflow: {workflow}\n".replace("{", "{{").replace("}", "}}")


async def events(play: Play, *kinds: type[Event]) -> list[Event]:
    return [fact.event for fact in await play.log() if isinstance(fact.event, kinds)]


async def merge(play: Play, thread: str, *shown: str) -> None:
    await play.sees("ana", thread, "T-1 waits for the review by people outside", *shown, offers="Review is over")
    await play.stage.press("ana", thread, "Review is over")
    await play.sees("lead", thread, "T-1 is ready to merge", *shown)
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")


async def assert_rules_came_first(play: Play) -> None:
    """Nothing is pushed before the rules passed on that very commit."""
    clean = set[str]()
    for recorded in await play.log():
        match recorded.event:
            case StepPassed(step="rules", commit=commit):
                clean.add(commit)
            case DraftOpened(head=head) | PullOpened(head=head) | ChecksAwaited(commit=head):
                assert head in clean, recorded.event


async def test_an_early_draft_is_seen_while_the_tests_run_and_is_ready_when_they_passed(opened: Opened) -> None:
    work, tests = Workshop(), asyncio.Event()
    work.gates.holds = {"T-1.1-1": tests}
    play, thread = await at_work(opened, given(work, under("early")))
    await play.sees("ana", thread, "Pushed early", "a draft pull request", "covers that push only")
    await play.sees("ana", thread, "Draft pull request", "#1 https://forge.test/1")
    assert len(work.forge.acts) == 1 and work.forge.acts[0].startswith("draft ")
    tests.set()
    await merge(play, thread)
    assert [act.split()[0] for act in work.forge.acts] == ["draft", "update", "ready"]
    await assert_rules_came_first(play)


async def test_a_draft_at_the_end_is_one_until_the_review_is_over(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, under("end")))
    await play.sees("ana", thread, "T-1 waits for the review", "(a draft)", offers="Review is over")
    assert [act.split()[0] for act in work.forge.acts] == ["draft"]
    await merge(play, thread)
    assert [act.split()[0] for act in work.forge.acts] == ["draft", "ready"]
    page = await play.program.queries.page((await play.task()).id, OPERATOR)
    assert page and any("Opened draft pull request #1" in entry.words for entry in page.timeline)


@on(*THREE)
async def test_red_remote_checks_go_back_with_their_log_and_green_ones_go_on(opened: Opened) -> None:
    work, seen, shown = Workshop(), list[str](), asyncio.Event()

    def runs(commit: str, look: int) -> Sequence[RemoteCheck]:
        seen.append(commit) if commit not in seen else None
        first = commit == seen[0]
        ended = remote("build", F, LOG) if first else remote("build", P)
        return (remote("docs", P), ended if shown.is_set() else remote("build", W))

    work.forge.runs = runs
    play, thread = await at_work(opened, given(work, under("early")))
    await play.sees("ana", thread, "waits for remote checks: build (1 ended)")
    shown.set()
    await merge(play, thread, "Remote build", "https://forge.test/runs/build")
    (refused,) = await events(play, StepRefused)
    assert isinstance(refused, StepRefused) and (refused.step, refused.subtask) == ("ci", 2)
    told = "\n".join(work.minions.briefs[-1].work.feedback)
    assert "remote build" in told and LOG in told, "what failed, and the end of its log"
    assert len(seen) == 2 and len(work.minions.briefs) == 2
    await assert_rules_came_first(play)


async def test_checks_that_never_end_are_taken_to_a_person_and_waived_by_name(opened: Opened) -> None:
    work = Workshop()
    work.forge.runs = lambda commit, look: (remote("docs", P), remote("deploy", W))
    play, thread = await at_work(opened, given(work, under("end", wait=8)))
    card = await play.sees("ana", thread, "T-1: remote checks have not ended", "deploy", offers="Check again")
    assert {"Continue without them", "Ask for a fix"} <= set(card.buttons)
    await play.stage.press("ana", thread, "Check again")
    await play.sees("ana", thread, "Checked again by")
    await play.sees("ana", thread, "T-1: remote checks have not ended", "deploy", offers="Check again")
    assert len(await events(play, ChecksAwaited)) == 2
    await play.stage.press("ana", thread, "Continue without them", words="nobody deploys today")
    await play.whispered("ana", thread, "not yours to decide")
    await play.stage.press("lead", thread, "Continue without them", words="nobody deploys today")
    await merge(play, thread, "Went on without", "remote deploy", "nobody deploys today", "Remote docs")
    (waived,) = await events(play, ChecksWaived)
    assert isinstance(waived, ChecksWaived) and waived.checks == ("remote deploy",)


async def test_what_failed_beside_what_was_waived_still_goes_back(opened: Opened) -> None:
    work, seen = Workshop(), list[str]()

    def runs(commit: str, look: int) -> Sequence[RemoteCheck]:
        seen.append(commit) if commit not in seen else None
        return (remote("build", F, LOG) if commit == seen[0] else remote("build", P), remote("deploy", W))

    work.forge.runs = runs
    play, thread = await at_work(opened, given(work, under("end", wait=8)))
    await play.sees("ana", thread, "T-1: remote checks have not ended", offers="Check again")
    await play.stage.press("lead", thread, "Continue without them", words="nobody deploys today")
    await play.happened("StepRefused")
    assert LOG in "\n".join((await play.task()).work.on(2).feedback)


async def test_no_checks_are_not_run_and_never_passed(opened: Opened) -> None:
    work = Workshop()
    work.forge.runs = lambda commit, look: (remote("nightly", CheckState.SKIPPED),)
    play, thread = await at_work(opened, given(work, under("end")))
    await merge(play, thread, "Remote checks", "not run: the forge ran none on this commit")
    page = await play.program.queries.page((await play.task()).id, OPERATOR)
    told = [entry.words for entry in page.timeline] if page else []
    assert any(words.endswith("ci: not run: the forge ran none on this commit") for words in told)
    assert not any(words.endswith("ci passed") for words in told)
    assert all("remote checks passed" not in pull.body for pull in work.forge.asked)


async def test_a_wait_outlives_a_restart_and_a_forge_that_cannot_be_asked(opened: Opened) -> None:
    work, state = Workshop(), [W]

    def runs(commit: str, look: int) -> Sequence[RemoteCheck]:
        if look % 2:
            raise ForgeFailed("GitHub cannot be reached", next_step="I try again.")
        return (remote("build", state[0]),)

    work.forge.runs = runs
    play, thread = await at_work(opened, given(work, under("end")))
    await play.sees("ana", thread, "waits for remote checks: build")
    await play.sees("ana", thread, "waits for remote checks", "GitHub cannot be reached")
    await play.host.restart()
    before = sum(work.forge.looks.values())

    async def looked() -> bool:
        return sum(work.forge.looks.values()) > before + 2

    await until(looked)
    assert len(await events(play, ChecksAwaited)) == 1, "the same wait"
    state[0] = P
    await merge(play, thread)
    assert "JobParked" not in await play.facts()


async def test_a_task_that_is_cancelled_says_so_on_its_draft_and_waits_no_more(opened: Opened) -> None:
    work = Workshop()
    work.forge.runs = lambda commit, look: (remote("build", W),)
    play, thread = await at_work(opened, given(work, under("early")))
    await play.sees("ana", thread, "waits for remote checks: build")
    await play.stage.say("ana", "cancel T-1", thread=thread, mention=True)
    await play.sees("ana", thread, "Cancel T-1?")
    await play.stage.press("ana", thread, "Cancel task", words="not needed any more")

    async def told() -> bool:
        return any("Nothing more comes of T-1" in text for text in work.forge.said.values())

    await until(told)
    looks = dict(work.forge.looks)
    await play.silence("ana", thread)
    assert sum(work.forge.looks.values()) <= sum(looks.values()) + 1


async def test_a_later_round_is_told_where_it_is_read(opened: Opened) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, under("end")))
    await play.sees("ana", thread, "T-1 waits for the review", offers="Review is over")
    await play.stage.press("ana", thread, "Request changes", words="Our customer Kim wants shorter names")

    async def told() -> str:
        return "\n".join(work.forge.said.values())

    said = await until(told, "a comment")
    assert "a new round of T-1" in said and "Kim" not in said, "what was said in chat stays there"
