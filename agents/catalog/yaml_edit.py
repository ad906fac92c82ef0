"""Changes one thing in a YAML file that a person wrote: lines are put in and taken out, and every other one stays.

What comes of it is read again, and must be exactly what was wanted; else nothing is changed and the person is told.
"""

import copy
import re
from collections.abc import Sequence
from typing import Any

from agents.catalog.yaml import BadYaml, Document, Value, Where, parse_yaml, write_yaml
from agents.domain.errors import OverlordError

STEP = 2  # blanks that what is new is indented by


class CannotEdit(OverlordError):
    """The file is written in a way that this does not change; `lines` is what to write by hand."""

    def __init__(self, name: str, lines: str) -> None:
        super().__init__(
            f"{name} is written in a way that I do not change", next_step=f"Write it there yourself:\n{lines}"
        )
        self.lines = lines


def append_item(text: str, name: str, where: Where, item: Value) -> str:
    """With one more item at the end of a list, which is begun where there is none."""
    read = parse_yaml(text, name=name)
    wanted = copy.deepcopy(read.data)
    there = _dig(wanted, where)
    _put(wanted, where, [*(there if isinstance(there, list) else []), item])
    if not there:
        return put_value(text, name, where, [item])
    body = text.splitlines()
    first = body[read.lines[(*where, 0)] - 1]
    dash = re.match(r"(\s*)- ", first)
    if dash is None:
        return _checked(_in_flow(body, read, where, item), name, wanted, text, as_lines(where, [item]))
    end = _end_of(body, read, where)
    made = [*body[:end], *_indent(_item_lines(item), len(dash[1])), *body[end:]]
    return _checked(made, name, wanted, text, as_lines(where, [item]))


def remove_item(text: str, name: str, where: Where, at: int) -> str:
    """Without one item of a list; a list that would be empty goes with it."""
    read = parse_yaml(text, name=name)
    wanted = copy.deepcopy(read.data)
    there = _dig(wanted, where)
    assert isinstance(there, list)
    left = [item for number, item in enumerate(there) if number != at]
    if not left:
        return remove_value(text, name, where)
    _put(wanted, where, left)
    body = text.splitlines()
    start = read.lines[(*where, at)] - 1
    advice = f"(take {_short(there[at])} out of `{'.'.join(map(str, where))}`)"
    if not re.match(r"\s*- ", body[start]):
        return _checked(_out_of_flow(body, read, where, there[at]), name, wanted, text, advice)
    end = _end_of(body, read, (*where, at))
    return _checked([*body[:start], *body[end:]], name, wanted, "", advice)


def put_value(text: str, name: str, where: Where, value: Value) -> str:
    """With this value at a place: in the line that has it, below its mapping, or at the end of the file."""
    read = parse_yaml(text, name=name)
    wanted = copy.deepcopy(read.data)
    _put(wanted, where, value)
    body, new = text.splitlines(), as_lines(where, value)
    if where in read.lines:
        change = _replaced if _dig(read.data, where) not in (None, [], {}) else _begun
        return _checked(change(body, read, where, value), name, wanted, text, new)
    known = next((end for end in range(len(where) - 1, 0, -1) if isinstance(_dig(read.data, where[:end]), dict)), 0)
    if known and _dig(read.data, where[:known]):
        first = min(read.lines[each] for each in read.lines if each[:known] == where[:known] and len(each) == known + 1)
        indent, end = _inner_width(body[first - 1]), _end_of(body, read, where[:known])
        made = [*body[:end], *_indent(as_lines(where[known:], value).splitlines(), indent), *body[end:]]
        return _checked(made, name, wanted, text, new)
    if where[:1] in read.lines:
        return _checked(_begun(body, read, where[:1], _nested(where[1:], value)), name, wanted, text, new)
    gap = [""] if body and body[-1].strip() else []
    return _checked([*body, *gap, *new.splitlines()], name, wanted, text, new)


def remove_value(text: str, name: str, where: Where) -> str:
    """Without what is at a place; a mapping that would be empty goes with it."""
    read = parse_yaml(text, name=name)
    wanted = copy.deepcopy(read.data)
    *above, last = where
    holder = _dig(wanted, tuple(above)) if above else wanted
    assert isinstance(holder, dict)
    if len(holder) == 1 and above:
        return remove_value(text, name, tuple(above))
    del holder[str(last)]
    body = text.splitlines()
    start, end = read.lines[where] - 1, _end_of(body, read, where)
    advice = f"(take `{'.'.join(map(str, where))}` out)"
    return _checked([*body[:start], *body[end:]], name, wanted, "", advice)


