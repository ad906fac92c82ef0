"""The command line as a person meets it: a real store, exit codes and words."""

import asyncio
import json
import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from agents.workspace.files.artefacts import FileArtefacts
from bot.platforms.console.sign_in import hash_of
from store.chat.people import Session
from store.database import Database
from store.transaction import Transaction
from tests.builders.shell import ME, Shell
from tests.domain.secret_corpus import BARE


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_flags_of_the_whole_command_line_win(shell: Shell) -> None:
    shell.run("--home", "other", "tasks")
    assert (shell.folder / "other" / "overlord.db").is_file() and not shell.home.exists()
    assert "There is no file" in shell.run("--config", "gone.yaml", "tasks", code=1).err


def test_the_state_folder_is_its_owners_alone(shell: Shell) -> None:
    shell.run("tasks")
    assert shell.home.stat().st_mode & 0o777 == 0o700


def test_an_empty_store_says_so(shell: Shell) -> None:
    assert "no task" in shell.run("tasks").out
    assert shell.run("tasks", "list", "--json").json == []
    assert "Nothing waits" in shell.run("decisions").out
    assert shell.run("decisions", "--json").json == []
    told = shell.run("tasks", "show", "T-9", code=1)
    assert told.out == "" and "There is no task T-9" in told.err


def test_a_task_is_listed_and_shown(shell: Shell) -> None:
    shell.ask("add rate limiting\nto the API \x1b[31mnow")
    listed = shell.run("tasks").out
    assert re.search(r"T-1 +received +bo +\S+ \S+ +add rate limiting to the API now", listed) and "\x1b" not in listed
    [task] = shell.run("tasks", "--json").json
    assert (task["id"], task["state"]) == ("T-1", "received")
    shown = shell.run("tasks", "show", "t-1").out
    assert "Asked for: add rate limiting" in shown
    assert shell.run("tasks", "show", "T-1", "--json").json["owner"] == "bo"


def test_what_was_kept_of_a_task_is_printed(shell: Shell) -> None:
    shell.ask("add login")
    assert "Nothing was kept" in shell.run("tasks", "kept", "T-1").out
    asyncio.run(FileArtefacts(shell.home).keep("T-1.diff", "+hello\n"))
    assert shell.run("tasks", "kept", "1").out == "T-1.diff\n"
    assert shell.run("tasks", "kept", "T-1", "T-1.diff").out == "+hello\n"
    assert "has nothing named T-1.patch" in shell.run("tasks", "kept", "T-1", "T-1.patch", code=1).err


def test_a_task_is_stopped_resumed_and_cancelled(shell: Shell) -> None:
    shell.ask("add login")
    assert shell.run("tasks", "say", "T-1", "use bcrypt").out == "Said in T-1.\n"
    assert "looks like a key" in shell.run("tasks", "say", "T-1", f"use {BARE['github classic']}").err
    assert shell.run("tasks", "stop", "T-1", "--reason", "lunch").out == "T-1 is paused.\n"
    assert "nothing to resume" not in shell.run("tasks", "resume", "T-1").err
    assert shell.run("tasks", "cancel", "T-1", "--reason", "no longer wanted").out == "T-1 is cancelled.\n"
    assert "T-1 is cancelled, so there is nothing to stop" in shell.run("tasks", "stop", "T-1", code=1).err
    page = shell.run("tasks", "show", "T-1", "--json").json
    assert page["task"]["reason"] == "no longer wanted"
    done_by_me = [entry["kind"] for entry in page["timeline"] if entry["by"] == ME]
    assert done_by_me[:3] == ["RemarkMade", "RemarkMade", "TaskStopped"] and done_by_me.count("TaskCancelled") == 1
    assert shell.run("tasks", "--json").json == []
    assert len(shell.run("tasks", "--all", "--json").json) == 1


