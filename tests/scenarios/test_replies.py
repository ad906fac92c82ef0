"""Replies answer: a plain word in the thread, or a mention, is the answer to what is open. On every platform."""

from typing import Any

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.table import closed_by_silence, questions
from agents.domain.task.task import TaskState
from agents.domain.work.work import Ending, SubtaskState
from agents.ports import Asked, Brief, GaveUp, Outcome, WantsScope, Watch
from tests.fakes.llm import no_answer
from tests.fakes.work import Play as Plays, ScriptedMinions, Workshop, finishes, never_ends, says
from tests.scenarios.conftest import ALL, Given, Opened, Play
from tests.scenarios.stage import until
from tests.scenarios.working import THREE_SUBTASKS, at_work, given, wished

STAGES = ALL
HASH = Asked(question="Which hash?", options=("bcrypt", "argon2"), default="bcrypt")
OPEN = Asked(question="Which header names the caller?")
BLOCKED = GaveUp(ending=Ending.BLOCKED, problem="The form is made by another team")


def scene(*outcomes: Outcome, model: bool = True) -> tuple[Given, Workshop]:
    scripts: dict[int, list[Plays]] = {number: [says(each)] for number, each in enumerate(outcomes, start=1)}
    work = Workshop(minions=ScriptedMinions(scripts=scripts))
    answers: dict[str, Any] = {} if model else {"intent": no_answer()}
    if len(outcomes) > 1:
        answers["decompose"] = THREE_SUBTASKS
    return given(work, **answers), work


async def answer_of(play: Play) -> list[str]:
    """What minions were told in answer to their questions."""
    await play.happened("MinionAnswered")
    return [recorded.event.answer for recorded in await play.log() if type(recorded.event).__name__ == "MinionAnswered"]  # type: ignore[attr-defined]


async def test_a_plain_reply_in_own_words_answers_a_minion_though_it_offers_options(opened: Opened) -> None:
    world, _ = scene(HASH, model=False)
    play, thread = await at_work(opened, world)
    await play.sees("ana", thread, "T-1.1 asks: Which hash?")
    await play.stage.say("ana", "neither, take scrypt", thread=thread)
    await play.sees("ana", thread, "Which hash?", "neither, take scrypt", gone="Answer…")
    assert await answer_of(play) == ["neither, take scrypt"]
    await play.sees("lead", thread, "T-1 is ready to merge")


async def test_an_approver_who_never_spoke_here_answers_without_a_mention(opened: Opened) -> None:
    world, _ = scene(OPEN)
    play, thread = await at_work(opened, world)
    await play.sees("ana", thread, "Which header names the caller?")
    await play.stage.say("mallory", "X-Evil", thread=thread)
    await play.stage.say("lead", "X-Forwarded-For", thread=thread)
    assert await answer_of(play) == ["X-Forwarded-For"]


async def test_a_stranger_who_is_asked_nothing_is_told_so_in_private(opened: Opened) -> None:
    world, _ = scene(OPEN)
    play, thread = await at_work(opened, world)
    await play.sees("ana", thread, "Which header names the caller?")
    await play.stage.say("mallory", "X-Evil", thread=thread, mention=True)
    whose = "the owner of the task or an approver"
    await play.whispered("mallory", thread, "Kept as a remark on T-1", "X-Evil", whose)
    assert not any("X-Evil" in m.text and m.by_bot for m in await play.stage.shown("ana", thread))
    assert (await play.task()).of_kind(Kind.QUESTION), "and it answers nothing"
    await play.stage.say("ana", "X-Real-IP", thread=thread, mention=True)
    assert await answer_of(play) == ["X-Real-IP"]


async def test_retry_but_is_a_hint_and_drop_is_that_button(opened: Opened) -> None:
    world, work = scene(BLOCKED, BLOCKED)
    play, thread = await at_work(opened, world)
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you")
    await play.sees("ana", thread, "T-1.2 (Check the password) needs you")
    await play.stage.say("ana", "T-1.1: retry, but keep the old name", thread=thread)
    await play.sees("ana", thread, "T-1.1 (Write the form) needs you", "keep the old name", gone="Drop subtask")
    await play.stage.say("ana", "drop", thread=thread, mention=True)
    await play.sees("ana", thread, "T-1.2 (Check the password) needs you", "Dropped by", gone="Expand scope")
    await play.sees("lead", thread, "T-1 is ready to merge")
    hints = [wished(brief) for brief in work.minions.briefs if brief.subtask.number == 1]
    assert hints[-1] == ["keep the old name"]
    assert [work.state for work in (await play.task()).work.subtasks][1] is SubtaskState.FAILED


