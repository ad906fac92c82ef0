"""Which runner of tests a project's command starts, where that can be told; others are judged by their end alone."""

import re

from agents.workspace.gates.detect import MAKEFILES, Look, Way
from agents.workspace.gates.planted.plant import Planted

_PLAIN = r"[^&|;<>`$]*$"  # nothing else is started
_NODE = re.compile(rf"^node (?:-[\w-]+(?:=\S+)? )*--test\b{_PLAIN}")
_OTHERS = re.compile(rf"^(?:cross-env )?(?:\w+=\S+ )*(?:npx )?(mocha|jest|vitest)(?: {_PLAIN}|$)")
_OWN_WAY = re.compile(r"--(?:test-)?reporters?\b|--parallel\b|--watch\b|--coverage\b|--(?:list|dry-run|shard|ui)\b")


def planted_in(way: Way, before: Look, after: Look) -> Planted | None:
    """Only what is the same before and after the change."""
    if way is Way.NPM:
        found = _of_script(before.script("test").strip())
        return found if found is _of_script(after.script("test").strip()) else None
    return {Way.PYTEST: Planted.PYTEST, Way.GO: Planted.GO, Way.CARGO: Planted.CARGO}.get(way)


def _of_script(script: str) -> Planted | None:
    if _OWN_WAY.search(script):
        return None
    if _NODE.match(script):
        return Planted.NODE
    found = _OTHERS.match(script)
    return Planted(found[1]) if found else None


def planted_beneath(command: str, before: Look, after: Look) -> Planted | None:
    """Where the rules that make follows start one pytest."""
    rules = [next((look.texts[each] for each in MAKEFILES if each in look.texts), "") for look in (before, after)]
    return Planted.BENEATH if command.startswith("make") and all(each.count("pytest") == 1 for each in rules) else None
