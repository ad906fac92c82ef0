"""By which names the console answers, and which address it prints."""

from typing import cast

import pytest

from bot.platforms.console import ConsoleSettings
from bot.platforms.console.platform import named_in
from bot.platforms.console.sign_in import ConsoleOptions
from bot.queries.people_queries import PeopleQueries
from tests.fakes.console import SECRET, console, visitor
from tests.fakes.desk import START

SESSIONS = cast(PeopleQueries, object())


def options(host: str, *names: str) -> ConsoleOptions:
    return ConsoleOptions(host=host, names=names, sessions=SESSIONS, secret=SECRET, now=lambda: START)


@pytest.mark.parametrize(
    ("host", "names", "address"),
    [
        ("127.0.0.1", (), "http://127.0.0.1:8765"),
        ("::1", (), "http://[::1]:8765"),
        ("0.0.0.0", (), "http://127.0.0.1:8765"),
        ("::", ("overlord.example",), "http://overlord.example:8765"),
        ("0.0.0.0", ("overlord.example:443",), "http://127.0.0.1:8765"),
        ("10.0.0.7", ("overlord.example",), "http://10.0.0.7:8765"),
    ],
)
def test_the_address_that_is_printed_can_be_opened(host: str, names: tuple[str, ...], address: str) -> None:
    made = options(host, *names)
    assert made.address == address
    assert made.address.removeprefix("http://") in made.hosts, "and it answers to it"


def test_a_name_counts_with_the_port_and_without() -> None:
    hosts = options("0.0.0.0", "overlord.example", "other.example:443").hosts
    assert {"overlord.example", "overlord.example:8765", "other.example:443"} <= hosts
    assert "other.example" not in hosts and "other.example:443:8765" not in hosts


def test_the_public_address_is_a_name_too() -> None:
    assert named_in("https://overlord.example/") == ("overlord.example",)
    assert named_in("https://ana@overlord.example:8443/x") == ("overlord.example:8443",)
    assert named_in("") == ()


def test_the_start_says_by_which_names_it_answers() -> None:
    assert ConsoleSettings().describe(0) == "console"
    assert ConsoleSettings(host="0.0.0.0", names=("a.example",)).describe(0) == "console (answers to a.example too)"
    assert any("is no name" in what for _, what, _ in ConsoleSettings(host="0.0.0.0").warnings())


async def test_a_name_that_is_not_ours_is_refused_with_how_to_add_it() -> None:
    async with console() as visit, visitor(visit.url) as client:
        refused = await client.get("/needs", headers={"Host": "evil.example"})
    assert refused.status_code == 421 and "OVERLORD_CONSOLE_NAMES" in refused.text
