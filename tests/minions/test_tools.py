"""Each tool, through the engine, on real files and in the real sandbox."""

import asyncio

import pytest

from agents.domain.checks.scope import Scope, ScopeMode
from agents.domain.limits import Limits
from agents.domain.skills.skill import Skill
from agents.minions.engines.builtin.tools.commands import RunCommand, run_command
from tests.fakes.live import Audience
from tests.fakes.llm import ScriptedTalker
from tests.minions.field import DONE, Field, directory


async def test_a_file_is_read_whole_or_by_lines(ground: Field) -> None:
    (ground.root / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 5_001)))
    (ground.root / "empty.txt").write_text("")
    whole, part, beyond, empty, missing, folder, absolute = await ground.told(
        ("read_file", {"path": "a.txt"}),
        ("read_file", {"path": "./a.txt", "first_line": 10, "last_line": 12}),
        ("read_file", {"path": "a.txt", "first_line": 6_000}),
        ("read_file", {"path": "empty.txt"}),
        ("read_file", {"path": "b.txt"}),
        ("read_file", {"path": "shortlinks"}),
        ("read_file", {"path": f"{ground.root}/README.md"}),
    )
    assert whole.startswith("a.txt, lines 1-2000 of 5000:\nline 1\n") and "first_line 2001" in whole
    assert part == "a.txt, lines 10-12 of 5000:\nline 10\nline 11\nline 12\n"
    assert beyond == "a.txt has 5000 lines."
    assert empty.startswith("empty.txt, lines")
    assert missing.startswith("b.txt is not there. glob_files finds")
    assert "not a plain file" in folder
    assert "# shortlinks" in absolute


async def test_long_lines_unseen_characters_and_other_encodings_are_told(ground: Field) -> None:
    (ground.root / "long.txt").write_text("x" * 200_000)
    (ground.root / "odd.txt").write_text("a\x1b[31mred\u202e\x00\n")
    (ground.root / "latin.txt").write_bytes(b"\xe9\xff")
    long, odd, latin = await ground.told(
        ("read_file", {"path": "long.txt"}), ("read_file", {"path": "odd.txt"}), ("read_file", {"path": "latin.txt"})
    )
    assert len(long) < 35_000
    assert "\x1b" not in odd and "\u202e" not in odd and "unseen characters left out" in odd
    assert "not UTF-8" in latin


async def test_files_are_written_and_edited_exactly(ground: Field) -> None:
    code = ground.root / "shortlinks/codes.py"
    told = await ground.told(
        ("write_file", {"path": "shortlinks/deep/new.py", "content": "é = 1\n"}),
        ("edit_file", {"path": "shortlinks/codes.py", "old": "number", "new": "n"}),
        ("edit_file", {"path": "shortlinks/codes.py", "old": "not there", "new": "n"}),
        ("edit_file", {"path": "shortlinks/codes.py", "old": "number", "new": "n", "all": True}),
        ("edit_file", {"path": "shortlinks/codes.py", "old": "ALPHABET = ", "new": "LETTERS = ALPHABET = "}),
    )
    assert told[0] == "shortlinks/deep/new.py is written (7 bytes)."
    assert "stands 10 times" in told[1] and "does not stand" in told[2] and "in 10 places" in told[3]
    assert (ground.root / "shortlinks/deep/new.py").read_text() == "é = 1\n"
    assert "number" not in code.read_text() and "LETTERS = ALPHABET = " in code.read_text()


async def test_folders_are_listed_and_files_found(ground: Field) -> None:
    (ground.root / "link").symlink_to("/etc")
    listed, sources, named, none, below = await ground.told(
        ("list_directory", {}),
        ("glob_files", {"pattern": "shortlinks/*.py"}),
        ("glob_files", {"pattern": "test_*.py"}),
        ("glob_files", {"pattern": "*.rs"}),
        ("glob_files", {"pattern": "*.py", "path": "tests"}),
    )
    assert "shortlinks/" in listed.splitlines() and "link (a link; it is not followed)" in listed.splitlines()
    assert sources.splitlines()[0] == "shortlinks/__init__.py" and len(sources.splitlines()) == 5
    assert named.splitlines() == ["tests/test_cli.py", "tests/test_codes.py", "tests/test_service.py"]
    assert none == "No file matches."
    assert below.splitlines() == named.splitlines()


