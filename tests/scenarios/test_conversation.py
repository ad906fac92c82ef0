"""What people do with the bot every day, the same on every platform."""

from agents.domain.ids import Account, Thread
from bot.intake.conversation import is_private
from store.transaction import Transaction
from tests.scenarios.conftest import Play
from tests.scenarios.stage import until


async def test_a_request_is_noticed_restated_and_asks_only_what_it_must(play: Play) -> None:
    thread = await play.stage.say("ana", "add rate limiting", mention=True)
    await play.sees("ana", thread, "T-1 · add rate limiting")
    card = await play.sees("ana", thread, "which project is this for?")
    assert card.buttons == ("api", "web")
    assert await play.stage.is_seen(thread)

    await play.stage.press("ana", thread, "api")
    await play.sees("ana", thread, "which project", "api (decided by", gone="api")
    await play.sees("ana", thread, "State: Waiting for a plan", "Project: api")
    shown = await play.silence("ana", thread)
    assert [m.by_bot for m in shown] == [False, True, True], "one status card, one decision, nothing else"


async def test_a_project_named_in_the_request_is_not_asked_for(play: Play) -> None:
    thread = await play.stage.say("ana", "make the web pages faster", mention=True)
    await play.sees("ana", thread, "Project: web (the request names it)")
    shown = await play.silence("ana", thread)
    assert len(shown) == 2


async def test_a_question_is_answered_in_words(play: Play) -> None:
    thread = await play.stage.say("ana", "add login", mention=True)
    await play.sees("ana", thread, "which project is this for")
    await play.stage.say("ana", "api", thread=thread)
    await play.sees("ana", thread, "State: Waiting for a plan", "Project: api")


async def test_a_stranger_presses_and_is_told_in_private_who_may(play: Play) -> None:
    thread = await play.stage.say("ana", "add login", mention=True)
    await play.sees("ana", thread, "which project is this for")
    await play.stage.press("mallory", thread, "api")
    refusal = await play.sees("mallory", thread, "This is not yours to decide", "the owner of the task or an approver")
    assert refusal.private
    others = await play.silence("ana", thread)
    assert not any("not yours" in message.text for message in others)
    await play.sees("ana", thread, "Waiting for")

    await play.stage.press("lead", thread, "web")
    await play.sees("ana", thread, "web (decided by")


async def test_a_button_works_after_a_restart(play: Play) -> None:
    thread = await play.stage.say("ana", "add login", mention=True)
    await play.sees("ana", thread, "which project is this for")
    await play.host.restart()
    await play.stage.press("ana", thread, "web")
    await play.sees("ana", thread, "State: Waiting for a plan", "Project: web")


async def test_stop_resume_backburner_and_back(play: Play) -> None:
    thread = await play.stage.say("ana", "speed up web", mention=True)
    await play.sees("ana", thread, "Waiting for a plan")
    await play.stage.say("ana", "stop", thread=thread, mention=True)
    await play.sees("ana", thread, "T-1 is stopped", "Nothing runs until you say so")
    await play.sees("ana", thread, "State: Stopped")
    await play.stage.press("ana", thread, "Resume task")
    await play.sees("ana", thread, "State: Waiting for a plan")

    await play.stage.press("ana", thread, "Snooze")
    await play.sees("ana", thread, "T-1 is snoozed")
    await play.stage.say("ana", "resume", thread=thread)
    await play.sees("ana", thread, "Brought back by")
    await play.sees("ana", thread, "State: Waiting for a plan")


async def test_a_cancel_asks_to_confirm_and_keeps_the_reason(play: Play) -> None:
    thread = await play.stage.say("ana", "speed up web", mention=True)
    await play.sees("ana", thread, "Waiting for a plan")
    await play.stage.say("ana", "cancel because we moved to Go", thread=thread, mention=True)
    await play.sees("ana", thread, "Cancel T-1?", "we moved to Go")
    await play.stage.press("ana", thread, "Cancel task")
    await play.sees("ana", thread, "Cancelled: we moved to Go")


async def test_a_cancel_without_a_reason_asks_for_it_in_a_form(play: Play) -> None:
    thread = await play.stage.say("ana", "speed up web", mention=True)
    await play.sees("ana", thread, "Waiting for a plan")
    await play.stage.say("ana", "cancel", thread=thread, mention=True)
    await play.sees("ana", thread, "Cancel T-1?")
    await play.stage.press("ana", thread, "Cancel task", words="not worth it")
    await play.sees("ana", thread, "Cancelled: not worth it")


