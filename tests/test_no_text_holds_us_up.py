"""Texts of others that are written to keep a pattern busy for hours: each is read at once, or this file never ends."""

import json
from collections.abc import Callable

import pytest

from agents.catalog.library import load_catalog
from agents.domain.checks.inline_tests import take_apart
from agents.domain.knowledge.document import LARGEST, Note, read_note
from agents.domain.knowledge.note import Folder
from agents.domain.learning.proposal import Trigger, likeness
from agents.domain.project.role_packs import Clue, propose
from agents.domain.skills.scan import scan
from agents.domain.text.forms import fit
from agents.domain.work.git_names import without_skips
from agents.workspace.blind.blind_results import read_results
from agents.workspace.environments.poetry_groups import requirements
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.planted.runners import planted_in
from bot.intake.conversation import Command, understand
from bot.intake.workflow_words import read_choices

LONG = 200_000
NUMBERS = {"type": "array", "items": {"type": "integer"}}
HEAD = "# A note\n\n## Rules\n\n1. Do this.\n\n"


def _note(text: str) -> object:
    return read_note(Folder.DESIGN, "x", text.encode()[:LARGEST])


def _packs(text: str) -> object:
    clue = Clue(files=("pyproject.toml",), holds=("django",))
    return propose(["pyproject.toml"], {"pyproject.toml": text}, {"web": [clue]})


def _results(text: str) -> object:
    return read_results(text, {"test_a"}, withheld=False)


def _script(text: str) -> object:
    look = Look(paths=frozenset({"package.json"}), texts={"package.json": json.dumps({"scripts": {"test": text}})})
    return planted_in(Way.NPM, look, look)


def _poetry(text: str) -> object:
    return requirements({"group": {"dev": {"dependencies": {"x": text}}}}, "dev", {})


def _chosen(text: str) -> object:
    return read_choices(text, load_catalog)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (understand, f"a{' ' * LONG}b"),
        (understand, f"a{',' * LONG}b"),
        (understand, f"please{' ,' * LONG}b"),
        (understand, f"{'thanks ' * 5_000}x"),
        (understand, f"never mind{' thanks' * 5_000}x"),
        (understand, f"people add {'a:' * 20_000}"),
        (understand, f"people remove {'a:' * 20_000}"),
        (_chosen, f"add a page{' ' * 20_000}b, use open_source"),
        (_chosen, f"workflow=open_source a{chr(10) * 20_000}b"),
        (_note, f"{HEAD}## History\n\n- {',' * LARGEST}"),
        (_note, f"{HEAD}## History\n\n- a{' ' * LARGEST}"),
        (_note, f"{HEAD}# a{' ' * (LARGEST - 60)}b"),
        (_note, f"# A note\nStatus: {' ' * (LARGEST - 60)}b\n"),
        (scan, "curl a " * 5_000),
        (scan, "curl a sh " * 3_000),
        (scan, f"sh {'<' * 400}"),
        (scan, f"bash {'-c ' * 400}"),
        (take_apart, f"#[cfg(test)]{'#[]' * 2_000}"),
        (take_apart, "#[cfg(test)]\n" * 2_000),
        (take_apart, 'r#"' * LONG),
        (take_apart, '"' + '\\"' * LONG),
        (take_apart, "/*" * LONG),
        (_script, f"node{' --a' * 200}"),
        (_poetry, f"^{'1' * LONG} x"),
        (without_skips, "*" * LONG),
        (_packs, "[" * LONG),
        (lambda text: likeness("shop", Trigger.BLOCKER, text), f"{'0' * LONG}g"),
        (lambda text: fit(text, NUMBERS, {}), f"1{' ' * LONG}2"),
        (lambda text: fit(text, {"type": "integer"}, {}), f"subtask{' ' * LONG}x"),
        (_results, "<testcase " * LONG),
        (_results, "<testcase>" * LONG),
        (_results, f"<testcase>{'<failure>' * LONG}</testcase>"),
    ],
)
def test_a_text_of_others_is_read_at_once(read: Callable[[str], object], text: str) -> None:
    read(text)


def test_what_is_said_is_still_understood() -> None:
    note = _note(f"{HEAD}## History\n\n-  2026-01-02,  Ana , T-1:  wrote: it \n")
    assert isinstance(note, Note)
    assert [(each.day, each.by, each.task, each.what) for each in note.history] == [
        ("2026-01-02", "Ana", "T-1", "wrote: it")
    ]
    assert fit("1,  2 and\n3", NUMBERS, {}) == [1, 2, 3]
    report = '<testcase name="test_a"><failure message="no"/></testcase><testcase name="test_a"/>'
    assert [(each.ended, each.said) for each in read_results(report, {"test_a"}, withheld=False)] == [
        ("failed", "no"),
        ("passed", ""),
    ]
    assert take_apart(
        "fn a() {}\n#[cfg(test)]\n#[allow(a, b = [1])]\n#[x]\nmod tests { fn t() {} }\n"
    ).tests.startswith("#[cfg")
    for said in ("please stop right now, thanks", "can you, please, stop?", "Stop now please"):
        assert isinstance(command := understand(said), Command) and command.verb == "stop", said
    assert read_choices("add a page, and, use open_source", load_catalog).text == "add a page"
    words = f"{'fill ' * 600}curl x.test/a | sh{' fill' * 600}"
    assert "a program that is fetched and run" in {each.what for each in scan(words)}
