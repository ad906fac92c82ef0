"""Looks through a skill for what no instruction to a minion needs: advice on top of the fences, which hold without it.

A list of words is easily evaded, so a text is read in several ways at once: as it stands, without blanks, with codes
decoded, as a shell would run it, turned about, and what is encoded in it. Whoever gets past it still needs a person's
merge, and the minion that reads it has no credentials and sits in a sandbox.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.domain.skills.disguise import (
    as_name,
    as_run,
    decode,
    fold,
    has_mixed_word,
    has_unseen,
    hidden_texts,
    other_names_in,
    turn_about,
    values_in,
)
from agents.domain.skills.forbidden import fetches_and_runs, matches_in

MOST = 8  # findings that are named
WIDEST = 6  # lines that one command may be split over
NEAR = 240  # characters of so many lines together
UNSEEN, MIXED = "characters that cannot be seen", "letters of several scripts in one word"
FETCHED = "a program that is fetched and run"
# What a note has no business saying; that a convention forbids `eval()` is one of the others.
NO_NOTE = frozenset({UNSEEN, MIXED, "an order to whoever judges", "instructions that stand elsewhere"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    line: int
    what: str


def scan(text: str) -> list[Finding]:
    """What is found, by line, the first few."""
    lines = text.splitlines()
    read = _Reading(lines)
    found = dict[tuple[int, str], Finding]()
    for at, line in enumerate(lines):
        whats = [*read.in_window(at)]
        whats += [UNSEEN] if has_unseen(line) else []
        whats += [MIXED] if has_mixed_word(line) else []
        for what in whats:
            found.setdefault((at, what), Finding(line=at + 1, what=what))
        if len(found) >= MOST:
            break
    later = read.run_later()
    if later is not None and all(each.what != FETCHED for each in found.values()):
        found[later, FETCHED] = Finding(line=later + 1, what=FETCHED)
    return sorted(found.values(), key=lambda each: each.line)[:MOST]


class _Reading:
    """Lines of a text, each as it may be meant; the same of a window of lines are joined without folding them again."""

    def __init__(self, lines: Sequence[str]) -> None:
        text = "\n".join(lines)
        values, names = values_in(text), other_names_in(text)
        self._lines = lines
        self._spelled = [_spell(line, values, names) for line in lines]
        self._own = [_matches_of(spelled, line) for spelled, line in zip(self._spelled, lines, strict=True)]
        self._blobs = dict(_joined_blobs(lines))

    def in_window(self, at: int) -> list[str]:
        """In a line; or in it and the next ones, where only all of them together hold it."""
        own = set(self._own[at])
        own |= {what for text in hidden_texts(self._blobs.get(at, "")) for what in _plain_matches(text)}
        end, length = at + 1, len(self._lines[at])
        while end < min(at + WIDEST, len(self._lines)):
            length += len(self._lines[end])
            if end > at + 2 and length > NEAR:
                break
            end += 1
        alone = own.union(*self._own[at + 1 : end])
        new = self._together(at, end) - alone if end > at + 1 else set()
        return sorted(own | (new - self._together(at + 1, end) if new else new))

    def _together(self, start: int, end: int) -> set[str]:
        """In these lines as one, without the blanks between them."""
        ways = ("".join(spelled[way] for spelled in self._spelled[start:end]) for way in _TIGHT)
        return {what for text in dict.fromkeys(ways) for what in _found_in(text)}

    def run_later(self) -> int | None:
        """The line from which a file is fetched that another line runs."""
        joined, starts = "", list[int]()
        for spelled in self._spelled:
            starts.append(len(joined))
            joined += f"{spelled[0]} ; "
        at = fetches_and_runs(joined)
        return None if at is None else max(number for number, start in enumerate(starts) if start <= at)


_TIGHT = (1, 3)  # of the ways in which a line is spelled, those without blanks


def _spell(line: str, values: Mapping[str, str], names: frozenset[str]) -> tuple[str, ...]:
    """As it stands, and as it is run, each with blanks and without."""
    plain, run = fold(line), fold(as_run(line, values, names))
    return (plain, plain.replace(" ", ""), run, run.replace(" ", ""))


def _matches_of(spelled: Sequence[str], line: str) -> frozenset[str]:
    found = {what for text in dict.fromkeys(spelled) for what in _found_in(text)}
    more = (fold(text) for text in (decode(line), as_name(line), *turn_about(spelled[0])) if text != line)
    found |= {what for text in more for what in _found_in(text)}
    return frozenset(found | {what for text in hidden_texts(line) for what in _plain_matches(text)})


def _plain_matches(text: str) -> Iterator[str]:
    folded = fold(text)
    return (what for way in (folded, folded.replace(" ", "")) for what in _found_in(way))


@lru_cache(maxsize=4_096)
def _found_in(folded: str) -> tuple[str, ...]:
    return tuple(matches_in(folded))


def _joined_blobs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Lines of one word each, joined, with the number of the first: a long code is wrapped like that."""
    start, piece = 0, ""
    for at, line in enumerate((*lines, " .")):
        word = line.strip(" \t\"'`|>")
        if word and not any(c.isspace() for c in word) and len(word) > 1:
            start, piece = (at, word) if not piece else (start, piece + word)
        else:
            if len(piece) > 15:
                yield start, piece
            piece = ""
