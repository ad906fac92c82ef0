"""What models give tools: taken where the meaning is plain, else answered with what to write."""

import json
from typing import Any

import pytest

from agents.minions.engines.builtin.arguments import BadArguments, meant_name, no_such_tool, read_arguments, read_object
from agents.minions.engines.builtin.tools import TOOLS
from agents.ports import Said, ToolCall
from tests.minions.field import DONE, Field


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("read_file", {"file_path": "a.py"}, {"path": "a.py"}),
        ("read_file", {"Path": "a.py", "first_line": "3", "last_line": 5.0}, {"first_line": 3, "last_line": 5}),
        ("read_file", {"path": "a.py", "first_line": None}, {"first_line": 1}),
        ("read_file", {"arguments": {"path": "a.py"}}, {"path": "a.py"}),
        ("edit_file", {"path": "a", "old_string": "x", "new_str": "y", "replace_all": "true"}, {"old": "x"}),
        ("run_command", {"cmd": "ls", "timeout": "20", "description": "looks"}, {"command": "ls", "timeout": 20.0}),
        ("request_scope", {"path": "a.py", "why": "it is there"}, {"paths": ("a.py",)}),
        ("request_scope", {"paths": '["a.py", "b.py"]', "why": "both"}, {"paths": ("a.py", "b.py")}),
        ("ask_human", {"question": "Which?", "options": "a"}, {"options": ("a",)}),
        ("task_blocked", {"reason": "no database"}, {"reason": "no database"}),
    ],
)  # fmt: skip
def test_what_is_plain_is_taken(tool: str, given: dict[str, Any], meant: dict[str, Any]) -> None:
    made = read_arguments(tool, TOOLS[tool].takes, given)
    assert {name: getattr(made, name) for name in meant} == meant


@pytest.mark.parametrize(
    ("tool", "given", "told"),
    [
        ("read_file", {}, "path: Field required"),
        ("write_file", {"path": "a", "content": "x", "append": True}, "append: Extra inputs"),  # it would overwrite
        ("read_file", {"path": 3}, "valid string"),
        ("read_file", {"path": "a", "file": "b"}, "file: Extra inputs"),
        ("read_file", {"path": "a", "first_line": "the top"}, "first_line"),
        ("read_file", {"path": "a", "first_line": 2.5}, "first_line"),
    ],
)
def test_what_is_not_plain_is_answered_with_how_to_call_it(tool: str, given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadArguments) as bad:
        read_arguments(tool, TOOLS[tool].takes, given)
    assert told in str(bad.value) and f"{tool} needs " in str(bad.value)


def test_an_object_that_is_written_down_twice_is_one() -> None:
    assert read_object(json.dumps('{"path": "a"}')) == {"path": "a"}
    assert read_object("null") == {}
    for text in ("[]", "3", '"words"', "{", '{"a": 1, "a": 2}'):
        with pytest.raises(BadArguments, match="Send one"):
            read_object(text)


@pytest.mark.parametrize(
    "text",
    [
        "{'path': 'a', 'all': True}",
        '{"path": "a", "all": True,}',
        '{path: "a", all: true}',
        '{"path": "a", /* every place */ "all": true}',
    ],
)
def test_what_is_nearly_json_is_read(text: str) -> None:
    assert read_object(text) == {"path": "a", "all": True}


def test_what_python_writes_is_read_to_the_letter() -> None:
    given = {"path": "a", "old": 'it\'s "so"\n', "new": "back\\slash"}
    assert read_object(repr(given)) == given


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a", "content": "\\d+",}',
        '{"path": "a", "content": "x = "1""}',
        "{'path': 'a', 'content': 'it's'}",
        "{'path': 'a', 'content': '\\x41'}",
        '{"path": "a",} and so on',
        '{"path": "a", "path": "b",}',
        '{"path": "a", "content": "cut o',
    ],
)
def test_what_would_have_to_be_guessed_is_not_read(text: str) -> None:
    """A file is written to the letter."""
    with pytest.raises(BadArguments, match="Send one"):
        read_object(text)


def test_a_name_is_known_in_other_case_and_what_is_none_is_answered_with_what_there_is() -> None:
    for name in ("Read_File", "readFile", "read-file", "functions.read_file", "default_api:read_file"):
        assert meant_name(name, TOOLS) == "read_file"
    assert meant_name("launch_rockets", TOOLS) == "launch_rockets"
    assert "Did you mean edit_file?" in no_such_tool("edit", TOOLS)
    assert "Did you mean" not in no_such_tool("zzz", TOOLS) and "run_command" in no_such_tool("zzz", TOOLS)


async def test_all_of_it_in_one_turn_does_what_was_meant(ground: Field) -> None:
    twice = {"file_path": "shortlinks/n.py", "contents": "x = 1"}
    said = Said(
        text="",
        calls=(
            ToolCall(id="a", name="functions.Write_File", arguments=json.dumps(json.dumps(twice))),
            ToolCall(id="b", name="ReadFile", arguments='{"filename": "shortlinks/n.py"}'),
        ),
    )  # fmt: skip
    _, talker = await ground.run(said, DONE)
    told = [str(message["content"]) for message in talker.heard[1] if message["role"] == "tool"]
    assert "is written" in told[0] and "x = 1" in told[1]
    assert [call["function"]["name"] for call in talker.heard[1][2]["tool_calls"]] == ["Write_File", "ReadFile"]
