"""Notes as lines that a person changes before they stand by them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.domain.knowledge.note import NoteChange

_ITEM = re.compile(r"(?:[-*+]|\d{1,3}[.)])\s+(.*)")


def read_edit(changes: Sequence[NoteChange], words: str) -> Iterator[NoteChange]:
    """Each with the rules that stand under its name; one whose name is gone is left out."""
    by_name = {change.name: change for change in changes}
    name = changes[0].name if len(changes) == 1 else ""
    found: dict[str, list[str]] = {name: []} if name else {}
    for line in (line.strip() for line in words.splitlines()):
        if line in by_name:
            name = line
            found.setdefault(name, [])
        elif line and name:
            item = _ITEM.fullmatch(line)
            found[name].append(item[1] if item else line)
    for each, rules in found.items():
        yield replace(by_name[each], rules=tuple(rules), what="edited by a person")
