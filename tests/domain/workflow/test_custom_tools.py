"""Commands of a project as tools: what a model hands over is quoted, and cannot become an option or a way out."""

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from agents.domain.workflow.custom_tools import (
    Argument,
    ArgumentType,
    BadArgument,
    CustomTool,
    command_line,
    how_to_declare,
    odd_tool,
)

TEXT = Argument()
SIMULATE = CustomTool(
    name="simulate",
    command="python -m sim {scenario} --days {days}",
    arguments={
        "scenario": TEXT,
        "days": Argument(type=ArgumentType.INTEGER),
        "verbose": Argument(type=ArgumentType.BOOLEAN, required=False),
        "out_file": Argument(type=ArgumentType.PATH, required=False),
    },
)


def test_arguments_go_to_their_places_and_the_rest_is_appended_by_name() -> None:
    assert command_line(SIMULATE, {"scenario": "crash", "days": 3}) == "python -m sim crash --days 3"
    line = command_line(SIMULATE, {"scenario": "a b", "days": 3, "verbose": True, "out_file": "out/x.csv"})
    assert line == "python -m sim 'a b' --days 3 --verbose --out-file out/x.csv"
    assert "--verbose" not in command_line(SIMULATE, {"scenario": "a", "days": 3, "verbose": False})
    assert command_line(SIMULATE, {"scenario": "a", "days": 3, "out_file": None}).endswith("--days 3")
    in_place = CustomTool(
        name="x", command="run --fast={fast}", arguments={"fast": Argument(type=ArgumentType.BOOLEAN)}
    )
    assert [command_line(in_place, {"fast": each}) for each in (True, False)] == ["run --fast=true", "run --fast=false"]


@given(st.text(min_size=1).filter(lambda text: "\0" not in text and not text.startswith("-")))
def test_a_value_is_one_word_for_the_shell_whatever_is_in_it(value: str) -> None:
    line = command_line(CustomTool(name="x", command="run {a} end", arguments={"a": TEXT}), {"a": value})
    assert shlex.split(line) == ["run", value, "end"]


@pytest.mark.parametrize(
    ("argument", "value", "told"),
    [
        (TEXT, "--config=/etc/passwd", "begins with a dash"),
        (TEXT, "a\0b", "NUL"),
        (Argument(type=ArgumentType.PATH), "../other", "is no path of the workspace"),
        (Argument(type=ArgumentType.PATH), "/etc/passwd", "is no path of the workspace"),
        (Argument(type=ArgumentType.CHOICE, choices=("a", "b")), "c", "is one of a, b"),
    ],
)
def test_what_could_do_more_than_it_says_is_refused(argument: Argument, value: str, told: str) -> None:
    with pytest.raises(BadArgument, match=told):
        command_line(CustomTool(name="x", command="run", arguments={"a": argument}), {"a": value})


@pytest.mark.parametrize(
    ("command", "arguments", "told"),
    [
        ("run {scenaro}", {"scenario": TEXT}, "`{scenaro}` in its command is no argument"),
        ("run '{scenario}'", {"scenario": TEXT}, "`{scenario}` stands in quotes"),
        ('run "--name={scenario} -v"', {"scenario": TEXT}, "`{scenario}` stands in quotes"),
        (r"""run \"it\" 'a {scenario} b'""", {"scenario": TEXT}, "`{scenario}` stands in quotes"),
        ("run `find {scenario}`", {"scenario": TEXT}, "`{scenario}` stands in quotes"),
        ("run \\{scenario}", {"scenario": TEXT}, "after a backslash"),
        ("run ${scenario}", {"scenario": TEXT}, "after a dollar sign"),
        ("run $(( {scenario} + 1 ))", {"scenario": TEXT}, "in arithmetic"),
        ("[[ {scenario} -eq 1 ]]", {"scenario": TEXT}, "in a test of bash"),
        ("run <<END\n{scenario}\nEND", {"scenario": TEXT}, "handed over with `<<`"),
        ("run  # about {scenario}", {"scenario": TEXT}, "in a comment"),
        ("run  # all of it", {"scenario": TEXT}, "in a comment"),
        ("run 'it", {"scenario": TEXT}, "is not closed"),
        ("run {a}", {"a": Argument(choices=("x",))}, "do not agree"),
        ("run {a}", {"a": Argument(type=ArgumentType.CHOICE)}, "do not agree"),
        ("run {model_dump}", {"model_dump": TEXT}, "`model_dump` cannot be the name of an argument"),
        ("run {model_config}", {"model_config": TEXT}, "such as `config`"),
    ],
)
def test_a_tool_that_cannot_work_is_told(command: str, arguments: dict[str, Argument], told: str) -> None:
    assert told in odd_tool(CustomTool(name="x", command=command, arguments=arguments))


EVIL = (
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "; touch pwned #",
    "x\ntouch pwned",
)
COMMANDS = (
    "true {a}",
    "true --x={a}/y",
    "true '{a}'",
    'true "n {a} m"',
    "true \\{a}",
    "true ${a}",
    "true # {a}",
    "true # note",
    "true $(echo {a})",
    'true "$(echo {a})"',
    "echo `echo {a}`",
    "echo $(( {a} ))",
    "cat <<E\n{a}\nE",
    "true \\\\{a}",
    "true \\'{a}",
    "true 'it''s' {a}",
    "true a#{a}",
)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_no_value_is_run_by_a_real_shell(shell: str, tmp_path: Path) -> None:
    """Whatever a command looks like, it is refused, or what a model hands over stays a word."""
    taken = 0
    for command in COMMANDS:
        tool = CustomTool(name="x", command=command, arguments={"a": TEXT})
        if odd_tool(tool):
            continue
        taken += 1
        for value in EVIL:
            line = command_line(tool, {"a": value})
            subprocess.run([shell, "-c", line], cwd=tmp_path, capture_output=True, check=False, timeout=20)
            assert not [*tmp_path.iterdir()], (command, value)
    assert taken >= 5


def test_a_sound_tool_is_sound_and_the_form_of_one_is_told() -> None:
    assert not odd_tool(SIMULATE)
    assert "`simulate: {command: …, description: …, arguments: {name: string}}`" in how_to_declare("simulate")
