"""Which notes a prompt shows, and which a search finds: ranked in memory, for a project has a few hundred at most."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agents.domain.knowledge.document import Note, Status
from agents.domain.knowledge.note import Folder, number_rules

BUDGET = 2_000  # tokens of all notes in a prompt
MOST_FOUND = 8  # that a search shows
MOST_LESSONS = 6  # in a prompt
_K1, _B = 1.2, 0.75  # of BM25, as they are usually set
_WORD = re.compile(r"[^\W_]+")
_SMALL = re.compile(
    "a|an|and|are|as|at|be|but|by|can|do|for|from|has|have|how|if|in|into|is|it|its|not|of|on|or|our|so|that|the|their"
    "|them|then|there|they|this|to|use|was|we|what|when|which|who|will|with|you|your"
)


def rank(notes: Sequence[Note], query: str) -> list[tuple[float, Note]]:
    """Those that share a word with the query, the best first (BM25). A tie goes by name."""
    counts = [Counter(_words(note.words)) for note in notes]
    sizes = [sum(each.values()) for each in counts]
    mean = sum(sizes) / len(sizes) if sizes else 1
    wanted, scores = set(_words(query)), list[tuple[float, Note]]()
    rarity = {word: _rarity(sum(word in each for each in counts), len(notes)) for word in wanted}
    for note, found, size in zip(notes, counts, sizes, strict=True):
        damping = _K1 * (1 - _B + _B * size / mean)
        score = sum(rarity[word] * found[word] * (_K1 + 1) / (found[word] + damping) for word in wanted if found[word])
        if score > 0:
            scores.append((score, note))
    return sorted(scores, key=lambda pair: (-pair[0], pair[1].name))


def _rarity(having: int, of: int) -> float:
    return math.log(1 + (of - having + 0.5) / (having + 0.5))


def _words(text: str) -> list[str]:
    """Whole words in small letters, without an ending that says how many."""
    return [_stem(word) for word in _WORD.findall(text.casefold()) if not _SMALL.fullmatch(word)]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Notes for one prompt. `confirmed` come first: they are the same for all who plan or judge a plan."""

    confirmed: tuple[Note, ...] = ()
    unconfirmed: tuple[Note, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()  # files that are no notes, each with the reason

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(note.name for note in (*self.confirmed, *self.unconfirmed))


def choose_notes(notes: Sequence[Note], about: str, size: Callable[[Note], int], budget: int = BUDGET) -> Choice:
    """All active conventions, design that matches what it is about, lessons and domain likewise; as far as they fit.

    Established ones first: where there is no room, it is the guesses that go.
    """
    active = [note for note in notes if note.status is not Status.DEPRECATED]
    wanted = _in_order(active, about)
    kept, room = list[Note](), budget
    for status in (Status.ESTABLISHED, Status.PROVISIONAL):
        for note in wanted:
            if note.status is status and (cost := size(note)) <= room:
                kept.append(note)
                room -= cost
    confirmed = tuple(note for note in kept if note.status is Status.ESTABLISHED)
    return Choice(confirmed=confirmed, unconfirmed=tuple(note for note in kept if note not in confirmed))


def _in_order(notes: Sequence[Note], about: str) -> list[Note]:
    """What matches comes before what is shown anyway, so that a crowd of conventions does not push out what matters."""
    ranked = [note for _, note in rank(notes, about)]
    told = [note for note in ranked if note.folder not in (Folder.CONVENTIONS, Folder.DESIGN)][:MOST_LESSONS]
    matching = [note for note in ranked if note.folder is Folder.CONVENTIONS]
    others = sorted(
        (note for note in notes if note.folder is Folder.CONVENTIONS and note not in matching), key=lambda n: n.name
    )
    design = [note for note in ranked if note.folder is Folder.DESIGN]
    return [*matching, *others, *design, *told]


def note_text(note: Note) -> str:
    """As prompts and searches show it: why it is so is left to the file."""
    examples = [f"{word}:\n{text}" for word, text in (("Good", note.good), ("Bad", note.bad)) if text]
    return "\n".join((f"[{note.name}] {note.title}", number_rules(note.rules), *examples))


def search_notes(notes: Iterable[Note], query: str) -> list[Note]:
    """For whoever asks; what no longer applies is found too, and says so."""
    return [note for _, note in rank(list(notes), query)][:MOST_FOUND]
