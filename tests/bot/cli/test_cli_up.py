"""`overlord up` and `overlord doctor`: the whole program started, looked at and stopped by its signals."""

import json
import re
import signal
import socket
import sqlite3
import urllib.request
from pathlib import Path

import pytest

from tests.builders.shell import ME, Shell
from tests.builders.started import said, up


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_what_runs_and_stops_when_asked(shell: Shell, number: signal.Signals) -> None:
    strangers = shell.folder / "overlord.yaml"
    strangers.write_text("console: {channels: [theirs]}\n")
    shell.home.mkdir(mode=0o755)
    with up(shell, OVERLORD_APPROVERS="slack:T1:U1") as (process, lines):
        assert said(lines, "Settings") == "none written; defaults and environment"
        assert said(lines, "Warning").startswith(
            f"{strangers}: this settings file is not read, because nobody accepted"
        )
        assert shell.home.stat().st_mode & 0o077 == 0
        url = said(lines, "Console")
        assert re.fullmatch(r"http://127\.0\.0\.1:[1-9]\d+", url)
        assert said(lines, "Database") == f"SQLite, {shell.home}/overlord.db"
        assert said(lines, "Platforms") == "console"
        assert f"cli:{ME}" in said(lines, "Approvers") and "slack:T1:U1" in said(lines, "Approvers")
        with urllib.request.urlopen(f"{url}/healthz", timeout=60) as reply:
            assert json.load(reply)["ok"] is True
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert all(isinstance(json.loads(line), dict) for line in err.splitlines()), "logs are JSON lines"


def test_the_command_line_acts_while_the_program_runs(shell: Shell) -> None:
    with up(shell):
        shell.ask("add login")
        assert shell.spawn("tasks", "stop", "T-1").out == "T-1 is paused.\n"
        assert shell.spawn("tasks", "resume", "T-1").out.startswith("T-1 is ")


def test_a_port_in_use_is_told_in_words(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = shell.spawn("up", "--port", port, code=1).err
        assert f"cannot listen on 127.0.0.1 port {port}" in told and "OVERLORD_CONSOLE_PORT" in told
        checks = doctor(shell, code=1, OVERLORD_CONSOLE_PORT=port)
        assert checks["console port"]["state"] == "fail"


def doctor(shell: Shell, code: int = 0, **environ: str) -> dict[str, dict[str, str]]:
    given = {"OVERLORD_CONSOLE_PORT": "0", **environ}
    return {check["name"]: check for check in shell.run("doctor", "--json", code=code, **given).json}


ENGINES = ("engine claude", "engine codex", "engine gemini")


def test_a_healthy_machine_passes(shell: Shell) -> None:
    checks = doctor(shell)
    assert list(checks) == [
        *("python", "packages", "clock", "git", "settings", "sandbox", "home", "disk", "console port", "platforms"),
        *("groups", "models", *ENGINES, "database reached", "database", "hash chains", "state equals replay"),
        *("tasks that stand still", "steps and models", "archive"),
    ]
    assert {name for name, check in checks.items() if check["state"] != "ok"} == {"groups", "models"}
    assert checks["sandbox"]["seen"] == "bubblewrap works, every wall holds"
    assert all(check["next_step"] for check in checks.values() if check["state"] != "ok")
    assert "nobody is named in approver" in shell.run("doctor", OVERLORD_CONSOLE_PORT="0").out


def test_its_own_port_is_known(shell: Shell) -> None:
    with up(shell) as (_, lines):
        port = said(lines, "Console").rpartition(":")[2]
        assert "Overlord runs on" in doctor(shell, OVERLORD_CONSOLE_PORT=port)["console port"]["seen"]


def test_every_settings_problem_is_a_check_of_its_own(shell: Shell) -> None:
    told = shell.run("doctor", "--json", code=1, OVERLORD_SANDBOX="none", OVERLORD_APPROVERS="*").json
    failed = [check["seen"] for check in told if check["state"] == "fail"]
    assert len(failed) == 2 and all("OVERLORD_" in seen for seen in failed)


def test_a_missing_sandbox_is_told_with_what_to_install(shell: Shell) -> None:
    bare = shell.folder / "bin"
    bare.mkdir()
    (bare / "git").symlink_to("/usr/bin/git")
    told = doctor(shell, code=1, PATH=str(bare))["sandbox"]
    assert told["state"] == "fail" and "bubblewrap: not installed" in told["seen"]
    assert "apt install bubblewrap" in told["next_step"]


def test_a_missing_git_is_told(shell: Shell) -> None:
    bare = shell.folder / "bin"
    bare.mkdir()
    assert doctor(shell, code=1, PATH=str(bare))["git"]["state"] == "fail"


def test_a_folder_that_others_read_is_a_warning(shell: Shell) -> None:
    shell.home.mkdir(mode=0o755)
    shell.home.chmod(0o755)
    told = doctor(shell)["home"]
    assert told["state"] == "warn" and f"chmod 700 {shell.home}" in told["next_step"]


def test_a_log_that_was_changed_by_hand_is_found(shell: Shell) -> None:
    shell.ask("add login")
    with sqlite3.connect(shell.home / "overlord.db") as db:
        for (guard,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {guard}")
        db.execute("UPDATE words SET text = replace(text, 'login', 'logout')")
    told = doctor(shell, code=1)["hash chains"]
    assert told["state"] == "fail" and "T-1" in told["seen"]


def test_a_database_that_does_not_answer_is_told_in_words(shell: Shell) -> None:
    url = "postgresql://overlord:hunter2secret@127.0.0.1:1/overlord"
    told = doctor(shell, code=1, OVERLORD_DATABASE_URL=url)["database"]
    assert told["state"] == "fail" and told["next_step"]
    err = shell.run("tasks", code=1, OVERLORD_DATABASE_URL=url).err
    assert "database" in err and "hunter2secret" not in err + told["seen"]


def test_a_quick_look_does_not_go_through_the_facts(shell: Shell) -> None:
    answer = shell.run("doctor", "--json", "--offline", "--quick", OVERLORD_CONSOLE_PORT="0")
    quick = {check["name"]: check for check in answer.json}
    assert "--quick" in quick["facts"]["seen"] and "hash chains" not in quick and "database" in quick
