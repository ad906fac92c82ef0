"""Every broken file gets all that is wrong with it, each with its line and what to write."""

import re

import pytest

from agents.catalog.library import Declared
from agents.catalog.roles.checking import FileKind, check_file, kind_of
from manifests import packaged_path
from tests.catalog.broken_roles import BROKEN, GOLDEN, messages


def test_each_message_is_as_it_was_reviewed() -> None:
    assert len(BROKEN) >= 40
    assert messages() == GOLDEN.read_text(encoding="utf-8"), (
        "python -m tests.catalog.broken_roles; review the difference"
    )


@pytest.mark.parametrize("part", GOLDEN.read_text(encoding="utf-8").split("## ")[1:])
def test_each_has_a_place_and_says_what_is_wrong_and_what_to_do(part: str) -> None:
    path, *faults = part.strip().splitlines()
    assert faults, path
    for fault in faults:
        assert fault.startswith(f"- {path}"), fault
        assert re.search(r" line \d+", fault) or "nothing of it is used" in fault, fault
        assert re.search(r": .+\. .*[.?`)…]$", fault) or "nothing of it is used" in fault, fault


@pytest.mark.parametrize("folder", ["roles", "contexts", "packs", "workflows"])
def test_what_comes_with_the_program_is_sound(folder: str) -> None:
    for path in sorted(packaged_path(folder).glob("*.yaml")):
        if not path.stem.startswith("_"):
            assert check_file(f"{folder}/{path.name}", path.read_bytes(), Declared()) == [], path.name


def test_what_a_file_is_is_seen_by_its_folder_or_its_content() -> None:
    assert kind_of("packs/x.yaml", {}) is FileKind.PACK and kind_of("x.yaml", {}) is FileKind.ROLE
    assert (
        kind_of("x.yaml", {"inputs": {}}) is FileKind.CONTEXT and kind_of("a/x.yaml", {"steps": 1}) is FileKind.WORKFLOW
    )
