"""The whole program where nobody can be looked up: people sign in, and whoever runs it can sign them out."""

from pathlib import Path

from bot.app import open_people, running
from bot.config.settings_source import load_settings
from bot.start import opening_lines
from tests.fakes.console import Visit, visitor
from tests.fakes.desk import ScriptedDesk


async def test_without_a_look_up_the_operator_signs_in_and_is_signed_out_from_the_command_line(tmp_path: Path) -> None:
    given = {"OVERLORD_HOME": str(tmp_path / "home"), "OVERLORD_CONSOLE_PORT": "0"}
    settings = load_settings(given, cwd=tmp_path, user="ana")
    async with (
        running(settings, look_up=None) as program,
        visitor(program.address) as client,
        open_people(settings) as people,
    ):
        assert "Sign in:   with a token: overlord people token" in "\n".join(opening_lines(settings, program, None))
        visit = Visit(program.address, client, ScriptedDesk())
        for claim in ({}, {"X-Forwarded-For": "127.0.0.1"}):
            assert (await visit.get("/needs", **claim)).headers["location"].startswith("/login")
        token = await people.issue_token("ana")
        await visit.get("/login")
        entered = await visit.post("/login", name="ana", token=token, next="/needs")
        assert entered.headers["location"] == "/needs"
        page = await visit.get("/sessions")
        [session] = await people.sessions()
        assert session.login == "ana" and session.address == "127.0.0.1" and session.id in page.text
        [person] = [each for each in await people.list() if "console:ana" in each.accounts]
        assert "approver" in person.groups, "a token of the operator's own name is the operator's"
        assert await people.end_sessions("ana", session.id) == 1
        assert (await visit.get("/needs")).status_code == 303
