"""Brings a value that a model wrote into the form that a JSON schema asks for, where it is plain what was meant.

Nothing is made up: what does not fit is left as it is, for whoever judges it to refuse.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.domain.text.other_names import ALSO, ELSEWHERE, NOTHING, PLACES, SURE_IN_WORDS, TEXTS
from agents.domain.text.sanitize import EXACT, cut, one_line

Words = Mapping[str, Mapping[str, str]]  # by the name of an enum: what is written for a word of it
_WHOLE = re.compile(
    r"(?:(?:subtask|task|step|phase|stage|number|no\.?)[\s:]*+)?+#?\s*+([+-]?\d{1,15}(?:\.0+)?)\.?", re.IGNORECASE
)
_NUMBER = re.compile(r"(?:(?:~|about|approx\.?)\s*)?([+-]?\d{1,15}(?:\.\d{1,15})?)\s*(?:h|hrs?|hours?)?", re.IGNORECASE)
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)\s*%")
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ARTICLE = re.compile(r"^(?:an?|the) ")
_DASHES = frozenset({"", "-", "—"})
_COMMAS = re.compile(r"[,;&\n]|\band\b")
_LINES = re.compile(r",\s+|\n")  # a path may have a comma in it
_AROUND = " \t\r\n*_`\"'.,:;“”‘’✅"  # beside a word; a question mark and a stroke of "not" say something
Schema = Mapping[str, Any]
DEEPEST = 4  # objects in each other in which another word is looked for


class Ambiguous(Exception):
    """One field was given twice, under two names."""


def plain_word(said: str) -> str:
    """Without case, marks around it, and what stands between its words."""
    return " ".join(re.sub(r"[_\-\s]+", " ", said.rstrip("!" + _AROUND).strip(_AROUND)).casefold().split())


def fit(value: Any, schema: Schema, words: Words) -> Any:
    """Raises Ambiguous."""
    return _Form(parts=schema.get("$defs", {}), words=words).fit(value, schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    parts: Mapping[str, Schema]
    words: Words

    def fit(self, value: Any, schema: Schema, name: str = "") -> Any:
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            return self.fit(value, self.parts[name], name)
        if kinds := schema.get("anyOf") or schema.get("allOf"):
            return self._one_of(value, kinds)
        if "enum" in schema:
            return self._word(value, schema["enum"], name or str(schema.get("title", "")))
        reader = _READERS.get(str(schema.get("type")))
        return reader(self, value, schema) if reader else value

    def _one_of(self, value: Any, kinds: list[Schema]) -> Any:
        """A word that nobody knows says nothing, where nothing need be said."""
        real = [kind for kind in kinds if kind.get("type") != "null"]
        if value is None or len(real) != 1:
            return value
        made = self.fit(value, real[0])
        if (choices := self._choices(real[0])) and made not in choices:
            return None
        return made

    def _choices(self, schema: Schema) -> list[Any]:
        whole = self.parts[str(schema["$ref"]).rpartition("/")[2]] if "$ref" in schema else schema
        return list(whole.get("enum", ()))

    def _object(self, value: Any, schema: Schema) -> Any:
        fields: Mapping[str, Schema] = schema.get("properties", {})
        value = unpack(value, dict)
        if not isinstance(value, dict):
            natural = _natural(schema)
            if not natural or not _may_be(value, fields[natural]):
                return value
            return {natural: self.fit(value, fields[natural])}
        required, made = schema.get("required", ()), dict[str, Any]()
        for name, given in _by_field(value, fields).items():
            fitted = given if given is None else self.fit(given, fields[name])
            self._say_once(name, fitted, value, fields)
            if fitted is not None or name in required:
                made[name] = fitted
        return made

    def _say_once(self, name: str, taken: Any, value: Mapping[str, Any], fields: Mapping[str, Schema]) -> None:
        """A word that stands under another name, too, and says something else there; or in what nobody asked for, where
        the first word is the one that lets it pass."""
        if name not in ELSEWHERE or not (choices := self._choices(fields[name])):
            return
        also = [given for key, given in value.items() if plain_key(key) in ELSEWHERE[name]]
        if taken == choices[0]:
            known = {plain_key(each) for each in fields}
            unasked = [given for key, given in value.items() if plain_key(key) not in known]
            also += _said_beneath(unasked, (name, *ELSEWHERE[name]), DEEPEST)
        if any((other := self.fit(each, fields[name])) in choices and other != taken for each in also):
            raise Ambiguous(f"the field {one_line(name, 60)} says one thing, and another field says another")

    def _list(self, value: Any, schema: Schema) -> Any:
        value, item = unpack(value, list), schema.get("items", {})
        if value is False or _is_nothing(value, {}):
            return []
        if isinstance(value, dict) and value and all(key.isdecimal() for key in value):
            value = [value[key] for key in sorted(value, key=int)]
        if isinstance(value, str):
            value = self._parts_of(value, item)
        if isinstance(value, dict | int | float) and not isinstance(value, bool):
            value = [value]
        if not isinstance(value, list):
            return value
        said = (each for each in value if each is not None or item.get("type") != "string")
        return [self.fit(each, item) for each in said if not (self.words and _is_nothing(each, item))]

    def _parts_of(self, said: str, item: Schema) -> list[str]:
        """Of a list that is written as one text: paths, or numbers."""
        whole = self.parts[str(item["$ref"]).rpartition("/")[2]] if "$ref" in item else item
        about = whole.get("properties", {}).get(_natural(whole), whole)
        if about.get("type") == "integer":
            return [each for each in map(str.strip, _COMMAS.split(said)) if each]
        return [each for each in map(str.strip, _LINES.split(said)) if each] if about.get(EXACT) else [said]

    def _text(self, value: Any, schema: Schema) -> Any:
        if isinstance(value, dict):
            value = _only_path(value) if schema.get(EXACT) else _only_text(value)
        if schema.get(EXACT):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = "; ".join(value)
        most = schema.get("maxLength")
        return cut(value, most) if isinstance(value, str) and isinstance(most, int) else value

    def _word(self, value: Any, choices: list[Any], name: str) -> Any:
        if not isinstance(value, str):
            return value
        said = plain_word(re.sub(rf"^\W*{re.escape(name)}\.", "", value) if name else value)
        found = next((each for each in choices if isinstance(each, str) and plain_word(each) == said), None)
        known = self.words.get(name, {})
        other = known.get(said) or known.get(_ARTICLE.sub("", said))
        return found if found is not None else other if other in choices else value


_READERS: Mapping[str, Callable[[_Form, Any, Schema], Any]] = {
    "object": _Form._object,
    "array": _Form._list,
    "string": _Form._text,
    "integer": lambda form, value, schema: _number(value, _WHOLE, whole=True),
    "number": lambda form, value, schema: _number(_share(value, schema), _NUMBER, whole=False),
    "boolean": lambda form, value, schema: _flag(value),
}


def _by_field(value: Mapping[str, Any], fields: Mapping[str, Schema]) -> dict[str, Any]:
    """What belongs to the schema; what nobody asked for is left out. Raises Ambiguous."""
    plain, taken = {plain_key(name): name for name in fields}, dict[str, Any]()
    for key, given in value.items():
        name = key if key in fields else plain.get(plain_key(key))
        if name is None:
            continue
        if name in taken and taken[name] != given:
            raise Ambiguous(f"the field {one_line(name, 60)} stands twice, with two values")
        taken[name] = given
    others = {plain_key(key): given for key, given in value.items() if plain_key(key) not in plain}
    for name in [name for name in fields if name not in taken]:
        also = (plain_key(other) for other in ALSO.get(name, ()))
        if found := next((each for each in also if others.get(each) is not None), ""):
            taken[name] = others.pop(found)
    return taken


def _said_beneath(value: Any, names: tuple[str, ...], depth: int) -> Iterator[Any]:
    """What stands under one of these names in a value, however deep."""
    value = unpack(value, dict)
    if isinstance(value, dict):
        yield from (each for key, each in value.items() if plain_key(key) in names)
    if depth and isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _said_beneath(each, names, depth - 1)


def plain_key(key: str) -> str:
    return re.sub(r"[\W_]", "", key).casefold() if key.isascii() else key


def _natural(schema: Schema) -> str:
    """The one field that an object cannot be without."""
    required = [name for name in schema.get("required", ()) if name in schema.get("properties", {})]
    return required[0] if len(required) == 1 else ""


def _may_be(value: Any, schema: Schema) -> bool:
    """Whether a bare value is what an object is about: a text, or a number where one is wanted."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str) or (is_number and schema.get("type") in ("integer", "number"))