def test_the_queue_is_paused_and_resumed(shell: Shell) -> None:
    assert shell.run("queue", "status").out == "The queue is not paused. Waiting for their turn: no task.\n"
    for _ in range(2):
        assert shell.run("queue", "pause").out == "The queue is paused.\n"
    assert f"paused by {ME} since" in shell.run("queue", "status").out
    assert shell.run("queue", "status", "--json").json["paused_by"] == ME
    assert shell.run("queue", "resume").out == "The queue is not paused.\n"
    assert shell.run("queue", "status", "--json").json == {"paused_by": "", "paused_at": None, "waiting": []}


def test_a_decision_is_shown_and_made(shell: Shell) -> None:
    shell.ask("add login")
    shell.run("tasks", "stop", "T-1")
    [row] = shell.run("decisions", "--json").json
    id = row["decision"]["id"]
    assert (row["task"], row["yours"], row["decision"]["kind"]) == ("T-1", True, "stopped")
    assert id[:8] in shell.run("decisions").out
    shown = shell.run("decisions", "show", id[:6]).out
    assert id in shown and "resume" in shown
    assert shell.run("decisions", "show", id, "--json").json["decision"]["id"] == id
    assert "Choose one of: a resume, b cancel" in shell.run("decisions", "decide", id, "perhaps", code=1).err
    assert "--reason" in shell.run("decisions", "decide", id, "cancel", code=1).err
    assert shell.run("decisions", "decide", id[:6], "a").out == "Decided: a. T-1 is received.\n"
    assert "No open decision begins with" in shell.run("decisions", "decide", id, "a", code=1).err


def test_a_beginning_that_two_decisions_share_is_not_enough(shell: Shell) -> None:
    for number in (1, 2):
        shell.ask(f"request {number}")
        shell.run("tasks", "stop", f"T-{number}")
    assert "2 decisions begin with" in shell.run("decisions", "show", "", code=1).err
    for dashed in ("-abc", "--abc", "-hx"):
        assert f"begins with `{dashed}`" in shell.run("decisions", "show", dashed, code=1).err


def test_people_are_linked_named_and_given_logins(shell: Shell) -> None:
    shell.run("people", "link", f"cli:{ME}", "slack:T1:U1")
    shell.run("people", "name", "slack:T1:U1", "Ana")
    [person] = shell.run("people", "--json").json
    assert person["name"] == "Ana" and "slack:T1:U1" in person["accounts"] and "approver" in person["groups"]
    assert "Ana" in shell.run("people", "list").out
    assert "Nobody asks" in shell.run("people", "links").out and shell.run("people", "links", "--json").json == []
    assert "a person of its own again" in shell.run("people", "unlink", "slack:T1:U1").out
    assert "was not linked" in shell.run("people", "unlink", "slack:T1:U1", code=1).err
    first, second = shell.run("people", "token", "bo").out.strip(), shell.run("people", "token", "bo").out.strip()
    assert len(first) > 20 and first != second
    kept = b"".join(path.read_bytes() for path in shell.home.iterdir() if path.is_file())
    assert second.encode() not in kept, "only its hash is kept"
    assert "can no longer log in" in shell.run("people", "revoke", "bo").out
    assert "has no token" in shell.run("people", "revoke", "bo", code=1).err


def test_sessions_are_listed_and_ended(shell: Shell) -> None:
    token = shell.run("people", "token", "bo").out.strip()
    assert "Nobody is signed in." in shell.run("people", "sessions").out
    now = datetime.now(UTC)
    begun = [
        Session(key=hash_of(each), login="bo", began_at=now, until=now + timedelta(days=1), address=each)
        for each in ("10.0.0.1", "10.0.0.2")
    ]
    with closing(Database(f"sqlite:///{shell.home / 'overlord.db'}")) as database:
        for each in begun:
            assert asyncio.run(database.write(partial(_begin, each, hash_of(token))))
    listed = shell.run("people", "sessions", "bo", "--json").json
    assert {each["id"] for each in listed} == {each.id for each in begun}
    assert not any(each.key in str(listed) for each in begun), "its key is not shown"
    assert "10.0.0.1" in shell.run("people", "sessions").out
    assert "Nobody is signed in." in shell.run("people", "sessions", "ana").out
    assert "is signed out, 1 session." in shell.run("people", "sign-out", "bo", begun[0].id).out
    assert "no such session" in shell.run("people", "sign-out", "bo", begun[0].id, code=1).err
    assert "is signed out, 1 session." in shell.run("people", "sign-out", "bo").out
    assert "no such session" in shell.run("people", "sign-out", "bo", code=1).err


