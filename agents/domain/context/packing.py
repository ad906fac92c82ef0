"""A pack: what a minion or a reviewer is given to read, in sections that give way to each other within a budget."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.domain.checks.evaluation import Change
from agents.domain.checks.scope import matches
from agents.domain.errors import OverlordError
from agents.domain.text.sanitize import one_line

Count = Callable[[str], int]  # tokens of a text

DEFAULT_BUDGET, MAX_BUDGET = 20_000, 50_000  # tokens, whatever a file says

TREE_MOST = 3_000  # tokens, where nobody says so: names of files far away help nobody
TARGET_LEAST = 200  # less of a file is no use
NOTE = 250  # kept free for saying what was left out
NAMED_MOST = 5  # of what was left out

# Never packed, whoever asks for it. Read in small letters.
SECRET_PATHS = (
    "**/.env*", "**/*.env", "**/*.pem", "**/*.key", "**/*.p12", "**/*.pfx", "**/*.jks", "**/*.keystore", "**/*.kdbx",
    "**/*.ppk", "**/*.asc", "**/id_rsa*", "**/id_dsa*", "**/id_ecdsa*", "**/id_ed25519*", "**/.netrc", "**/_netrc",
    "**/.npmrc", "**/.pypirc", "**/.git-credentials", "**/.htpasswd", "**/.pgpass", "**/.vault-token",
    "**/.ssh/**", "**/.aws/**", "**/.gnupg/**", "**/.kube/**", "**/.docker/config.json", "**/.git/**",
    "**/service-account*.json", "**/*.tfstate", "**/*.tfstate.backup", "**/*.tfvars",
)  # fmt: skip
# Code may be about secrets: secrets.py is read, secrets.yaml is not.
_SECRET_DATA = re.compile(
    r"(?:^|/)(?:secrets?|credentials?)(?:(?:/[^/]*)?\.(?:json|ya?ml|toml|ini|cfg|conf|txt|xml|csv|properties))?\Z"
)


class Part(StrEnum):
    """In the order in which they are kept, where a strategy says no other."""

    SYSTEM = "system"
    TASK = "task"
    TARGET = "target"
    IMPORTS = "imports"
    CHANGES = "changes"
    RELATED = "related"
    TREE = "tree"


_ALWAYS = (Part.SYSTEM, Part.TASK)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    part: Part
    name: str
    text: str  # marked, where it is not ours
    tokens: int  # of the text

    @property
    def heading(self) -> str:
        return f"⟦{self.part}: {one_line(self.name, 200)}⟧"

    def render(self) -> str:
        return f"{self.heading}\n{self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    text: str
    tokens: int
    cut: tuple[str, ...] = ()  # names of sections of which only the beginning is there
    left_out: tuple[str, ...] = ()  # for there is no room
    skipped: tuple[str, ...] = ()  # with the reason
    kept: tuple[Section, ...] = ()  # of the text, in its order


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What changed, from where to where, and what was agreed to. Commits are full ids."""

    before: str
    after: str
    diff: str
    changes: tuple[Change, ...]
    plan: str
    cut: int = 0  # bytes that the diff lacks


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPack:
    """What a reviewer is given of finished work: in one text or in several, each to be judged."""

    parts: tuple[str, ...]
    read: int = 0  # changed lines that are in the parts
    lines: int = 0  # changed lines that there are
    unread: tuple[str, ...] = ()  # what is in no part, by name
    packed: tuple[Packed, ...] = ()  # the same parts, with what is in them


class PackTooTight(OverlordError):
    """Even the least that must be read does not fit."""

    def __init__(self, needed: int, budget: int, what: str) -> None:
        super().__init__(
            f"{what} alone need {needed:,} tokens, and the budget is {budget:,}",
            next_step="Raise the budget of the role, or split the subtask so that it has fewer and smaller files.",
        )
        self.needed = needed
        self.budget = budget


def secret_path(path: str) -> bool:
    low = path.casefold()
    return _SECRET_DATA.search(low) is not None or any(matches(low, pattern) for pattern in SECRET_PATHS)