def unpack(value: Any, kind: type) -> Any:
    """Some write JSON into a text."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        inner = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inner if isinstance(inner, kind) else value


def _is_nothing(value: Any, item: Schema) -> bool:
    """What stands in a list of an answer and says that there is nothing in it. A file may have any name."""
    if not isinstance(value, str) or item.get(EXACT):
        return False
    return value.strip() in _DASHES or NOTHING.fullmatch(plain_word(value)) is not None


def _only_text(value: Mapping[str, Any]) -> Any:
    """With the place that it is about, where there is one."""
    texts = {plain_key(name): each for name, each in value.items() if isinstance(each, str)}
    known = [texts[name] for name in TEXTS if name in texts]
    if not known:
        return "; ".join(texts.values() if len(texts) == 1 else map(": ".join, texts.items())) or value
    place = next((texts[name] for name in PLACES if texts.get(name)), "")
    line = value.get("line")
    place = f"{place}:{line}" if place and isinstance(line, int) and not isinstance(line, bool) else place
    return f"{place}: {known[0]}" if place and place not in known[0] else known[0]


def _only_path(value: Mapping[str, Any]) -> Any:
    named = [each for name, each in value.items() if plain_key(name) in (*PLACES, "name")]
    return named[0] if len(named) == 1 else value


def _share(value: Any, schema: Schema) -> Any:
    """What goes from nothing to one, where it is said in words or in per cent. What was said of ten is too little."""
    if schema.get("maximum") != 1:
        return value
    if isinstance(value, str):
        found = _SHARE.fullmatch(value.strip())
        return float(found[1]) / 100 if found else SURE_IN_WORDS.get(plain_word(value), value)
    return value / 100 if isinstance(value, int) and 1 < value <= 100 else value


def _number(value: Any, form: re.Pattern[str], *, whole: bool) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        return _number(next(iter(value.values())), form, whole=whole)
    if isinstance(value, str):
        said = value.strip()
        if (word := plain_word(said)) in _COUNTED:
            return _COUNTED.index(word)
        if (found := form.fullmatch(said)) is None:
            return value
        value = float(found[1])
    if whole and isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _flag(value: Any) -> Any:
    said = plain_word(value) if isinstance(value, str) else ""
    return {"true": True, "yes": True, "false": False, "no": False}.get(said, value)
