"""Calls that a model wrote into its text: the forms that servers leave there, and what is none."""

import json

import pytest
from hypothesis import given, strategies as st

from agents.domain.text.written_calls import read_written_calls

TOOLS = ("read_file", "write_file", "run_command", "task_complete")
CALL = '{"name": "read_file", "arguments": {"path": "a.py"}}'
TAGGED = f"<tool_call>\n{CALL}\n</tool_call>"
READ = ("read_file", {"path": "a.py"})

FORMS: dict[str, str] = {
    "a tag": TAGGED,
    "a tag with Python in it": "<tool_call>{'name': 'read_file', 'arguments': {'path': 'a.py'}}</tool_call>",
    "a tag that does not end": f"<tool_call>\n{CALL}",
    "a tag and a namespace": f"<minimax:tool_call>{CALL}</minimax:tool_call>",
    "tags for fields": "<tool_call>\n<function=read_file>\n<parameter=path>\na.py\n</parameter>\n"
    "</function>\n</tool_call>",
    "a function with an object": '<function=read_file>{"path": "a.py"}</function>',
    "invoke": '<function_calls>\n<invoke name="read_file">\n<parameter name="path">a.py</parameter>\n'
    "</invoke>\n</function_calls>",
    "keys and values": "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.py</arg_value>\n</tool_call>",
    "a list in brackets": f"[TOOL_CALLS][{CALL}]",
    "a name in brackets": '[TOOL_CALLS]read_file[ARGS]{"path": "a.py"}',
    "signs of its own": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n"
    '```json\n{"path": "a.py"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "a sign of Python": '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.py"}}',
    "a fence": f"```json\n{CALL}\n```",
    "JSON alone": '{"tool": "read_file", "tool_input": {"path": "a.py"}}',
    "JSON with all in one": '{"tool": "read_file", "path": "a.py"}',
    "as it should have been sent": json.dumps(
        {"tool_calls": [{"id": "x", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}]}
    ),
    "an action": 'Action: read_file\nAction Input: {"path": "a.py"}',
    "after thoughts": f"<think>Or rather {TAGGED}? No.</think>\n{TAGGED}",
}  # fmt: skip


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_a_call_is_read_however_it_is_written(text: str) -> None:
    assert read_written_calls(text, TOOLS)[1] == [READ]


def test_several_are_read_in_their_order_and_what_was_said_before_stays() -> None:
    before, calls = read_written_calls(f"I look at both.\n\n{TAGGED}\n{TAGGED.replace('a.py', 'b.py')}\n", TOOLS)
    assert before == "I look at both." and [given["path"] for _, given in calls] == ["a.py", "b.py"]


def test_what_a_file_shall_hold_is_kept_to_the_letter() -> None:
    text = "x = {'a': 1}\n\n```\n<b>&amp;</b>\n```\n"
    fields = f'<parameter name="path">a</parameter><parameter name="content">{text}\n</parameter>'
    written = json.dumps({"name": "functions.write_file", "arguments": {"path": "a", "content": text}})
    for said in (f'<invoke name="write_file">{fields}</invoke>', f"<tool_call>{written}</tool_call>"):
        ((_, made),) = read_written_calls(said, TOOLS)[1]
        assert made == {"path": "a", "content": text}


NONE: dict[str, str] = {
    "words": "I read a.py, and all is well.",
    "nothing": "",
    "quoted": f"The file says {TAGGED}, and I leave it at that.",
    "in thoughts": f"<think>{TAGGED}",
    "cut off": TAGGED[:40],
    "a tool that it was not given": TAGGED.replace("read_file", "open_door"),
    "one of two that is none": f"{TAGGED}\n{TAGGED.replace('read_file', 'open_door')}",
    "an answer": '{"answer_to": "x", "verdict": "proceed"}',
    "an answer with a name in it": '```json\n{"name": "demo", "version": "1"}\n```',
    "a field twice": "<function=read_file><parameter=path>a</parameter><parameter=path>b</parameter></function>",
    "a key twice": '{"name": "read_file", "arguments": {"path": "a", "path": "b"}}',
    "words between fields": "<function=read_file>so <parameter=path>a</parameter></function>",
    "words after it in a fence": f"```json\n{CALL}\n```\nThat is how it would be called.",
}


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_what_is_not_plainly_a_call_stays_as_it_was_said(text: str) -> None:
    assert read_written_calls(text, TOOLS) == (text, [])


PIECES = st.sampled_from(
    [TAGGED, CALL, *FORMS.values(), "<tool_call>", "</tool_call>", "<function=read_file>", "{", "```"]
)


@given(st.lists(PIECES | st.text(max_size=20), max_size=6))
def test_whatever_is_written_only_tools_that_were_given_are_called(pieces: list[str]) -> None:
    text = "".join(pieces)
    before, calls = read_written_calls(text, TOOLS)
    assert text.startswith(before) and all(name.rpartition(".")[2] in TOOLS for name, _ in calls)
