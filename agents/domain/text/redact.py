"""Takes secrets out of text: exact values that are known, and whatever has the shape of one. Linear in the text."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator

from agents.domain.text.secret_shapes import SHAPES, Shape

MASK = "[secret]"
SHORTEST = 6  # a shorter value is no secret, and masking it would eat innocent text
_BREAK = re.compile(r"(?<=[\w+/=.-])\\?\r?\n[ \t>|+#*]{0,20}(?=[\w+/=.-])")
_BLANK = re.compile(r"\s")
_WRAPPING = tuple(shape for shape in SHAPES if shape.wraps)
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")

Redact = Callable[[str], str]


class Redactor:
    """Implements Redact. `secrets` are exact values: they go however they are wrapped, and in base64 too."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        spelled = sorted({each for secret in known for each in _spellings(secret)}, key=len, reverse=True)
        self._exact = re.compile("|".join(map(re.escape, spelled)) or r"(?!)")

    def __call__(self, text: str) -> str:
        text = _decoded(self._known(text), self._tells)
        text = _shaped(text, SHAPES)
        return self._wrapped(text) if "\n" in text else text

    def _known(self, text: str) -> str:
        """Exact values, also where white space was put into them."""
        text = self._exact.sub(MASK, text)
        found = [match.span() for match in self._exact.finditer("".join(text.split()))]
        if not found:
            return text
        kept = [at for at, c in enumerate(text) if not c.isspace()]
        return _masked(text, [(kept[start], kept[end - 1] + 1) for start, end in found])

    def _wrapped(self, text: str) -> str:
        """Shapes that a line break was put into."""
        joined = _BREAK.sub("", text)
        found = [span for shape in _possible(joined, _WRAPPING) for span in _found(shape, joined)]
        if not found:
            return text
        origin = _origin(text)
        return _masked(text, [(origin[start], origin[end - 1] + 1) for start, end in found])

    def _tells(self, text: str) -> bool:
        if not text:
            return False
        return self._exact.search(text) is not None or any(
            next(_found(shape, text), None) for shape in _possible(text, SHAPES)
        )


def _spellings(secret: str) -> Iterator[str]:
    """Itself, and what base64 makes of it at each of the three places it can begin."""
    yield secret
    yield _BLANK.sub("", secret) or secret
    data = secret.encode()
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        # the first and the last characters depend on what stands beside it
        sure = encoded[(0, 2, 3)[before] : len(encoded) - 1]
        if len(sure) >= SHORTEST + 2:
            yield sure
            yield sure.replace("+", "-").replace("/", "_")


def _possible(text: str, shapes: Iterable[Shape]) -> list[Shape]:
    low = text.lower()
    return [shape for shape in shapes if any(anchor in low for anchor in shape.anchors)]


def _shaped(text: str, shapes: Iterable[Shape]) -> str:
    for shape in _possible(text, shapes):
        text = _masked(text, list(_found(shape, text)))
    return text


def _found(shape: Shape, text: str) -> Iterator[tuple[int, int]]:
    group = "secret" if "secret" in shape.regex.groupindex else 0
    for match in shape.regex.finditer(text):
        if shape.check(match[group]):
            yield match.span(group)


def _masked(text: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return text
    parts, at = [], 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        parts += [text[at : max(at, start)], MASK if start >= at else ""]
        at = end
    return "".join((*parts, text[at:]))


def _origin(text: str) -> list[int]:
    """Where each character that is left without the breaks was."""
    origin, at = list[int](), 0
    for found in _BREAK.finditer(text):
        origin += range(at, found.start())
        at = found.end()
    return [*origin, *range(at, len(text))]


def _decoded(text: str, tells: Callable[[str], bool]) -> str:
    """Runs of base64 that hold a secret."""
    spans = [match.span() for match in _ENCODED.finditer(text) if tells(_plain(match[0]))]
    return _masked(text, spans)


def _plain(run: str) -> str:
    """What a run of base64 says, if it says anything readable."""
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        said = base64.b64decode(body + "=" * (-len(body) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return said if said.isprintable() or "\n" in said else ""


class Secret:
    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """For the one place that hands it over."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)