def _begin(session: Session, token_hash: str, tx: Transaction) -> bool:
    return tx.sessions.begin(session, token_hash)


def test_the_slack_manifest_has_what_the_bot_needs(shell: Shell) -> None:
    data = shell.run("manifest", "slack", "--name", "Boss", "--command", "boss", "--json").json
    assert data["display_information"]["name"] == data["features"]["bot_user"]["display_name"] == "Boss"
    assert data["features"]["slash_commands"][0]["command"] == "/boss"
    assert data["settings"]["socket_mode_enabled"] and data["settings"]["interactivity"]["is_enabled"]
    assert data["features"]["app_home"]["home_tab_enabled"]
    assert 174 <= len(data["display_information"]["long_description"]) <= 4000
    assert len(data["display_information"]["description"]) <= 140
    assert set(data["oauth_config"]["scopes"]["bot"]) == {
        *("app_mentions:read", "chat:write", "im:history", "im:read", "im:write", "channels:history"),
        *("groups:history", "mpim:history", "reactions:read", "reactions:write", "users:read", "usergroups:read"),
        *("commands", "files:write", "metadata.message:read", "channels:read", "groups:read", "mpim:read"),
    }
    assert set(data["settings"]["event_subscriptions"]["bot_events"]) == {
        *("app_mention", "message.im", "message.channels", "message.groups", "message.mpim"),
        *("reaction_added", "app_home_opened", "message_metadata_posted"),
    }


def test_the_slack_manifest_without_socket_mode_says_where_slack_calls(shell: Shell) -> None:
    data = shell.run("manifest", "slack", "--url", "https://bot.example/", "--json").json
    assert data["settings"]["socket_mode_enabled"] is False
    assert data["settings"]["event_subscriptions"]["request_url"] == "https://bot.example/slack/events"
    assert "https://" in shell.run("manifest", "slack", "--url", "http://bot.example", code=1).err


def test_the_discord_manifest_counts_as_discord_does(shell: Shell) -> None:
    import discord

    data = shell.run("manifest", "discord", "--client-id", "42", "--json").json
    permissions = discord.Permissions(**dict.fromkeys(data["bot"]["permissions"], True))
    named = (name.replace("direct_message_", "dm_").replace("direct_", "dm_") for name in data["bot"]["intents"])
    intents = discord.Intents(**{name.replace("guild_message_r", "guild_r"): True for name in named})
    assert data["bot"]["permissions_integer"] == permissions.value
    assert data["bot"]["intents_integer"] == intents.value
    assert f"client_id=42&scope=bot+applications.commands&permissions={permissions.value}" in data["invite"]
    command = data["commands"][0]
    assert re.fullmatch(r"[a-z0-9_-]{1,32}", command["name"])
    assert all(len(part["description"]) <= 100 for part in (command, *command["options"]))


@pytest.mark.parametrize("portal", ["slack", "discord"])
def test_a_printed_manifest_is_yaml_on_one_line_a_value(shell: Shell, portal: str) -> None:
    from agents.catalog.yaml import parse_yaml

    printed = shell.run("manifest", portal).out
    assert parse_yaml(printed, name="printed").data == shell.run("manifest", portal, "--json").json


def test_json_is_json_on_everything_that_lists(shell: Shell) -> None:
    for words in (
        ["tasks"],
        ["tasks", "list"],
        ["decisions"],
        ["decisions", "list"],
        ["people"],
        ["people", "list"],
        ["people", "sessions"],
        ["proposals"],
    ):
        assert isinstance(json.loads(shell.run(*words, "--json").out), list)
