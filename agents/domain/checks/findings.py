"""What linters say, line by line: only what they did not say before counts."""

import re
from collections import Counter

_PLACE = re.compile(r":\d+:\d+:")  # line and column, which move when something is added above


def new_findings(now: str, before: str) -> list[str]:
    """As they are said now, place and all."""
    known = Counter(_plain(line) for line in before.splitlines() if _PLACE.search(line))
    found = list[str]()
    for line in now.splitlines():
        if not _PLACE.search(line):
            continue
        if known[_plain(line)] > 0:
            known[_plain(line)] -= 1
        else:
            found.append(line)
    return found


def _plain(line: str) -> str:
    return _PLACE.sub(":", line, count=1)
