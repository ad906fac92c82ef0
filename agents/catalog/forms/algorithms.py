"""Contexts as other tools write them: an `algorithm` of steps, each of which gathers what an input of ours gathers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from agents.catalog.validation import Name, pattern, written_as
from agents.domain.context.packing import Part, secret_path
from agents.domain.context.strategy import MEASURES, Condition, Input
from agents.domain.context.variables import INCLUDED, VARIABLES

MOST_STEPS = 20
INPUT_NAMES: dict[str, Input] = {"target_file": Input.TARGETS, "target_files": Input.TARGETS}
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_IMPORTS = re.compile(r"\bimport_?resolver\b|\bresolve_?imports?\b")
_DIFFERENCE = re.compile(r"git diff( --(?:cached|staged))?( HEAD)?")


class Style(StrEnum):
    """Other tools write a pack in one of several forms. Ours has one, whose headings no file can imitate."""

    XML = "xml"
    MARKDOWN = "markdown"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What one step gathers. `refers`: to inputs, or to what earlier steps gathered."""

    inputs: tuple[Input, ...] = ()
    include: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()
    output: str = ""
    condition: Condition | None = None
    ahead: bool = False


def _refuse_secrets(written: str) -> str:
    if secret_path(written):
        raise ValueError(f"`{written[:60]}` may hold secrets, and those are never read. Leave it out.")
    return written


def _named_or_path(written: str) -> str:
    matches_paths: Any = pattern("docs/**/*.md").func
    return written if written in INCLUDED or _VARIABLE.fullmatch(written) else str(matches_paths(written))


_Read = Annotated[str, AfterValidator(_named_or_path), AfterValidator(_refuse_secrets)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPacking:
    include: Annotated[tuple[_Read, ...], Field(min_length=1, max_length=30)]
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenStep:
    command: str = ""
    output: Name = ""
    repomix: WrittenPacking | None = None
    prepend: Annotated[bool, Strict()] = False
    condition: Annotated[Condition | None, Field(alias="if")] = None

    def meaning(self) -> Gathered:
        if bool(self.command.strip()) == bool(self.repomix):
            raise ValueError("a step gathers one thing. Write `command:` or `repomix:`.")
        how: dict[str, Any] = {"output": self.output, "condition": self.condition, "ahead": self.prepend}
        if self.repomix:
            named = [found[1] for each in self.repomix.include if (found := _VARIABLE.fullmatch(each))]
            paths = [each for each in self.repomix.include if not each.startswith("$")]
            inputs = [VARIABLES[each] for each in self.repomix.include if each in VARIABLES]
            return Gathered(refers=tuple(named), include=tuple(paths), inputs=tuple(inputs), **how)
        refers = tuple(_VARIABLE.findall(self.command))
        return Gathered(inputs=(_gathered_by(self.command.strip()),), refers=refers, **how)


def _gathered_by(command: str) -> Input:
    """No command is run: of two kinds we gather ourselves what they would print."""
    if _IMPORTS.search(command):
        return Input.IMPORTS
    if _DIFFERENCE.fullmatch(command):
        return Input.GIT_DIFF
    raise ValueError(
        "no command is run to gather a context. Write one that resolves imports or shows the `git diff`: those we "
        "gather ourselves. Or name a file that holds what it prints under `repomix: {include: […]}`."
    )


def _in_order(steps: Mapping[str, Gathered]) -> tuple[Gathered, ...]:
    """What a step refers to must be there when it comes."""
    known: set[str] = {*Input, *INPUT_NAMES}
    order = [steps[name] for name in sorted(steps, key=_place_of)]
    for step in order:
        if lost := [name for name in step.refers if name not in known]:
            listed = ", ".join(sorted({*INPUT_NAMES, *(each.output for each in order if each.output)}))
            raise ValueError(f"`${{{lost[0][:60]}}}` is gathered by no step before it. Write one of {listed}.")
        known |= {step.output} if step.output else set()
    return tuple(order)


def _place_of(name: str) -> tuple[int, str]:
    number = re.match(r"\d+", name)
    return (int(number[0]) if number else 0, name)


def _steps_only(written: object) -> object:
    if not isinstance(written, Mapping) or not written:
        raise ValueError("it has no steps. Write such as `1_changes: {command: git diff --cached, if: git_diff}`.")
    return written


_Step = Annotated[Gathered, written_as(WrittenStep, WrittenStep.meaning)]
_Steps = Annotated[
    Mapping[Annotated[str, Field(max_length=60)], _Step], Field(max_length=MOST_STEPS), BeforeValidator(_steps_only)
]
Algorithm = Annotated[tuple[Gathered, ...], written_as(_Steps, _in_order)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathers:
    """What all steps of an algorithm gather."""

    inputs: tuple[Input, ...] = ()
    conditions: Mapping[Input, Condition] = field(default_factory=dict)
    include: tuple[str, ...] = ()
    ahead: tuple[Part, ...] = ()


def gathers(steps: Sequence[Gathered]) -> Gathers:
    pairs = [(each, step) for step in steps for each in (*step.inputs, *_named(step))]
    return Gathers(
        inputs=tuple(dict.fromkeys(each for each, _ in pairs)),
        conditions={each: step.condition for each, step in pairs if step.condition},
        include=tuple(path for step in steps for path in step.include),
        ahead=tuple(dict.fromkeys(MEASURES[each].part for each, step in pairs if step.ahead)),
    )


def _named(step: Gathered) -> Iterator[Input]:
    for name in step.refers:
        if name in INPUT_NAMES or name in [*Input]:
            yield INPUT_NAMES.get(name) or Input(name)
