"""Generated programs: a package of a few functions, and tests of three kinds for each, with what they must give."""

import ast
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.bench.judge.families import FAMILIES, Family

PYPROJECT = """\
[project]
name = "{0}"
version = "1.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
"""
CONFTEST = """\
import json
from pathlib import Path

import pytest


@pytest.fixture
def cases():
    return lambda name: json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text())
"""
Case = tuple[tuple[Any, ...], Any]  # what a function is called with, and what it gives


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One function, and what is known of it."""

    family: Family
    direct: tuple[Case, ...]
    listed: tuple[Case, ...]
    in_data: tuple[Case, ...]

    @property
    def name(self) -> str:
        return self.family.name

    @property
    def known(self) -> tuple[Case, ...]:
        return (*self.direct, *self.listed, *self.in_data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    package: str
    units: tuple[Unit, ...]
    sources: dict[str, str] = field(default_factory=dict)  # of functions that are not as their family has them

    def files(self, **sources: str) -> dict[str, str]:
        """With other sources of some functions."""
        own = {**self.sources, **sources}
        files = {"README.md": f"# {self.package}\n", "pyproject.toml": PYPROJECT.format(self.package)}
        files |= {f"{self.package}/__init__.py": "", "tests/conftest.py": CONFTEST}
        for unit in self.units:
            files[self.module(unit)] = own.get(unit.name, unit.family.source)
            files |= self.tests(unit)
        return files

    def module(self, unit: Unit) -> str:
        return f"{self.package}/{unit.name}.py"

    def test_file(self, unit: Unit) -> str:
        return f"tests/test_{unit.name}.py"

    def data_file(self, unit: Unit) -> str:
        return f"tests/data/{unit.name}.json"

    def tests(self, unit: Unit) -> dict[str, str]:
        data = json.dumps([[list(given), wanted] for given, wanted in unit.in_data], indent=1)
        return {self.test_file(unit): test_text(self.package, unit), self.data_file(unit): data + "\n"}


def test_text(package: str, unit: Unit) -> str:
    name = unit.name
    lines = [f"import pytest\n\nfrom {package}.{name} import {name}\n"]
    for at, (given, wanted) in enumerate(unit.direct):
        lines.append(f"\ndef test_{name}_{at}():\n    assert {call(name, given)} == {wanted!r}\n")
    listed = "".join(f"        ({given!r}, {wanted!r}),\n" for given, wanted in unit.listed)
    lines.append(
        f'\n@pytest.mark.parametrize(\n    ("given", "wanted"),\n    [\n{listed}    ],\n)\n'
        f"def test_{name}_of(given, wanted):\n    assert {name}(*given) == wanted\n"
    )
    lines.append(
        f'\ndef test_{name}_in_data(cases):\n    for given, wanted in cases("{name}"):\n'
        f"        assert {name}(*given) == wanted\n"
    )
    return "\n".join(lines)


def call(name: str, given: Sequence[Any]) -> str:
    return f"{name}({', '.join(map(repr, given))})"


def function_of(name: str, source: str) -> Callable[..., Any]:
    """Of our own sources only."""
    space: dict[str, Any] = {}
    exec(compile(source, name, "exec"), space)
    made: Callable[..., Any] = space[name]
    return made


def make_program(rng: random.Random, count: int = 3) -> Program:
    families = rng.sample(FAMILIES, count)
    package = f"{rng.choice(('shop', 'tools', 'ledger', 'kit'))}_{rng.randint(10, 99)}"
    return Program(package=package, units=tuple(make_unit(rng, family) for family in families))


def make_unit(rng: random.Random, family: Family) -> Unit:
    function = function_of(family.name, family.source)

    def cases(many: int) -> tuple[Case, ...]:
        drawn = {repr(given): given for given in (family.draw(rng) for _ in range(many * 3))}
        some = list(drawn.values())[:many]
        return tuple((ast.literal_eval(repr(given)), function(*given)) for given in some)

    return Unit(family=family, direct=cases(3), listed=cases(4), in_data=cases(3))
