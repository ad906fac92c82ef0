"""Comments that are code: they tell linters, type checkers, coverage or compilers to look away."""

import re
from collections import Counter

from agents.workspace.gates.rules import Case

_QUIETS = re.compile(
    rb"(?i)#\s*(?:noqa|type:\s*ignore|pyright:|mypy:|pylint:\s*disable|nosec|pragma:|fmt:\s*(?:off|skip)|isort:)"
    rb"|(?://|/\*)\s*(?:eslint-disable|@ts-(?:ignore|expect-error|nocheck)|istanbul ignore|c8 ignore|v8 ignore"
    rb"|prettier-ignore|biome-ignore|nolint|#nosec|go:build|\+build)|#!?\[(?:allow|cfg)\b"
)


def quieting(case: Case) -> tuple[str, ...]:
    """Changed files that have more such comments than before."""
    found = list[str]()
    for path, content in case.contents.items():
        more = Counter(_QUIETS.findall(content)) - Counter(_QUIETS.findall(case.former.get(path, b"")))
        found += [path] if more else []
    return tuple(found)
