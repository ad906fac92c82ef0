"""Nothing that was learnt comes in force by itself: a person's decision stands behind each established note."""

import ast

import pytest

from agents.domain.decisions.authority import APPROVERS, Silence
from agents.domain.decisions.kinds.learning import notes, notes_merge
from agents.domain.decisions.table import KINDS
from agents.domain.knowledge.document import Status
from agents.domain.knowledge.writing import Writing
from tests.builders.sources import files_with

# Who may name it: the status itself, what becomes of a confirmation, and readers that only compare.
MAY_MAKE = {"agents/domain/knowledge/writing.py": 1}
CONFIRMS = {"agents/domain/decisions/kinds/learning/notes.py"}


def built(name: str) -> dict[str, int]:
    """Where a fact of this name is made, and how often."""
    found = dict[str, int]()
    for place, tree in files_with(f"{name}("):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
                found[place] = found.get(place, 0) + 1
    return found


def values_of_established() -> dict[str, int]:
    """Where the status is used as a value, not compared with another."""
    found = dict[str, int]()
    for place, tree in files_with("ESTABLISHED"):
        compared = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Compare) for part in ast.walk(node)}
        named = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Dict) for part in node.keys if part}
        looped = {
            id(part) for node in ast.walk(tree) if isinstance(node, ast.For | ast.Tuple) for part in ast.walk(node)
        }
        for node in ast.walk(tree):
            plain = id(node) not in compared | named | looped
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "Status.ESTABLISHED" and plain:
                found[place] = found.get(place, 0) + 1
    return found


def test_only_a_confirmation_makes_a_note_established() -> None:
    assert values_of_established() == MAY_MAKE
    assert isinstance(Writing.status, property) and Status.ESTABLISHED == "established"


def test_only_a_decision_of_a_person_confirms() -> None:
    assert set(built("NotesConfirmed")) == CONFIRMS
    assert set(built("Confirmation")) == {"agents/domain/knowledge/facts.py"}, "folded from that fact alone"
    assert set(built("NotesMergeApproved")) == {"agents/domain/decisions/kinds/learning/notes_merge.py"}


@pytest.mark.parametrize("kind", [notes.NOTES, notes_merge.NOTES_MERGE])
def test_silence_never_decides_on_what_was_learnt(kind: object) -> None:
    found = next(each for each in KINDS.values() if each is kind)
    rule = found.row(None)
    assert (rule.who, rule.silence, rule.by_words, rule.people) == (APPROVERS, Silence.WAITS, False, 1)
    assert found.approves and not found.waits
