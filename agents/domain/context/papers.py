"""What a planner and its reviewers are shown before they look by themselves: what a project says about how it is made,
and the files that a request names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agents.domain.checks.scope import matches
from agents.domain.context.packing import secret_path
from agents.domain.context.strategy import Strategy
from agents.domain.context.variables import patterns_of
from agents.domain.text.sanitize import clean, cut

MOST = 16_000  # characters of all of them
# For whoever works on the project; the first that a project has come first.
GUIDES = ("agents.md", "claude.md", "gemini.md", "contributing", "copilot-instructions.md", ".cursorrules", "readme")
_DECISIONS = frozenset({"adr", "adrs", "decisions", "architecture-decisions"})
_NAMED, _WANTED, _GUIDES, _RECORDS = 4, 6, 4, 8  # of each kind at most
_ROOM = {"named": 5_000, "wanted": 2_000, "guide": 3_000, "record": 600}  # characters of one
_WORD = re.compile(r"[\w./-]+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BADGE = re.compile(r"\[?!\[[^\]\n]*\][(\[][^)\]\n]*[)\]](?:\][(\[][^)\]\n]*[)\]])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A file that is shown from its beginning. `room`: characters of it."""

    path: str
    room: int
    text: str = ""


def choose_papers(files: Sequence[str], request: str, wanted: Sequence[str] = ()) -> tuple[Paper, ...]:
    """Files that the request names, what the planner's role reads, guides from the root on, the latest decisions."""
    shown = [path for path in files if not secret_path(path)]
    kinds = {
        "named": _named(shown, request)[:_NAMED],
        "wanted": [path for path in wanted if not secret_path(path)][:_WANTED],
        "guide": _guides(shown)[:_GUIDES],
        "record": _records(shown),
    }
    found = dict[str, Paper]()
    for kind, paths in kinds.items():
        for path in paths:
            found.setdefault(path, Paper(path=path, room=_ROOM[kind]))
    return tuple(found.values())


def matching(context: Strategy, files: Sequence[str]) -> list[str]:
    """What a role reads by name, but for what it never reads; what it always reads comes first."""
    never = patterns_of(context.exclude)
    wanted = [patterns_of(context.always_include), patterns_of(context.include)]
    found = [path for patterns in wanted for path in files if any(matches(path, each) for each in patterns)]
    return [path for path in dict.fromkeys(found) if not any(matches(path, each) for each in never)]


def fill_papers(papers: Iterable[tuple[Paper, bytes]]) -> Iterator[Paper]:
    """With their beginnings, as far as all of them fit; badges and comments tell nothing, and are no alarm."""
    left = MOST
    for paper, content in papers:
        if left <= 0 or b"\0" in content[:8192]:
            continue
        text = cut(_told(clean(content.decode(errors="replace")), paper.path), min(paper.room, left)).strip()
        left -= len(text)
        if text:
            yield Paper(path=paper.path, room=paper.room, text=text)


def _told(text: str, path: str) -> str:
    if not path.casefold().endswith((".md", ".markdown")):
        return text
    lines = _COMMENT.sub("", text).splitlines()
    return "\n".join(line for line in lines if "![" not in line or _BADGE.sub("", line).strip())


def _named(files: Sequence[str], request: str) -> list[str]:
    """By their whole path, or by a name that only one file has."""
    words = [word.strip("./-") for word in _WORD.findall(request)]
    places = dict[str, list[str]]()
    for path in files:
        places.setdefault(path.rpartition("/")[2], []).append(path)
    known = frozenset(files)
    found = (
        [word] if word in known else places.get(word, []) if "." in word and len(places.get(word, [])) == 1 else []
        for word in words
    )
    return list(dict.fromkeys(path for paths in found for path in paths))


def _guides(files: Sequence[str]) -> list[str]:
    """Those in the root, and beside it where forges look for them."""
    near = [path for path in files if path.count("/") == 0 or path.startswith((".github/", "docs/"))]
    near = [path for path in near if path.count("/") <= 1]

    ranked = ((_rank(path.rpartition("/")[2].casefold()), path.count("/"), path) for path in near)
    return [path for rank, _, path in sorted(ranked) if rank < len(GUIDES)]


def _rank(name: str) -> int:
    return next((at for at, guide in enumerate(GUIDES) if name.startswith(guide)), len(GUIDES))


def _records(files: Sequence[str]) -> list[str]:
    """Decisions that were written down, the latest first: their names are numbers or dates."""
    found = [path for path in files if path.endswith((".md", ".rst", ".adoc")) and is_record(path)]
    return sorted(found, key=lambda path: path.rpartition("/")[2], reverse=True)[:_RECORDS]


def is_record(path: str) -> bool:
    """A decision that was written down."""
    folder, _, name = path.casefold().rpartition("/")
    return folder.rpartition("/")[2] in _DECISIONS and not name.startswith(("readme", "template", "index"))
