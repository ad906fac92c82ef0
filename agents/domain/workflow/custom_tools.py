"""Commands of a project that a role may call as a tool of its own, with typed arguments."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel

from agents.domain.checks.scope import odd_path
from agents.domain.text.sanitize import cut

MOST_ARGUMENTS = 12
LONGEST_TEXT = 2_000  # characters of one argument
_PLACE = re.compile(r"\{([a-z][a-z0-9_]{0,59})\}")
_QUOTES = ("'", '"', "`")
# Where a shell reads what is quoted once more: what a command must not have anywhere, and what must not come before.
_NEVER = {"((": "in arithmetic", "[[": "in a test of bash", "<<": "where text is handed over with `<<`"}
_COMMENT = "in a comment"
_AFTER = {"\\": "after a backslash", "$": "after a dollar sign"}


class ArgumentType(StrEnum):
    """What a model may hand over."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    PATH = "path"  # in the workspace
    CHOICE = "choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    type: ArgumentType = ArgumentType.STRING
    description: str = ""
    choices: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomTool:
    """`{name}` in the command is where an argument goes; one that has no place is appended as `--name value`."""

    name: str
    command: str
    description: str = ""
    arguments: Mapping[str, Argument] = field(default_factory=dict)


class BadArgument(Exception):
    """Says what cannot be handed to a command."""


def odd_tool(tool: CustomTool) -> str:
    """What is wrong with a tool, and what to write instead; empty if nothing is."""
    for name in _PLACE.findall(tool.command):
        if name not in tool.arguments:
            return f"`{{{name}}}` in its command is no argument. Add `{name}: string` under `arguments:`."
    if problem := _odd_quotes(tool):
        return problem
    for name, argument in tool.arguments.items():
        if name.startswith("model_") and hasattr(BaseModel, name):  # what is handed over is made a model of
            return (
                f"`{name}` cannot be the name of an argument. Choose another, such as `{name.removeprefix('model_')}`."
            )
        if (argument.type is ArgumentType.CHOICE) != bool(argument.choices):
            return f"the choices of `{name}` and its type do not agree. Write `type: choice` and a list of `choices:`."
    return ""


def _odd_quotes(tool: CustomTool) -> str:
    """A quoted value is safe as a word, or a part of one, and nowhere else: in quotes it would be code to the shell."""
    *placed, (_, end) = _places(f"{tool.command} {{end}}")
    if end in _QUOTES:
        return "a quote in its command is not closed. Close it."
    bare = next((name for name in tool.arguments if f"{{{name}}}" not in tool.command), "")
    for name, inside in (*placed, *([(bare, end)] if bare else [])):
        if inside in _QUOTES:
            return f"`{{{name}}}` stands in quotes. Write it without them: every argument is quoted by itself."
        if inside:
            where = f"`{{{name}}}` stands where quotes do not hold: {_COMMENT if inside == '#' else inside}"
            return f"{where}. Write it as a word of its own, or let a script of the project take it."
    return ""


def _places(command: str) -> Iterator[tuple[str, str]]:
    """Each argument, and what it stands in: a quote, something else that no quotes hold in, or nothing."""
    anywhere = next((why for mark, why in _NEVER.items() if mark in command), "")
    quote, at = "", 0
    while at < len(command):
        if found := _PLACE.match(command, at):
            yield found[1], quote or anywhere or _AFTER.get(command[at - 1 : at], "")
            at = found.end()
            continue
        char = command[at]
        if char == "\\" and quote not in ("'", "#"):
            at += 1 if _PLACE.match(command, at + 1) else 2
            continue
        if quote:
            quote = "" if char == ("\n" if quote == "#" else quote) else quote
        elif char in _QUOTES or (char == "#" and not command[at - 1 : at].strip(" \t\n;&|()")):
            quote = char
        at += 1


def command_line(tool: CustomTool, given: Mapping[str, object]) -> str:
    """For a shell, each value quoted. Raises BadArgument."""
    said = {name: _quoted(name, tool.arguments[name], value) for name, value in given.items() if value is not None}
    placed = frozenset(_PLACE.findall(tool.command))
    line = _PLACE.sub(lambda found: said.get(found[1], ""), tool.command)
    for name, argument in tool.arguments.items():
        if name in placed or name not in said:
            continue
        flag = f"--{name.replace('_', '-')}"
        if argument.type is ArgumentType.BOOLEAN:
            line += f" {flag}" if given[name] else ""
        else:
            line += f" {flag} {said[name]}"
    return line


def _quoted(name: str, argument: Argument, value: object) -> str:
    """Nothing that a program would take for an option of its own, and no way out of the workspace."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    if "\0" in text:
        raise BadArgument(f"`{name}` has a NUL character.")
    if text.startswith("-"):
        raise BadArgument(f"`{name}` begins with a dash, and a program would take it for an option.")
    if argument.type is ArgumentType.PATH and text != "." and (problem := odd_path(text)):
        raise BadArgument(f"`{name}` is no path of the workspace: {problem}.")
    if argument.choices and text not in argument.choices:
        raise BadArgument(f"`{name}` is one of {', '.join(argument.choices)}.")
    return shlex.quote(text)


def how_to_declare(name: str) -> str:
    """The form of a tool that nobody declared."""
    shown = cut(name, 60)
    return (
        f"Declare it under `tools:` of the role, of a pack or of overlord.yaml: "
        f"`{shown}: {{command: …, description: …, arguments: {{name: string}}}}`."
    )
