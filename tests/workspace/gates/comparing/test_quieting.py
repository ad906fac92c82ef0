"""Comments that tell tools to look away are noticed where they are new."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.domain.checks.scope import Scope, ScopeMode
from agents.ports import Candidate
from agents.workspace.gates.comparing.quieting import quieting
from agents.workspace.gates.detect import Look
from agents.workspace.gates.rules import Case

NONE = Case(
    candidate=Candidate(project="shop", base="", commit="", scope=Scope(mode=ScopeMode.UNRESTRICTED)),
    repository=Path(), had={}, has={}, differing=(), before=Look(texts={}), after=Look(texts={}), trees=("", ""),
    contents={}, former={},
)  # fmt: skip


@pytest.mark.parametrize(
    "line",
    ["x = 1  # noqa", "x = y  # type: ignore[attr]", "x = 1  # pragma: no cover", "#pylint: disable=all", "# fmt: off",
     "// eslint-disable-next-line", "/* istanbul ignore next */", "// @ts-ignore", "//nolint", "// +build ignore",
     "#[allow(dead_code)]", "#![cfg(not(test))]", "x = 1  # nosec"],
)  # fmt: skip
def test_a_comment_that_is_code_counts_once_it_is_new(line: str) -> None:
    new = replace(NONE, contents={"a": line.encode()})
    assert quieting(new) == ("a",)
    assert quieting(replace(new, former={"a": b"first\n" + line.encode()})) == (), "it was there before"
    assert quieting(replace(new, contents={"a": line.encode() * 2}, former={"a": line.encode()})) == ("a",)


@pytest.mark.parametrize("line", ["# no question", "x = 'ignore'", "// eslint is fine", "# types are ignored here"])
def test_other_comments_do_not(line: str) -> None:
    assert quieting(replace(NONE, contents={"a": line.encode()})) == ()