async def test_with_several_questions_the_bot_asks_which_and_keeps_the_words(opened: Opened) -> None:
    world, _ = scene(HASH, OPEN, model=False)
    play, thread = await at_work(opened, world)
    await play.sees("ana", thread, "T-1.1 asks: Which hash?")
    await play.sees("ana", thread, "T-1.2 asks: Which header")
    await play.stage.say("ana", "the one we use in billing", thread=thread)
    card = await play.sees("ana", thread, "which of these do your words answer?", "the one we use in billing")
    assert len(card.buttons) == 3 and "Just a remark" in card.buttons
    held = questions(await play.task())
    assert [d.due for d in held if d.default] != [] and all(not closed_by_silence(d) for d in held), "no clock runs"
    which = next(label for label in card.buttons if "T-1.2" in label)
    await play.stage.press("ana", thread, which)
    assert await answer_of(play) == ["the one we use in billing"]
    await play.sees("ana", thread, "which of these", gone="Just a remark")
    await play.stage.say("ana", "argon2", thread=thread)
    await play.sees("lead", thread, "T-1 is ready to merge")


async def test_a_stopped_task_goes_on_when_somebody_says_so(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(scripts={1: [never_ends]}))
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "reading the code")
    await play.stage.say("ana", "stop it", thread=thread)
    await play.sees("ana", thread, "T-1 is stopped")
    await play.happened("MinionStopped")
    await play.stage.say("ana", "go on, but use tabs", thread=thread)
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert wished(work.minions.briefs[-1]) == ["use tabs"]


async def test_a_no_in_words_keeps_the_scope_and_a_yes_brings_one_button(opened: Opened) -> None:
    wants = WantsScope(paths=("settings.py",), why="the form needs a switch")
    world, _ = scene(wants, wants)
    play, thread = await at_work(opened, world)
    await play.sees("ana", thread, "may it write more?", "T-1.1")
    await play.stage.say("lead", "T-1.1: no, use what form.py has", thread=thread, mention=True)
    await play.sees("ana", thread, "use what form.py has", gone="Keep the scope")
    await play.sees("ana", thread, "may it write more?", "T-1.2")
    for words in ("yes", "ok, go ahead"):
        await play.stage.say("lead", words, thread=thread, mention=True)
        await play.sees("lead", thread, "One press to confirm")
    confirms = [m for m in await play.silence("lead", thread) if "One press to confirm" in m.text]
    assert len(confirms) == 1, "one card, however often it is said"
    await play.whispered("lead", thread, "The button is on my card above")
    await play.stage.press("lead", thread, "Allow these paths")
    await play.sees("lead", thread, "T-1 is ready to merge")
    now = [m for m in await play.silence("lead", thread) if "Allow these paths" in m.buttons]
    assert not now, "nothing is left to press, on either card"
    works = (await play.task()).work.subtasks
    assert "settings.py" not in works[0].scope.patterns and "settings.py" in works[1].scope.patterns


