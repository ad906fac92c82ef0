"""Skill files: strict, small, told of all at once; a broken one never stops the others (T6)."""

import pytest
from hypothesis import given, strategies as st

from agents.catalog.skills import LARGEST, MOST, packaged_skills, read_skills
from agents.catalog.yaml import Value, write_yaml
from agents.domain.skills.skill import suggest

GOOD = """
name: web-forms
description: How forms are made here
version: "1.2.0"
tags: [web]
triggers:
  keywords: [form, input field]
  file_patterns: ["web/**/*.html"]
instructions: |
  Use the macro.
"""


def test_a_whole_skill_is_read() -> None:
    [skill] = read_skills({".overlord/skills/a.yaml": GOOD.encode()}, "shop").skills
    assert (skill.name, skill.version, skill.source, skill.instructions) == (
        "web-forms",
        "1.2.0",
        "shop",
        "Use the macro.",
    )
    assert (skill.keywords, skill.file_patterns, skill.tags) == (("form", "input field"), ("web/**/*.html",), ("web",))


def test_the_skills_that_come_with_overlord_are_whole_and_found() -> None:
    ours = packaged_skills()
    assert ours.broken == ()
    assert len(ours.skills) >= 3
    assert [skill.name for skill in suggest(ours.skills, "add tests", ["tests/test_a.py"])] == ["python-tests"]


def test_everything_that_is_wrong_is_told_at_once_with_its_line() -> None:
    body = b"name: A B\nversion: 1.0\ntriggers:\n  keyword: [x]\n  file_patterns: [../x]\ntags: y\nrun: rm\n"
    [broken] = read_skills({"a.yaml": body}, "shop").broken
    told = "\n".join(broken.problems)
    for said in ("line 1, name", "description: it is missing", 'quotes: "1.0"', "Did you mean `keywords`?", "climbs",
                 "line 6, tags", "no such setting", "instructions: it is missing"):  # fmt: skip
        assert said in told
    assert broken.source == "shop"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"- a\n- b\n",
        b"name: *x\n",
        b"name: !!python/object:os.system x\n",
        b"a: " + b"[" * 10_000,
        b"x" * (LARGEST + 1),
        GOOD.replace("web-forms", "../../etc/passwd").encode(),
        GOOD.replace("Use the macro.", "x" * 30_000).encode(),
        GOOD.replace("[form, input field]", f"[{', '.join(['a'] * 40)}]").encode(),
        GOOD.replace("[form, input field]", "[true]").encode(),
        GOOD.replace("web/**/*.html", "/etc/**").encode(),
        GOOD.replace("  Use the macro.", "   ").encode(),
    ],
)
def test_a_broken_file_is_listed_and_does_not_stop_the_others(body: bytes) -> None:
    found = read_skills({"a.yaml": body, "b.yaml": GOOD.encode(), "notes.txt": b"not a skill"})
    assert [skill.name for skill in found.skills] == ["web-forms"]
    [broken] = found.broken
    assert broken.path == "a.yaml"
    assert broken.problems
    assert all(len(problem) < 500 for problem in broken.problems)


def test_two_files_of_one_name_are_told_apart() -> None:
    found = read_skills({"a.yaml": GOOD.encode(), "b.yml": GOOD.encode()})
    assert len(found.skills) == 1
    assert "already, in a.yaml" in found.broken[0].problems[0]


def test_a_crowd_of_files_is_cut_and_told() -> None:
    files = {f"{n:05}.yaml": GOOD.replace("web-forms", f"s{n}").encode() for n in range(MOST + 50)}
    found = read_skills(files)
    assert len(found.skills) == MOST
    assert "50 others" in found.broken[0].problems[0]


def test_a_projects_own_win_by_name() -> None:
    own = read_skills({"a.yaml": GOOD.replace("web-forms", "changelog").encode()}, "shop")
    both = own.over(packaged_skills())
    assert [skill.source for skill in both.skills if skill.name == "changelog"] == ["shop"]
    assert len(both.skills) == len(packaged_skills().skills)


FIELDS = st.sampled_from(["name", "version", "tags", "triggers", "instructions", "x"])
VALUES = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=20)


@given(st.dictionaries(FIELDS, VALUES | st.lists(VALUES, max_size=3)))
def test_whatever_a_file_says_it_is_a_skill_or_broken(data: dict[str, Value]) -> None:
    found = read_skills({"a.yaml": write_yaml(data).encode(errors="replace")})
    assert len(found.skills) + len(found.broken) == 1
