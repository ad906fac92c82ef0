"""What a failure is about where nothing but words tells: things that it names, and words that carry its meaning."""

import re
from collections.abc import Iterable, Iterator

MOST_THINGS, MOST_WORDS = 6, 24
_RAISED = re.compile(
    r"^(?:E\s{1,9})?(?:[A-Za-z_]\w{0,60}\.){0,9}([A-Za-z_]\w{0,60}(?:Error|Exception|Warning))\b", re.M
)
_QUOTED = re.compile(r"[`“‘]([^`”’\n]{1,80})[`”’]|\"([^\"\n]{1,80})\"|(?<!\w)'([^'\n]{1,80})'(?!\w)")
_NAMED = re.compile(
    r"(?<![\w-])[\w-]{1,80}\.\w{1,5}\b|\b[A-Z][A-Z0-9]{0,60}_[A-Z0-9_]{1,60}\b|\b[a-z]{1,60}_[a-z_]{1,60}\b"
    r"|\b[A-Z][a-z]{1,60}[A-Z]\w{1,60}\b"
)
_PASSING = re.compile(r"exit (?:code|status)|0x[0-9a-f]+|\b[0-9a-f]{7,64}\b|\d+|/(?:tmp|var/tmp|run|proc)/\S*", re.I)
_TELLS = re.compile(r"error|fail|cannot|can.t|could not|not ok|unexpected|expected|panic|fatal|denied|[✕✗✖×]", re.I)
_WORD = re.compile(r"[a-z]{3,}")
_SMALL = re.compile(
    "the|and|for|was|were|are|not|but|with|that|this|from|have|has|had|can|cannot|could|would|"
    "should|there|here|its|because|which|when|then|than|into|any|all|our|been|being|does|did|"
    "done|will|just|only|also|please|some|such|very|unable|able|fails|failed|failing|failure|"
    "failures|need|needs|needed|still|blocked|blocker|block|task|subtask|work|works|working|"
    "available|unavailable|missing|exist|exists|existing|installed|found|find|finding|know|known|"
    "unknown|don|doesn|didn|isn|wasn|aren|weren|couldn|wouldn|won|haven|hasn|keep|keeps|keeping|"
    "seems|seem|currently|simply|therefore|since|without|within|what|who|whom|how|why|where|while|"
    "they|them|their|you|your|one|two|now|yet|cause|causes|caused|get|gets|got|let|make|makes|"
    "made|use|uses|used|using|run|runs|running|ran|try|tries|tried|trying|say|says|said|set|"
    "sets|setup|configured|configure|environment|machine|place|exit|"
    "nothing|nobody|none|nowhere|nor|neither|never|every|each|other|others|own|way|thing|things|"
    "something|anything|possible|impossible|problem|issue|reason|continue|proceed|going|further|"
    "anymore|more|most|much|many|out|off|over|under|again|already|after|before|denied|permitted|"
    "allowed|timed|timeout|seconds|second|minutes|minute|command"
)
MORE_THAN = 0.5  # of the words of two that are alike


def things_in(said: str) -> tuple[str, ...]:
    """Exceptions, what is quoted, and names as code has them."""
    found = (name for pattern in (_RAISED, _QUOTED, _NAMED) for each in pattern.finditer(said) for name in _names(each))
    plain = {_PASSING.sub("", name).strip(" .,:;").casefold() for name in found}
    return tuple(sorted(name for name in plain if name)[:MOST_THINGS])


def _names(found: "re.Match[str]") -> Iterator[str]:
    return (name for name in (found.groups() or (found[0],)) if name)


def words_in(said: str) -> tuple[str, ...]:
    """Words that carry the meaning, each in one form."""
    words = _WORD.findall(_PASSING.sub(" ", said.casefold()))
    return tuple(sorted({_stem(word) for word in words if not _SMALL.fullmatch(word)})[:MOST_WORDS])


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending) and not word.endswith("ss"):
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word


def telling_lines(output: str) -> str:
    """The last lines that say what is wrong; where none does, the last ones."""
    lines = [line for line in output.splitlines() if line.strip()]
    return "\n".join([line for line in lines if _TELLS.search(line)][-5:] or lines[-3:])


def are_alike(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two say the same in other words: most of what they say is shared, or one says all that the other does.
    Where one word stands in place of one other, the same is said of another thing."""
    these, those = frozenset(one), frozenset(other)
    shared, every = these & those, these | those
    if len(shared) < 2 or len(these - those) == len(those - these) == 1:
        return False
    part = len(shared) / len(every)
    return part > MORE_THAN or (part == MORE_THAN and shared in (these, those))
