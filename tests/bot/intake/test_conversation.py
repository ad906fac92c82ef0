"""The grammar that works with no model."""

import pytest

from agents.domain.ids import TaskId
from bot.intake.conversation import Command, SmallTalk, Verb, Words, understand


@pytest.mark.parametrize(
    ("said", "verb", "task", "words"),
    [
        ("help", Verb.HELP, None, ""),
        ("Help!", Verb.HELP, None, ""),
        ("?", Verb.HELP, None, ""),
        ("`status`", Verb.STATUS, None, ""),
        ("status t-12", Verb.STATUS, "T-12", ""),
        ("STOP", Verb.STOP, None, ""),
        ("🛑", Verb.STOP, None, ""),
        ("stop T-3.", Verb.STOP, "T-3", ""),
        ("resume", Verb.RESUME, None, ""),
        ("Pause the queue.", Verb.PAUSE_QUEUE, None, ""),
        ("queue pause", Verb.PAUSE_QUEUE, None, ""),
        ("resume the queue", Verb.RESUME_QUEUE, None, ""),
        ("is the queue paused?", Verb.QUEUE, None, ""),
        ("queue", Verb.TASKS, None, ""),
        ("cancel", Verb.CANCEL, None, ""),
        ("cancel because it is done", Verb.CANCEL, None, "it is done"),
        ("cancel T-4: wrong repo", Verb.CANCEL, "T-4", "wrong repo"),
        ("backburner task T-5", Verb.BACKBURNER, "T-5", ""),
        ("snooze T-5", Verb.BACKBURNER, "T-5", ""),
        ("retry", Verb.RETRY, None, ""),
        ("approve", Verb.APPROVE, None, ""),
        ("lgtm", Verb.APPROVE, None, ""),
        ("cost", Verb.COST, None, ""),
        ("who can approve", Verb.WHO_CAN_APPROVE, None, ""),
        ("what needs me", Verb.WHAT_NEEDS_ME, None, ""),
        ("mute", Verb.MUTE, None, ""),
        ("aside: we talk about lunch", Verb.ASIDE, None, "we talk about lunch"),
        ("link", Verb.LINK, None, ""),
        ("link AB12CD34", Verb.LINK, None, "AB12CD34"),
        ("tasks", Verb.TASKS, None, ""),
        ("tasks 2", Verb.TASKS, None, "2"),
        ("what needs me 3", Verb.WHAT_NEEDS_ME, None, "3"),
        ("what needs me? page 3", Verb.WHAT_NEEDS_ME, None, "3"),
        ("why?", Verb.WHY, None, ""),
        ("what is happening?", Verb.STATUS, None, ""),
        ("What's happening", Verb.STATUS, None, ""),
        ("what did it cost?", Verb.COST, None, ""),
    ],
)
def test_a_command_is_understood(said: str, verb: Verb, task: str | None, words: str) -> None:
    assert understand(said) == Command(verb=verb, task=TaskId(task) if task else None, words=words)


@pytest.mark.parametrize(
    "said",
    [
        "stop the server from crashing",
        "cancel the retry when the user logs out",
        "help the users find the export button",
        "approve all",
        "status page shows the wrong colour",
        "link the docs to the footer of every page",
        "retry failed uploads three times",
        "resume uploads after a crash",
        "why does the export fail on Mondays?",
        "ok, now add a login page",
        "thanks page shows the wrong name",
        "hello world page for the demo",
        "nice error messages for the API",
        "1",
        "",
    ],
)
def test_a_request_that_begins_like_a_command_stays_a_request(said: str) -> None:
    assert understand(said) == Words(text=said)


@pytest.mark.parametrize(
    "said", ["hello", "Hi!", "hey overlord", "good morning all", "👋", "How are you?", "Guten Morgen!", "Bonjour"]
)
def test_a_greeting_wants_a_word_in_return(said: str) -> None:
    assert understand(said) == SmallTalk(text=said, greets=True)


@pytest.mark.parametrize(
    "said",
    [
        "thanks!",
        "Thank you so much",
        "ok",
        "👍",
        "👍🏽",
        "❤️",
        "Cool!",
        "got it",
        "...",
        "ty",
        "thanks, great work",
        "ok, fine 👍",
        "Vielen Dank!",
        "merci beaucoup, au revoir",
    ],
)
def test_a_thank_you_is_met_with_silence(said: str) -> None:
    meant = understand(said)
    assert meant == SmallTalk(text=said, greets=False)