async def test_the_confirm_card_closes_when_it_is_decided_elsewhere(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.say("lead", "lgtm", thread=thread, mention=True)
    await play.sees("lead", thread, "One press to confirm")
    task = await play.task()
    plan = task.of_kind(Kind.PLAN)
    assert plan
    shown = [m for m in await play.stage.shown("lead", thread) if "Request changes" in m.buttons]
    assert shown, "the card of the plan itself"
    await play.stage.press("lead", thread, "Request changes", words="less")
    await play.sees("lead", thread, "Confirmed or closed", gone="Approve plan")
    assert (await play.task()).state is not TaskState.RUNNING


async def test_people_who_talk_to_each_other_stop_the_clock(opened: Opened) -> None:
    world, _ = scene(HASH)
    play, thread = await at_work(opened, world)
    await play.sees("ana", thread, "T-1.1 asks: Which hash?")
    await play.stage.say("ana", f"{play.stage.name_in_text('lead')} what do you think?", thread=thread)
    await play.sees("ana", thread, "Timer", "paused, as", gone="Pause timer")
    assert not any(closed_by_silence(d) for d in questions(await play.task()))


async def test_a_second_request_by_somebody_else_is_asked_about(opened: Opened) -> None:
    work = Workshop(minions=ScriptedMinions(always=never_ends))
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "reading the code")
    await play.stage.say("mallory", "fix the broken link in the footer", thread=thread, mention=True)
    card = await play.sees("mallory", thread, "New task, or a remark on T-1?", "broken link in the footer")
    assert set(card.buttons) == {"New task", "Remark on T-1"}
    assert not any(wished(brief) for brief in work.minions.briefs), "and no minion was told"
    await play.stage.press("mallory", thread, "New task")
    await play.sees("mallory", thread, "New task, or a remark on T-1?", "New task begun by", gone="New task")

    async def second() -> bool:
        return (await play.task()).id == "T-2"

    await until(second, "a task of its own")
    task = await play.task()
    assert (task.request.text, task.request.thread != thread) == ("fix the broken link in the footer", True)
    await play.sees("mallory", task.request.thread, "T-2 · fix the broken link in the footer")
    await play.stage.say("sec", "and what about the header", thread=thread, mention=True)
    await play.sees("sec", thread, "New task, or a remark on T-1?", "what about the header")
    await play.stage.press("sec", thread, "Remark on T-1")
    await play.sees("sec", thread, "New task, or a remark", "Kept as a remark by", gone="New task")


async def test_an_approvers_words_in_somebody_elses_thread_are_asked_about_too(opened: Opened) -> None:
    told: list[str] = []
    work = Workshop(minions=ScriptedMinions(scripts={1: [listens(told)] * 2}))
    play, thread = await at_work(opened, given(work))
    await play.sees("ana", thread, "turn 1")
    await play.stage.say("lead", "fix the broken link in the footer", thread=thread, mention=True)
    await play.sees("lead", thread, "New task, or a remark on T-1?", "broken link in the footer")
    assert not told and (await play.task()).remarks == 0, "no minion hears it before it is known what it is"
    await play.stage.press("lead", thread, "Remark on T-1")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert told == ["fix the broken link in the footer"] and (await play.task()).remarks == 1


def listens(told: list[str]) -> Plays:
    """A minion that works until somebody tells it something."""

    async def play(brief: Brief, watch: Watch) -> Outcome:
        told.extend(wished(brief))
        return await (finishes() if told else never_ends)(brief, watch)

    return play


async def test_an_approval_while_the_task_is_stopped_says_that_nothing_starts(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.say("ana", "stop", thread=thread)
    await play.sees("ana", thread, "T-1 is stopped")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "Plan approved by", "T-1 is stopped, so nothing starts until it is resumed")
    assert (await play.task()).at_rest
    await play.stage.say("ana", "go on", thread=thread)
    await play.sees("lead", thread, "T-1 is ready to merge")


async def test_a_plan_that_is_snoozed_offers_nothing_until_it_is_brought_back(opened: Opened) -> None:
    play = await opened(given(Workshop()))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.stage.say("ana", "snooze", thread=thread)
    await play.sees("ana", thread, "Snoozed by", "Nothing starts until it is brought back", gone="Approve plan")
    assert (await play.task()).at_rest
    await play.stage.say("ana", "bring it back", thread=thread)
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")


async def test_words_said_while_the_bot_was_down_are_not_overruled_by_time(opened: Opened) -> None:
    """The default fell due meanwhile; what was said before is read first."""
    asks = says(Asked(question="Which colour?", options=("red", "blue"), default="red"))
    play, thread = await at_work(opened, given(Workshop(minions=ScriptedMinions(scripts={1: [asks]}))))
    await play.sees("ana", thread, "Which colour?")
    await play.host.stop()
    stage: Any = play.stage
    if stage.name == "discord":
        stage.fake.say(stage.fake.world.user("ana"), stage._channel(thread), "blue")
    elif stage.name != "console":  # nobody can speak to a console that is not there
        await stage.say("ana", "blue", thread=thread)
    await play.host.restart(later=7200, pace=4)  # words have 15 s to come in: machines are busy
    if stage.name == "console":
        await stage.say("ana", "blue", thread=thread)
    await play.happened("MinionAnswered")
    answered = next(r.event for r in await play.log() if isinstance(r.event, e.MinionAnswered))
    assert "blue" in str(answered)
