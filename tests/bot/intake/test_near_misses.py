"""Commands that were almost typed, and sentences that only begin like one."""

import pytest

from agents.domain.asking.names import Act, Route
from bot.intake.conversation import Command, SmallTalk, Verb, Words, understand
from bot.intake.meant_commands import WORDS
from bot.intake.near_misses import slips


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("stpo T-3", "stop T-3"),
        ("stop T3", "stop T-3"),
        ("Stop task 3", "stop T-3"),
        ("stop #3", "stop T-3"),
        ("statsu", "status"),
        ("Aprove!", "approve"),
        ("cancle T-2", "cancel T-2"),
        ("retyr", "retry"),
        ("continu", "continue"),
        ("bakcburner t 4", "backburner T-4"),
        ("T-3 status", "status T-3"),
        ("t3: stop", "stop T-3"),
        ("Hilfe", "help"),
        ("annuler T-3", "cancel T-3"),
        ("Bitte stoppen", "stop"),
        ("停止", "stop"),
    ],
)
def test_a_mistyped_command_is_recognized_and_stays_words(said: str, meant: str) -> None:
    read = understand(said)
    assert isinstance(read, Words) and read.near == meant and read.text == said.strip()


@pytest.mark.parametrize(
    "said",
    [
        *("stop the server from crashing", "lists all users", "cost of goods sold", "resume all uploads", "help me"),
        *("T-3 stops the build", "T-3 is wrong", "Kosten der Anfrage anzeigen", "aide moi à comprendre le parseur"),
        *("halp", "add a status page", "the queue is full", "T-3", "costing is wrong", "stops the build", "hold on"),
        *(
            "status codes of the API are wrong",
            "no retry",
            "no stop",
            "/api/status",
            "“Stop” is cut off",
        ),
    ],
)
def test_a_request_is_no_near_miss(said: str) -> None:
    read = understand(said)
    assert not isinstance(read, Command) and not read.near


@pytest.mark.parametrize(
    ("said", "verb"),
    [
        ("please stop T-3", Verb.STOP),
        ("Could you stop it, please?", Verb.STOP),
        ("pause for now", Verb.STOP),
        ("just cancel T-3 please", Verb.CANCEL),
        ("help please", Verb.HELP),
        ("plz stop!! 🙏", Verb.STOP),
        ("*stop*", Verb.STOP),
        ("“stop T-3”", Verb.STOP),
        ("STOP STOP", Verb.STOP),
        ("no, stop", Verb.STOP),
        ("hey overlord, stop T-3", Verb.STOP),
        ("/status", Verb.STATUS),
        ("ok continue", Verb.RESUME),
    ],
)
def test_politeness_changes_nothing(said: str, verb: Verb) -> None:
    read = understand(said)
    assert isinstance(read, Command) and read.verb is verb


def test_a_message_may_say_what_it_is() -> None:
    assert understand("ask: how are links stored?") == Words(text="how are links stored?", wants=Route.QUESTION)
    assert understand("Task: stop") == Words(text="stop", wants=Route.CHANGE)
    assert understand("ask users for their name") == Words(text="ask users for their name")


@pytest.mark.parametrize("act", Act)
def test_every_command_in_free_words_is_one_of_the_grammar(act: Act) -> None:
    assert isinstance(understand(WORDS[act]), Command)


@pytest.mark.parametrize("said", ["nvm", "never mind, thanks!", "Actually, forget it", "scratch that 🙏"])
def test_what_takes_words_back_is_talk_that_may_be_a_cancel(said: str) -> None:
    assert understand(said) == SmallTalk(text=said, greets=False, near="cancel")


def test_slips_are_counted() -> None:
    pairs = (("stop", "stop"), ("stpo", "stop"), ("sto", "stop"), ("help", "halt"))
    assert [slips(*pair) for pair in pairs] == [0, 1, 1, 2]
