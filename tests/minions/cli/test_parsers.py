"""What the programs print, as they were seen to, for every kind of ending; and what nobody should ever print."""

import json

import pytest
from hypothesis import given, strategies as st

from agents.domain.workflow.roles import EngineName
from agents.minions.by_role import PROGRAMS
from agents.minions.engines.cli.claude import CLAUDE
from agents.minions.engines.cli.codex import CODEX
from agents.minions.engines.cli.gemini import GEMINI
from agents.minions.engines.cli.program import Cli, End, read_output
from agents.ports import Act


def lines(*events: object) -> str:
    return "\n".join(event if isinstance(event, str) else json.dumps(event) for event in events)


def said(text: str) -> dict[str, object]:
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}, {"type": "tool_use"}]}}


def result(**more: object) -> dict[str, object]:
    return {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", **more}


ENDINGS: list[tuple[Cli, str, End]] = [
    (CLAUDE, lines({"type": "system"}, said("Look."), result()), End(over=True, text="Done.")),
    (
        CLAUDE,  # an error of its provider comes as a success
        lines(result(is_error=True, api_error_status=429, result="API Error: 429")),
        End(text="API Error: 429", problem="API Error: 429", status=429),
    ),
    (
        CLAUDE,  # these have no result at all
        lines(said("Half."), {"type": "result", "subtype": "error_max_turns", "is_error": False}),
        End(text="Half.", problem="error_max_turns"),
    ),
    (
        CLAUDE,
        lines({"type": "result", "subtype": "error_during_execution", "errors": ["a", "b"]}),
        End(problem="a; b"),
    ),
    (
        CLAUDE,  # a refused write, and success all the same
        lines(result(permission_denials=[{"tool_name": "Edit"}])),
        End(over=True, text="Done.", denied=["Edit"]),
    ),
    (CLAUDE, lines(said("Cut"), '{"type":"result","subty'), End(text="Cut")),
    (
        CODEX,
        lines(
            "Reading additional input from stdin...",
            {"type": "thread.started"},
            {"type": "item.completed", "item": {"type": "error", "message": "only a warning"}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "Done."}},
            {"type": "turn.completed", "usage": {}},
        ),
        End(over=True, text="Done."),
    ),
    (
        CODEX,  # an error on the way is not the end
        lines({"type": "error", "message": "Reconnecting... 1/5"}, {"type": "turn.completed"}),
        End(over=True),
    ),
    (
        CODEX,
        lines({"type": "error", "message": "stream disconnected"}, {"type": "turn.failed", "error": {}}),
        End(problem="stream disconnected"),
    ),
    (
        CODEX,
        lines({"type": "turn.failed", "error": {"message": "unexpected status 401"}}),
        End(problem="unexpected status 401"),
    ),
    (
        CODEX,
        lines(
            {"type": "item.completed", "item": {"type": "file_change", "status": "declined"}},
            {"type": "turn.completed"},
        ),
        End(over=True, denied=["file_change"]),
    ),
    (CODEX, lines({"type": "thread.started"}, "killed"), End()),
    (
        GEMINI,
        lines(
            {"type": "init"},
            {"type": "message", "role": "user", "content": "go"},
            {"type": "message", "role": "assistant", "content": "Do", "delta": True},
            {"type": "message", "role": "assistant", "content": "ne.", "delta": True},
            {"type": "result", "status": "success", "stats": {}},
        ),
        End(over=True, text="Done."),
    ),
    (
        GEMINI,
        lines(
            {"type": "error", "severity": "error", "message": "[API Error: 429]"}, {"type": "result", "status": "error"}
        ),
        End(problem="[API Error: 429]"),
    ),
    (
        GEMINI,
        lines({"type": "result", "status": "error", "error": {"type": "FatalTurnLimited", "message": "turn limit"}}),
        End(problem="turn limit"),
    ),
    (GEMINI, lines("YOLO mode is enabled.", "Error when talking to Gemini API"), End()),
]


@pytest.mark.parametrize(("cli", "output", "end"), ENDINGS)
def test_every_ending_is_read_for_what_it_is(cli: Cli, output: str, end: End) -> None:
    found, errors = read_output(cli, output)
    assert found == end and not errors


def test_its_error_channel_is_told_apart() -> None:
    end, errors = read_output(CODEX, lines({"type": "turn.completed"}, "stderr: one", "stderr: two"))
    assert end.over and errors == "one\ntwo"


@pytest.mark.parametrize("cli", PROGRAMS)
@given(
    st.lists(
        st.text(max_size=40)
        | st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(
                        ["type", "message", "item", "error", "errors", "result", "content", "role", "status"]
                    ),
                    inner,
                )
            ),
            max_leaves=10,
        ).map(json.dumps),
        max_size=6,
    )
)
def test_nothing_that_is_printed_can_stop_the_reading_or_look_like_an_end(cli: Cli, printed: list[str]) -> None:
    end, _ = read_output(cli, "\n".join(printed))
    assert not end.over and isinstance(end.text, str) and isinstance(end.problem, str)


@pytest.mark.parametrize(
    ("cli", "act", "words", "path"),
    [
        (CLAUDE, Act(name="Edit", arguments={"file_path": "a.py"}), "editing a.py", "a.py"),
        (CLAUDE, Act(name="Bash", arguments={"command": "ls"}), "running ls", ""),
        (CODEX, Act(name="apply_patch", arguments={"path": "a.py"}), "editing a.py", "a.py"),
        (CODEX, Act(name="exec_command", arguments={"cmd": "ls"}), "running ls", ""),
        (GEMINI, Act(name="replace", arguments={"file_path": "a.py"}), "editing a.py", "a.py"),
        (GEMINI, Act(name="new_tool"), "using new_tool", ""),
        (GEMINI, Act(name="read_file", arguments={"file_path": 3}), "reading", ""),
    ],
)
def test_what_it_does_is_told_in_words(cli: Cli, act: Act, words: str, path: str) -> None:
    assert (cli.describe(act), cli.path_written(act)) == (words, path)


def test_each_program_hides_what_would_give_it_orders() -> None:
    assert {cli.name for cli in PROGRAMS} == set(EngineName) - {EngineName.BUILTIN}
    assert all(cli.hidden and cli.tools for cli in PROGRAMS)