async def test_the_request_can_be_corrected_by_its_author(play: Play) -> None:
    thread = await play.stage.say("ana", "speed up web", mention=True)
    await play.sees("ana", thread, "Waiting for a plan")
    await play.stage.edit("ana", thread, "speed up web search")
    await play.sees("ana", thread, "T-1 · speed up web search")


async def test_small_talk_and_bystanders_are_met_with_silence(play: Play) -> None:
    idle = await play.stage.say("ana", "lunch anyone?")
    thread = await play.stage.say("ana", "speed up web", mention=True)
    await play.sees("ana", thread, "Waiting for a plan")
    await play.stage.say("mallory", "cancel", thread=thread)
    await play.stage.say("mallory", "I would not do that", thread=thread)
    assert len(await play.silence("ana", idle)) == 1
    shown = await play.silence("ana", thread)
    assert sum(m.by_bot for m in shown) == 1, "only the status card"


async def test_commands_answer_with_no_model_at_all(play: Play) -> None:
    thread = await play.stage.say("ana", "speed up web", mention=True)
    await play.sees("ana", thread, "Waiting for a plan")
    for words, answer in {
        "help": "What I understand",
        "status": "Waiting for a plan",
        "tasks": "1 open task",
        "what needs me": "Nothing needs you",
        "who can approve": "Who can approve",
        "cost": "T-1 has cost nothing so far",
        "approve": "Nothing in T-1 waits for an approval",
        "retry": "T-1 has nothing to retry",
        "mute": "Reminders for T-1 are off",
        "stop T-99": "There is no task T-99",
    }.items():
        await play.stage.say("ana", words, thread=thread, mention=True)
        await (play.whispered if is_private(words) else play.sees)("ana", thread, answer)
    shown = await play.stage.shown("mallory", thread)
    assert not any("What I understand" in m.text or "1 open task" in m.text for m in shown), "for the asker alone"


async def test_two_accounts_become_one_person_when_both_say_so(play: Play) -> None:
    line = await play.stage.say("ana", "link", direct=True)
    card = await play.sees("ana", line, "Your code: ")
    code = card.text.partition("Your code: ")[2][:8]
    other = await play.stage.say("ana-phone", f"link {code}", direct=True)
    await play.sees("ana-phone", other, "Is this account yours too?", play.stage.account("ana"))
    await play.sees("ana", line, "Is this account yours too?", play.stage.account("ana-phone"))
    thread = await play.stage.say("ana", "add login", mention=True)
    await play.sees("ana", thread, "which project is this for")
    await play.stage.press("ana-phone", thread, "api")
    await play.sees("ana-phone", thread, "This is not yours to decide")

    await play.stage.press("ana-phone", other, "Link this account")
    await play.sees("ana-phone", other, "Waiting for the other account")
    await play.stage.press("ana", line, "Link this account")
    await play.sees("ana-phone", other, "one person now", play.stage.account("ana"))
    await play.stage.press("ana-phone", thread, "api")
    await play.sees("ana", thread, "api (decided by")


async def test_a_stranger_with_a_code_gets_no_right_of_an_approver(play: Play) -> None:
    """Whoever is talked into repeating a code sees whose it is, and the operator is asked besides."""
    line = await play.stage.say("mallory", "link", direct=True)
    card = await play.sees("mallory", line, "Your code: ")
    code = card.text.partition("Your code: ")[2][:8]
    other = await play.stage.say("lead", f"link {code}", direct=True)
    await play.sees("lead", other, "Is this account yours too?", play.stage.account("mallory"))
    await play.sees("mallory", line, "Is this account yours too?", play.stage.account("lead"))
    await play.stage.press("mallory", line, "Link this account")
    await play.stage.press("lead", other, "Link this account")  # too hasty
    await play.sees("lead", other, "Waiting for the operator to confirm")
    await play.sees("mallory", line, "Waiting for the operator to confirm")

    def groups(tx: Transaction) -> frozenset[str]:
        return frozenset(play.program.services.presser(play.stage.account("mallory"), tx).groups)

    assert await play.program.services.database.write(groups) == frozenset()
    now = play.program.services.clock.now()
    (request,) = await play.program.services.database.read(lambda tx: tx.links.open(now))
    asked = Thread(f"console:@operator:{request.id}")

    async def operator_sees() -> bool:
        shown = await play.program.queries.conversation(asked, Account("console:operator"))
        cards = [message.card for message in shown.messages if message.card] if shown else []
        return any(card.title == "Link two accounts?" and card.buttons for card in cards)

    await until(operator_sees, "the operator's card")
    assert await play.program.queries.conversation(asked, Account("console:ana")) is None