async def test_files_are_searched_in(ground: Field) -> None:
    found, none, case, only, broken, within = await ground.told(
        ("search_files", {"pattern": "class \\w+Store"}),
        ("search_files", {"pattern": "no such words"}),
        ("search_files", {"pattern": "LINKSTORE", "ignore_case": True, "glob": "test_*.py"}),
        ("search_files", {"pattern": "shortlinks", "glob": "*.toml"}),
        ("search_files", {"pattern": "(unclosed"}),
        ("search_files", {"pattern": "-e", "path": "tests"}),
    )
    assert found.strip() == "./shortlinks/store.py:16:class LinkStore:"
    assert none == "Nothing is found."
    assert "tests/test_service.py" in case
    assert {line.split(":")[0] for line in only.splitlines()} == {"./pyproject.toml"}
    assert broken.startswith("The search failed")
    assert within == "Nothing is found."
    for path in ("..", "/etc", "shortlinks/../.."):
        assert "Not searched" in (await ground.told(("search_files", {"pattern": "root", "path": path})))[0]


async def test_commands_run_in_the_workspace_with_a_limit(ground: Field) -> None:
    ground.limits = Limits(command_seconds=2)
    where, inside, out, long, code = await ground.told(
        ("run_command", {"command": "pwd; echo $MINION_SCOPE"}),
        ("run_command", {"command": "pwd", "cwd": "tests"}),
        ("run_command", {"command": "seq 1 100000"}),
        ("run_command", {"command": "echo begun; sleep 60", "timeout": 500}),
        ("run_command", {"command": "[[ a == b ]] || exit 7"}),
    )
    assert f"{ground.root}\n" in where and '{"mode": "directory", "patterns": ["shortlinks/**", "tests/**"]}' in where
    assert f"{ground.root}/tests\n" in inside
    assert len(out) < 33_000 and "characters left out" in out and "100000" in out
    assert "took too long" in long and "begun" in long
    assert code.startswith("Exit code 7")


async def test_one_sandbox_serves_all_commands_of_a_run(ground: Field) -> None:
    first, second = await ground.told(
        ("run_command", {"command": "echo kept > /tmp/kept"}), ("run_command", {"command": "cat /tmp/kept"})
    )
    assert first.startswith("Exit code 0") and second.endswith("kept\n")


async def test_a_working_folder_outside_is_refused(ground: Field) -> None:
    (ground.root / "out").symlink_to("/usr")
    for cwd in ("/etc", "..", "out", "shortlinks/../..", "nowhere"):
        (told,) = await ground.told(("run_command", {"command": "pwd", "cwd": cwd}))
        assert "Exit code" not in told, cwd


async def test_skills_are_listed_and_used(ground: Field) -> None:
    ground.skills = (
        Skill(name="add-a-command", description="How commands are added.", version="1", instructions="1. Do this."),
    )
    listed, used, unknown = await ground.told(
        ("list_skills", {}), ("use_skill", {"name": "add-a-command"}), ("use_skill", {"name": "x"})
    )
    assert listed.startswith("add-a-command") and "How commands are added." in listed
    assert used.endswith("1. Do this.") and "no such skill" in unknown
    assert ground.progress[-1].skills == ("add-a-command",)
    ground.skills = ()
    assert await ground.told(("list_skills", {})) == ["There are no skills."]


async def test_questions_are_checked(ground: Field) -> None:
    told = await ground.told(
        ("ask_human", {"question": "x" * 3_000}),
        ("ask_human", {"question": "a or b?", "options": ["a", "b"], "default": "c"}),
        ("request_scope", {"paths": ["shortlinks/x.py"], "why": "because"}),
        ("request_scope", {"paths": ["**"], "why": "because"}),
        ("request_scope", {"paths": ["*/**"], "why": "because"}),
        ("request_scope", {"paths": ["**/*.*"], "why": "because"}),
        ("request_scope", {"paths": ["src/\u202egpj.py"], "why": "because"}),
        ("request_scope", {"paths": ["../x"], "why": "because"}),
        ("list_skills", {}),
    )
    assert "at most 2000" in told[0] and "one of the options" in told[1]
    assert told[2] == "You may write these already."
    assert all("Name the paths" in each for each in told[3:6])
    assert "cannot be asked for" in told[6] and "cannot be asked for" in told[7]


