"""What a text says in spite of how it is written: look-alike letters, invisible characters, codes, shell tricks."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from urllib.parse import unquote

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")  # letters and marks that show nothing
_JOINERS = frozenset("\u200d\ufe0f")  # hold pictures together, and nothing else
# Letters of other scripts that are drawn as Latin ones.
_ALIKE = dict(
    zip(
        "авгекмнорстухіјѕԁԛԝһӏᴦɡαεικνορτυχβγηωϲϳցոսհօյզքꮯꮪꭱꮋꮮꮩꮇꭼꭰ",
        "abrekmhopctyxijsdqwhlrgaeiknoptuxbynwcjgnuhojqpcsrhlvmea",
        strict=True,
    )
)
_LATIN = re.compile(
    r"LATIN (?:LETTER SMALL CAPITAL|(?:SMALL|CAPITAL) LETTER(?: (?:SCRIPT|DOTLESS|LONG))?) ([A-Z])(?: WITH .*)?"
)
_QUOTES = re.compile(r"[\"'`\\^]+")
_BLANKS = re.compile(r"(?:\$\{?ifs\}?|\s)+")
_LETTERS_APART = re.compile(r"(?<![a-z0-9])[a-z](?: [a-z])+(?![a-z0-9])")
_WORD = re.compile(r"[^\W\d_]+")


def fold(text: str) -> str:
    """One spelling for what reads alike: small Latin letters, one kind of dash, no quotes, one blank for several."""
    plain = text.casefold() if text.isascii() else "".join(map(_letter, unicodedata.normalize("NFKD", text))).casefold()
    spaced = _BLANKS.sub(" ", _QUOTES.sub("", plain))
    return _LETTERS_APART.sub(lambda found: found[0].replace(" ", ""), spaced)


@cache
def _letter(char: str) -> str:
    if char.isascii():
        return char
    kind, low = unicodedata.category(char), char.casefold()
    if char in _FILLERS or kind in ("Mn", "Me", *_UNSEEN):
        return " " if char.isspace() or char == "\u2800" else ""
    if kind == "Pd" or char == "\u2212":
        return "-"
    latin = _LATIN.fullmatch(unicodedata.name(char, ""))
    return latin[1].casefold() if latin else _ALIKE.get(low, low)


def has_unseen(line: str) -> bool:
    """Whether it holds what a reader does not see; what joins the parts of a picture is seen as one."""
    if line.isascii() and line.isprintable():
        return False
    return any(_is_unseen(c) and not _joins(line, at) for at, c in enumerate(line))


def _is_unseen(char: str) -> bool:
    hidden = char in _FILLERS or char == "\ufe0f" or unicodedata.category(char) in _UNSEEN
    return hidden and char not in "\t\n\r"


def _joins(line: str, at: int) -> bool:
    before = line[at - 1] if at else ""
    is_key = line[at] == "\ufe0f" and before in set("#*0123456789")
    return line[at] in _JOINERS and (is_key or (bool(before) and not before.isascii()))


def has_mixed_word(line: str) -> bool:
    """Whether one word has letters of several scripts. A Greek letter before a Latin name is how formulas look."""
    return not line.isascii() and any(_is_mixed(word) for word in _WORD.findall(line))


def _is_mixed(word: str) -> bool:
    scripts = [unicodedata.name(c, "").partition(" ")[0] for c in unicodedata.normalize("NFKC", word)]
    known = {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"} & set(scripts)
    is_formula = known == {"LATIN", "GREEK"} and scripts.count("GREEK") == 1 and scripts[0] == "GREEK" and len(word) < 4
    return "LATIN" in known and len(known) > 1 and not is_formula


_CODES = re.compile(r"\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{2,6})\}?|\\([0-7]{2,3})(?![0-9])", re.I)


def decode(text: str) -> str:
    """Letters that are written as codes: of programs, of addresses, of pages."""
    for _ in range(3):
        before = text
        text = html.unescape(unquote(_CODES.sub(_of_code, text)))
        if text == before:
            break
    return text


def _of_code(found: "re.Match[str]") -> str:
    number = int(found[1] or found[2], 16) if found[1] or found[2] else int(found[3], 8)
    return chr(number) if 9 <= number < 0x110000 else found[0]


_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,6}")
_HEX = re.compile(r"(?:(?:0x|\\x)?[0-9a-f]{2}[\s,:]{0,2}){5,}", re.I)


def hidden_texts(text: str) -> Iterator[str]:
    """What is encoded in it, as text: base64, base32, and hexadecimal numbers."""
    for piece in _ENCODED.findall(text):
        plain = piece.rstrip("=").replace("-", "+").replace("_", "/")
        yield from _as_text(partial(base64.b64decode, plain + "=" * (-len(plain) % 4)))
        yield from _as_text(partial(base64.b32decode, plain + "=" * (-len(plain) % 8), casefold=True))
    for piece in _HEX.findall(text):
        digits = re.sub(r"0x|\\x|[^0-9a-f]", "", piece.casefold())
        yield from _as_text(partial(bytes.fromhex, digits[: len(digits) // 2 * 2]))


def _as_text(read: Callable[[], bytes]) -> Iterator[str]:
    try:
        raw = read()
    except (binascii.Error, ValueError):
        return
    for encoding in ("utf-8", "utf-16-le"):
        try:
            said = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if len(said) > 3 and all(c.isprintable() or c.isspace() for c in said):
            yield said


_SET = re.compile(
    r"(?<![\w$-])(?:alias\s+)?\$?([A-Za-z_]\w{0,30})\s?=\s?(\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^\s;&|\"'()]{1,80})"
)
_ALIAS = re.compile(r"(?<!\w)alias\s+([A-Za-z_]\w{0,30})=")
_USED = re.compile(r"\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_NOTHING = re.compile(r"\$\{?[\d@*#!?]\}?|\$\(\s*\)|/\*.*?\*/|``")
_SAID = re.compile(r"(?:\$\(|`) ?(?:echo|printf)(?: -[a-z]+)* [\"']?([\w./~ -]{1,40}?)[\"']? ?[)`]")
_BRACES = re.compile(r"\{([^{}\n]*,[^{}\n]*)\}")
_ONE_OF_ONE = re.compile(r"\[(\w)\]")
_JOINED = re.compile(r"[\"']\s*(?:\+|\.\.?)\s*[\"']")
_EMPHASIS = re.compile(r"(?<=\w)[*~]+(?=[\w*~ -])|(?<=[ -])[*~]+(?=\w)")
_WITHIN = re.compile(r"(?<=[a-z])_([a-z]{1,3})_(?=[a-z])", re.I)
_REMARK = re.compile(r"(?:^|\s)#\s.*$")
_MARKER = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*+>])\s+")


def values_in(text: str) -> Mapping[str, str]:
    """What variables and other names of commands are set to."""
    found = {name: value.strip("\"'") for name, value in _SET.findall(text)}
    return {name: value for name, value in found.items() if value and f"${name}" not in value}


def other_names_in(text: str) -> frozenset[str]:
    return frozenset(_ALIAS.findall(text))


def as_run(line: str, values: Mapping[str, str], names: frozenset[str] = frozenset()) -> str:
    """As a shell would read it: variables filled in, empty ones gone, braces spread, remarks and list marks gone."""
    line = _MARKER.sub("", _REMARK.sub("", line))
    line = _JOINED.sub("", _NOTHING.sub("", _SAID.sub(r"\1", line)))
    line = _USED.sub(lambda found: values.get(found[1] or found[2], ""), line)
    for name in names & values.keys():
        line = values[name].join(re.split(rf"(?<![\w$=]){name}(?![\w=])", line))
    line = _BRACES.sub(lambda found: found[1].replace(",", " "), _ONE_OF_ONE.sub(r"\1", line))
    return _WITHIN.sub(r"\1", _EMPHASIS.sub("", line))


def as_name(line: str) -> str:
    """With the names of variables in place of the marks around them."""
    return _JOINED.sub("", re.sub(r"\$\{(\w+)\}", r"\1", line))


def turn_about(line: str) -> tuple[str, str]:
    """By thirteen letters, and from its end."""
    return codecs.encode(line, "rot13"), line[::-1]
