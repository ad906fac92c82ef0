"""What a command complains of now and did not before, where it names no tests: compared line by line."""

import re
from collections import Counter
from collections.abc import Iterable

_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+(\.\d+)?")  # places move, times and addresses differ each time
_COMPLAINS = re.compile(
    r"(?i)\b(fail\w*|errors?|panic\w*|exception|traceback|not ok|undefined|assert\w*|abort\w*|killed|fatal)\b|[✗✖✘×]"
)
_NONE = re.compile(r"(?i)\b0 (?:failed|failures?|errors?)\b|^\W*fail 0$")  # what did not happen is no complaint


def new_lines(now: str, before: str, *, all_of_them: bool) -> list[str]:
    """As they are said now. `all_of_them`: every line is a finding, as with linters; else those that complain."""
    known = Counter(map(_plain, _told(before, all_of_them)))
    found = list[str]()
    for line in _told(now, all_of_them):
        if known[_plain(line)] > 0:
            known[_plain(line)] -= 1
        else:
            found.append(line)
    return found


def _told(said: str, all_of_them: bool) -> Iterable[str]:
    lines = (line.strip() for line in said.splitlines())
    return [line for line in lines if line and (all_of_them or _COMPLAINS.search(_NONE.sub("", line)))]


def _plain(line: str) -> str:
    return _NUMBERS.sub("#", line)