def escape_headings(text: str) -> str:
    """Text of somebody else's, in which nothing can be taken for one of our headings."""
    return text.replace("⟦", "\\⟦")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How much a pack may hold, and what is kept first."""

    budget: int
    order: tuple[Part, ...] = tuple(Part)
    tree: int = TREE_MOST  # tokens
    ahead: tuple[Part, ...] = ()  # what stands before the rest; what is kept first is another matter


def pack(sections: Iterable[Section], room: Room, count: Count, skipped: Sequence[str] = ()) -> Packed:
    """Everything, if it fits. Else what comes last in the order goes first: the tree is cut, related files and imports
    go whole; then the targets are cut. System and task stay. Raises PackTooTight.
    """
    return _Packing(list(sections), room, count).pack(skipped)


class _Packing:
    def __init__(self, sections: list[Section], room: Room, count: Count) -> None:
        order = dict.fromkeys((*room.order, *Part))
        self._sections = [section for part in order for section in sections if section.part is part]
        self._count = count
        self._budget = room.budget
        self._tree_most = room.tree
        self._for_note = min(NOTE, room.budget // 5)
        self._room = room.budget - self._for_note
        self._ahead = (*_ALWAYS, *room.ahead)
        self._cut: list[str] = []
        self._left_out: list[str] = []

    def pack(self, skipped: Sequence[str]) -> Packed:
        kept = [*self._fixed(), *self._targets()]
        for section in self._sections:
            if section.part in _MAY_GO and (taken := _MAY_GO[section.part](self, section)):
                kept.append(taken)
        kept.sort(key=lambda section: section.part not in self._ahead)
        note = self._note(skipped)
        tokens = sum(map(self._cost, kept)) + self._count(note)
        text = "\n\n".join((*(section.render() for section in kept), *([note] if note else ())))
        return Packed(
            text=text,
            tokens=tokens,
            cut=tuple(self._cut),
            left_out=tuple(self._left_out),
            skipped=tuple(skipped),
            kept=tuple(kept),
        )

    def _cost(self, section: Section) -> int:
        return section.tokens + self._count(section.heading) + 2

    def _fixed(self) -> list[Section]:
        fixed = [section for section in self._sections if section.part in _ALWAYS]
        needed = sum(map(self._cost, fixed))
        if needed > self._room:
            raise PackTooTight(needed + self._for_note, self._budget, "The rules and the task")
        self._room -= needed
        return fixed

    def _targets(self) -> list[Section]:
        """Small ones whole; what is left is shared evenly among the large ones."""
        targets = [section for section in self._sections if section.part is Part.TARGET]
        least = sum(min(self._cost(target), TARGET_LEAST) for target in targets)
        if least > self._room:
            raise PackTooTight(self._budget - self._room + least, self._budget, "The task and the files it changes")
        kept = dict[int, Section]()
        by_size = sorted(range(len(targets)), key=lambda at: targets[at].tokens)
        for waiting, at in zip(range(len(targets), 0, -1), by_size, strict=True):
            kept[at] = self._within(targets[at], self._room // waiting)
            self._room -= self._cost(kept[at])
        return [kept[at] for at in range(len(targets))]

    def _whole(self, section: Section) -> Section | None:
        if (cost := self._cost(section)) > self._room:
            self._left_out.append(f"{section.name} ({section.tokens:,} tokens)")
            return None
        self._room -= cost
        return section

    def _tree(self, section: Section) -> Section | None:
        if self._room < TARGET_LEAST:
            self._left_out.append(section.name)
            return None
        cut = self._within(section, min(self._room, self._tree_most))
        self._room -= self._cost(cut)
        return cut

    def _within(self, section: Section, room: int) -> Section:
        if self._cost(section) <= room:
            return section
        self._cut.append(section.name)
        inside = room - self._count(section.heading) - 2
        text = shorten(section.text, section.tokens, inside, self._count)
        return replace(section, text=text, tokens=self._count(text))

    def _note(self, skipped: Sequence[str]) -> str:
        """What is not there, with names as long as there is room for them."""
        told = (("Left out, for there is no room", self._left_out), ("Not shown", skipped))
        for named in (NAMED_MOST, 2, 0):
            lines = [f"⟦note: {said}: {_few(names, named)}⟧" for said, names in told if names]
            if self._count(note := "\n".join(lines)) < self._for_note:
                return note
        return ""


_MAY_GO = {
    Part.IMPORTS: _Packing._whole,
    Part.CHANGES: _Packing._whole,
    Part.RELATED: _Packing._whole,
    Part.TREE: _Packing._tree,
}


def _few(names: Sequence[str], most: int) -> str:
    told = [one_line(name, 60) for name in names[:most]]
    return ", ".join((*told, f"{len(names) - most:,} more") if len(names) > most else told)


def shorten(text: str, tokens: int, room: int, count: Count) -> str:
    """The beginning of a text, in whole lines where that is possible, and how much is missing."""
    share = max(0, room - 30) / max(tokens, 1)
    while share > 0.001:
        size = int(len(text) * share)
        end = text.rfind("\n", 0, size)
        kept = text[: end if end > size // 2 else size]
        left = text[len(kept) :]
        said = f"{kept}\n… (cut: {left.count(chr(10)):,} more lines, {len(left):,} more characters)"
        if count(said) <= room:
            return said
        share *= 0.9
    return f"… (cut: {text.count(chr(10)):,} lines, {len(text):,} characters)"
