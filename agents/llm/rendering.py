"""Templates become text. Whatever did not come from us goes in cleaned, cut and fenced, and is never rendered again.

`python -m agents.llm.rendering` renders one template of a project's own: a process with little memory and no secrets.
"""

import json
import re
import resource
import signal
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, Template, TemplateError, TemplateSyntaxError, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import clean, cut
from manifests import packaged_path

# Characters a field may have; what is not named may have the last.
CAPS: dict[str, int] = {
    "request": 20_000,
    "files": 60_000,
    "plan": 40_000,
    "file": 40_000,
    "words": 8_000,
    "reasoning": 2_000,
    "guidance": 8_000,
    "record": 24_000,
    "work": 400_000,  # finished work, packed for a reviewer
    "pack": 400_000,  # both were made to fit a budget of tokens
}
CAP = 10_000
# What a project's own template may take, in a process of its own.
SECONDS = 1.0
MEMORY = 512 << 20  # bytes
LONGEST = 100_000  # characters a project's template may make
REFUSED = 3
_SAID = frozenset({"request", "words", "question", "recent", "known"})  # what people say, by the names of its fences
_PLAIN = re.compile(r"[\t\n\x20-\x7e]*")
# Unseen, yet of a visible category: variation selectors and fillers can carry whole sentences.
_SMUGGLED = re.compile(
    "[\u200d\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_LONG_WORD = 200
_BLOB = re.compile(r"[A-Za-z0-9+/_-]{200,}={0,2}")


class BadTemplate(OverlordError):
    """A prompt that cannot be rendered."""


class Trusted(str):
    """Text of our own, or text from outside that has been fenced."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Fence:
    """Marks where text from outside begins and ends. Its tag cannot be guessed, and is the same throughout a task."""

    tag: str
    caps: tuple[tuple[str, int], ...] = ()  # characters, where fewer than usual fit

    def around(self, value: object, name: str) -> Trusted:
        plain = isinstance(value, str | Undefined)  # the latter says what is missing when it is read
        text = str(value) if plain else json.dumps(value, ensure_ascii=False, indent=1)
        shown, notes = self.harmless(text, said=name in _SAID)
        whole = len(shown)
        shown = cut(shown, dict(self.caps).get(name, CAPS.get(name, CAP)))
        if len(shown) < whole:
            notes.append(f"cut from {whole} characters")
        label = re.sub(r"[^\w .-]", "", name)[:60]
        note = f' note="{"; ".join(notes)}"' if notes else ""
        return Trusted(f'<{self.tag} name="{label}"{note}>\n{shown}\n</{self.tag}>')

    def quote(self, value: object) -> Trusted:
        """What a person asked for or approved: an instruction, on lines of its own that begin with a mark."""
        text = cut(self.harmless(str(value))[0], CAP)
        return Trusted("\n".join(f"> {line}" for line in text.splitlines() or [""]))

    def harmless(self, text: str, *, said: bool = False) -> tuple[str, list[str]]:
        """Without unseen characters and without our tag; and what a reader should know was there."""
        shown, notes = text, []
        if not _PLAIN.fullmatch(text):
            shown = _SMUGGLED.sub("", clean(text))
            hidden = len(text.replace("\r\n", "\n")) - len(shown)
            if hidden:
                notes.append(f"{hidden} hidden characters removed")
        if said and "<!--" in shown:  # most READMEs have some; who writes one into a chat hides something
            notes.append("has an HTML comment, which people do not see")
        if len(shown) >= _LONG_WORD and max(map(len, shown.split()), default=0) >= _LONG_WORD and _BLOB.search(shown):
            notes.append("has encoded text")
        return shown.replace(self.tag, "…"), notes


_HERE: ContextVar[Fence] = ContextVar("fence")  # one environment compiles the templates; each render has its fence


def _finalize(value: Any) -> Any:
    """A value that a template forgot to fence is at least harmless: it cannot hide anything or open a fence."""
    fence = _HERE.get(None)
    if fence is None or value is None or isinstance(value, Trusted | int | float):
        return value
    return cut(fence.harmless(str(value))[0], CAP)


@lru_cache(maxsize=1)
def environment() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(packaged_path("prompts")),
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        autoescape=False,
    )
    made.filters["untrusted"] = lambda value, name: _HERE.get().around(value, name)
    made.filters["quoted"] = lambda value: _HERE.get().quote(value)
    made.globals.clear()  # no cycler, lipsum, joiner, namespace, range: nothing to climb from, nothing to spin
    return made


def packaged_text(name: str, values: Mapping[str, object], fence: Fence) -> str:
    """One of our own templates. Values are plain data."""
    return _render(lambda: _template(name), values, fence)


def given_text(source: str, values: Mapping[str, object], fence: Fence) -> str:
    """A template of the operator's own."""
    return _render(lambda: environment().from_string(source), values, fence)


@lru_cache(maxsize=64)
def _template(name: str) -> Template:
    """They do not change while the program runs, and looking one up is half of rendering it."""
    return environment().get_template(f"{name}.j2")


def _render(template: Callable[[], Template], values: Mapping[str, object], fence: Fence) -> str:
    """Raises BadTemplate, never anything of Jinja's own."""
    before = _HERE.set(fence)
    try:
        return template().render(**values, fence=Trusted(fence.tag)).strip()
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        line = f" (line {error.lineno})" if isinstance(error, TemplateSyntaxError) else ""
        raise BadTemplate(
            f"It cannot be rendered: {cut(clean(str(error)), 200)}{line}", next_step="Fix the template, or remove it."
        ) from error
    finally:
        _HERE.reset(before)


def main() -> int:
    """The task comes as JSON on stdin, the text goes to stdout; what is wrong goes to stderr."""
    task = json.load(sys.stdin)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.setitimer(signal.ITIMER_REAL, SECONDS)  # nobody listens: it ends the process, even inside a loop in C
    try:
        text = _render(lambda: environment().from_string(task["template"]), task["values"], Fence(task["fence"]))
    except BadTemplate as error:
        sys.stderr.write(error.what)
        return REFUSED
    except (MemoryError, RecursionError):
        sys.stderr.write("It cannot be rendered: it wants too much memory")
        return REFUSED
    sys.stdout.write(text[:LONGEST])
    return 0


if __name__ == "__main__":
    sys.exit(main())