async def test_a_scope_that_cannot_be_read_lets_nothing_begin(ground: Field) -> None:
    """Never unrestricted by accident."""
    ground.scope = Scope(mode=ScopeMode.DIRECTORY, patterns=("../**",))
    outcome, talker = await ground.run()
    assert "MINION_SCOPE" in str(outcome) and talker.asked == []


async def test_every_write_is_checked_and_the_refusal_says_how_to_ask(ground: Field) -> None:
    ground.scope = directory("shortlinks/**")
    before = (ground.root / "README.md").read_text()
    written, edited, read = await ground.told(
        ("write_file", {"path": "README.md", "content": "mine"}),
        ("edit_file", {"path": "README.md", "old": "shortlinks", "new": "mine", "all": True}),
        ("read_file", {"path": "README.md"}),
    )
    for told in (written, edited):
        assert "README.md is outside what this subtask may write (shortlinks/**)" in told and "request_scope" in told
    assert before in read and (ground.root / "README.md").read_text() == before
    ground.scope = Scope(mode=ScopeMode.EXPLICIT, patterns=())
    assert "may write (nothing)" in (await ground.told(("write_file", {"path": "x", "content": "y"})))[0]
    ground.scope = Scope(mode=ScopeMode.UNRESTRICTED)
    assert "is written" in (await ground.told(("write_file", {"path": "x", "content": "y"})))[0]


async def test_what_looks_like_a_secret_does_not_reach_the_model(ground: Field) -> None:
    (ground.root / "notes.txt").write_text("the word is xyzzy")
    talker = ScriptedTalker([("read_file", {"path": "notes.txt"}), ("run_command", {"command": "cat notes.txt"})], DONE)
    engine = ground.engine(talker, redact=lambda text: text.replace("xyzzy", "…"))
    await engine.run(ground.brief(), ground.watch)
    assert "xyzzy" not in str(talker.heard)


async def test_a_command_is_seen_while_it_runs_and_its_result_is_whole(ground: Field) -> None:
    """What people see is a picture of now; what the model is given does not depend on it."""
    audience = Audience()
    slow = "pwd; printf '\\033[31mhalf way\\033[0m\\n'; until [ -e go ]; do sleep 0.05; done; seq 20000; echo over"
    talker = ScriptedTalker([("run_command", {"command": slow})], DONE)
    running = asyncio.create_task(ground.engine(talker).run(ground.brief(), ground.watch, audience))
    assert await audience.hears("half way") == ".\nhalf way\n"
    assert (audience.shown, audience.running) == ([slow], 1)
    assert not running.done()
    (ground.root / "go").touch()
    await asyncio.wait_for(running, 60)
    assert audience.running == 0 and audience.heard[-1].endswith("20000\nover\n")
    (result,) = [message["content"] for message in talker.heard[-1] if message["role"] == "tool"]
    assert f"{ground.root}\nhalf way\n1\n2\n" in result and result.endswith("20000\nover\n")


async def test_a_command_that_is_called_off_is_not_seen_any_more(ground: Field) -> None:
    audience = Audience()
    talker = ScriptedTalker([("run_command", {"command": "echo on; sleep 600"})], DONE)
    running = asyncio.create_task(ground.engine(talker).run(ground.brief(), ground.watch, audience))
    await audience.hears("on")
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert audience.running == 0


@pytest.mark.parametrize(
    ("command", "doing"),
    [
        ("/srv/home/environments/shop/1f/venv/bin/python -m pytest -q", "running python -m pytest -q"),
        ("cd web && /srv/home/a/b/npm test", "running cd web && npm test"),
        ("cat /etc/hosts src/a/b/c/d.py", "running cat /etc/hosts src/a/b/c/d.py"),
    ],
)
def test_what_it_runs_is_told_without_the_folders_of_the_machine(command: str, doing: str) -> None:
    assert run_command.doing(RunCommand(command=command)) == doing