def as_lines(where: Where, value: Value) -> str:
    """As it is written where nothing of it is there yet."""
    made = _nested(where, value)
    assert isinstance(made, dict)
    return _block(write_yaml(made))


def _nested(where: Where, value: Value) -> Value:
    for part in reversed(where):
        value = {str(part): value}
    return value


def _block(written: str) -> str:
    """Lists two blanks further in than the name they belong to, which is how people write them."""
    out: list[str] = []
    shift = 0
    for line in written.splitlines():
        width = _width(line)
        if re.match(r"\s*- ", line):
            shift = STEP
        elif width == 0:
            shift = 0
        out.append(" " * shift + line if shift else line)
    return "\n".join(out)


def _item_lines(item: Value) -> list[str]:
    if not isinstance(item, dict):
        return [f"- {_short(item)}"]
    lines = write_yaml(item).splitlines()
    return [f"- {lines[0]}", *(f"  {line}" for line in lines[1:])]


def _indent(lines: Sequence[str], width: int) -> list[str]:
    return [f"{' ' * width}{line}" if line else line for line in lines]


def _width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _inner_width(line: str) -> int:
    """Where the first name of a mapping begins, also after the dash of a list."""
    begins = re.match(r"\s*(?:-\s+)*", line)
    return len(begins[0]) if begins else 0


def _end_of(body: Sequence[str], read: Document, where: Where) -> int:
    """How many lines there are up to the last one of what is at this place."""
    last = max(line for place, line in read.lines.items() if place[: len(where)] == where)
    width = _width(body[last - 1])
    end = last
    for number in range(last, len(body)):
        line = body[number]
        if not line.strip():
            continue
        if _width(line) <= width or line.lstrip().startswith("#"):
            break
        end = number + 1
    return end


def _in_flow(body: list[str], read: Document, where: Where, item: Value) -> list[str]:
    """`[a, b]` in one line."""
    at = read.lines[where] - 1
    made = re.sub(r"\s*\](\s*(#.*)?)$", lambda found: f", {_short(item)}]{found[1]}", body[at], count=1)
    return [*body[:at], made, *body[at + 1 :]]


def _out_of_flow(body: list[str], read: Document, where: Where, item: Value) -> list[str]:
    at = read.lines[where] - 1
    written = rf"[\"']?{re.escape(str(item))}[\"']?"
    made = re.sub(
        rf"(\[\s*){written}\s*,\s*|,\s*{written}(?=\s*[,\]])", lambda found: found[1] or "", body[at], count=1
    )
    return [*body[:at], made, *body[at + 1 :]]


def _replaced(body: list[str], read: Document, where: Where, value: Value) -> list[str]:
    """One value in one line; a comment after it stays."""
    at = read.lines[where] - 1
    found = re.match(r"(\s*(?:- )?[^:#]+:\s+)([^#]*?)(\s+#.*)?$", body[at])
    if found is None or isinstance(value, dict | list):
        return body
    return [*body[:at], f"{found[1]}{_short(value)}{found[3] or ''}", *body[at + 1 :]]


def _begun(body: list[str], read: Document, where: Where, value: Value) -> list[str]:
    """What has a name and nothing in it."""
    at = read.lines[where] - 1
    found = re.fullmatch(r"(\s*)[^:#]+:\s*(?:\{\}|\[\]|null|~)?(\s*(?:#.*)?)", body[at])
    if found is None:
        return body
    first, *rest = _indent(as_lines(where[-1:], value).splitlines(), len(found[1]))
    return [*body[:at], f"{first}{found[2].rstrip()}", *rest, *body[at + 1 :]]


def _short(value: Value) -> str:
    return write_yaml({"x": value}).removeprefix("x:").strip()


def _checked(made: Sequence[str], name: str, wanted: dict[str, Value], before: str, lines: str) -> str:
    text = "\n".join(made).rstrip("\n") + "\n"
    try:
        read = parse_yaml(text, name=name).data
    except BadYaml:
        raise CannotEdit(name, lines) from None
    if read != wanted or _comments(before) - _comments(text):
        raise CannotEdit(name, lines)
    return text


def _comments(text: str) -> set[str]:
    return {found.strip() for found in re.findall(r"(?m)(?:^|\s)(#.*)$", text)}


def _dig(data: Any, where: Where) -> Any:
    for part in where:
        if isinstance(data, dict):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def _put(data: dict[str, Value], where: Where, value: Value) -> None:
    here: Any = data
    for part in where[:-1]:
        below = here.get(part) if isinstance(here, dict) else here[part]
        if not isinstance(below, dict | list):
            below = here[part] = {}
        here = below
    here[where[-1]] = value
