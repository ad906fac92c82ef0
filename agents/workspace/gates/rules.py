"""The gates that need no command: forbidden files, scope, secrets and loops, read from what differs."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

from agents.domain.checks.evaluation import GateRun, Score
from agents.domain.checks.scope import STANDING_DENY, Scope, ScopeMode, matches, twins
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import clean, one_line
from agents.domain.checks.scope import STANDING_DENY, Scope, ScopeMode, matches, twins
from agents.workspace.gates.originals import many
from agents.workspace.git.objects import LINK, MODULE, Differing

KB, MB = 1 << 10, 1 << 20
COMMITS_MOST = 200
BINARY_MOST, TEXT_MOST, DIFF_MOST = 512 * KB, 2 * MB, 24 * MB
PROGRAMS = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm", b"!<arch>")
HEAD = 8_000  # bytes in which git, too, looks for a NUL
NAMED_MOST = 8
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)")
_GIT_ITSELF = re.compile(r"(?i)^\.git( *\.*|~\d)?$")

Reads = Callable[[str], bytes]  # a changed file's content, by path


def forbidden(differing: Sequence[Differing], content: Reads, there: Collection[str] = ()) -> GateRun:
    """Files that no scope opens, and, for the minion to mend, names that clash with those that are there."""
    why = [
        f"{display_path(each.change.path)}: {problem}" for each in differing for problem in _forbidden(each, content)
    ]
    row = _row("forbidden files", why, f"none among {many(len(differing), 'changed file')}")
    if row.score is not Score.PASS or not (clashes := _clashes(differing, there)):
        return row
    return replace(_row(row.name, clashes, ""), score=Score.NEEDS_REVISION)


def _clashes(differing: Sequence[Differing], there: Collection[str]) -> list[str]:
    added = [each.change.path for each in differing if each.before is None and each.after is not None]
    others = frozenset(there).difference(added) if added else ()
    said = "on machines where case does not count this is"
    return [
        f"{display_path(path)}: {said} {display_path(other)}, so one would be lost"
        for path, other in twins(added, others)
    ]


def _forbidden(each: Differing, content: Reads) -> Iterator[str]:
    path, after = each.change.path, each.after
    if any(_GIT_ITSELF.match(part) for part in path.split("/")) or path.casefold() == ".gitmodules":
        yield "this is git's own"
    if after is None:
        return
    if after.mode == MODULE:
        yield "a submodule brings in code that nobody judged"
    elif after.mode == LINK:
        if leaves(path, content(path)):
            yield "a link that leaves the project"
    else:
        yield from _heavy(after.size, content(path))


def _heavy(size: int, content: bytes) -> Iterator[str]:
    if content.startswith(PROGRAMS) and b"\0" in content[:HEAD]:
        yield "a compiled program"
    elif b"\0" in content[:HEAD] and size > BINARY_MOST:
        yield f"a binary file of {size // KB:,} KB, {BINARY_MOST // KB:,} are the most"
    elif size > TEXT_MOST:
        yield f"{size // KB:,} KB, {TEXT_MOST // KB:,} are the most"


def leaves(path: str, target: bytes) -> bool:
    """A `..` is counted only at the beginning: behind a folder that is a link itself it leads anywhere."""
    parts = target.split(b"/")
    if target.startswith(b"/") or not target or b"\0" in target:
        return True
    climbs = 0
    while climbs < len(parts) and parts[climbs] in (b"..", b"."):
        climbs += 1
    return b".." in parts[climbs:] or parts[:climbs].count(b"..") > path.count("/")


def within(differing: Sequence[Differing], scope: Scope) -> GateRun:
    """The second fence, whatever a shell command did."""
    why = [
        f"{display_path(each.change.path)}: {problem}"
        for each in differing
        if (problem := _outside(each.change.path, scope))
    ]
    allowed = "anything" if scope.mode is ScopeMode.UNRESTRICTED else ", ".join(scope.patterns) or "nothing"
    return _row("scope", why, one_line(f"all within {allowed}"))


def _outside(path: str, scope: Scope) -> str | None:
    """In another case it is the same file on some machines."""
    low = path.casefold()
    if path not in scope.patterns and any(matches(low, deny) for deny in STANDING_DENY):
        return "on the standing deny list; only a person can allow it, by name"
    problem = scope.refuse(path)
    return "outside what this subtask may write" if problem and "outside what this subtask" in problem else problem


def secrets(patch: str, redact: Redact) -> GateRun:
    """Added lines that look like a secret. The row says where, never what."""
    patch = patch.replace("\0", "")  # as in UTF-16
    why = [f"{display_path(path)}, near line {line}" for path, line, text in _added(patch) if redact(text) != text]
    return _row("secrets", why, "none in the added lines", before="what looks like a secret in ")


def too_much(what: str) -> GateRun:
    return _row("secrets", [f"{what}: too much to look through"], "")


def _added(patch: str) -> Iterator[tuple[str, int, str]]:
    """Lines that were added, hunk by hunk. What was there before and only moved is not new."""
    moved = {line[1:].strip() for line in patch.split("\n") if line.startswith("-") and not line.startswith("---")}
    path, at, lines = "", 0, list[str]()
    for line in (*patch.split("\n"), "@@ -0 +0"):
        if line.startswith("+") and at:
            lines += [line[1:]] if line[1:].strip() not in moved else []
            continue
        if (hunk := _HUNK.match(line)) or line.startswith("diff --git "):
            if lines:
                yield path, at, "\n".join(lines)
            at, lines = int(hunk[1]) if hunk else 0, []
        elif line.startswith("+++ ") and not at:
            path = line[4:].strip('"').removeprefix("b/").rstrip("\t")


def loop(tree: str, base: str, earlier: Sequence[str], scope: Scope) -> GateRun:
    if tree == base:
        reads_only = scope.mode is not ScopeMode.UNRESTRICTED and not scope.patterns
        score = Score.PASS if reads_only else Score.NEEDS_REVISION
        return GateRun(name="loop", score=score, why="nothing was changed" + (", as agreed" if reads_only else ""))
    if tree in earlier:
        attempt = earlier.index(tree) + 1
        why = f"the same files as attempt {attempt} handed in: it goes round in circles"
        return GateRun(name="loop", score=Score.FAIL, why=why)
    return GateRun(name="loop", score=Score.PASS, why="not seen before")


def display_path(path: str) -> str:
    """A path that is harmless to show."""
    return one_line(clean(path.encode(errors="replace").decode()), 160)


def _row(name: str, why: Sequence[str], fine: str, *, before: str = "") -> GateRun:
    if not why:
        return GateRun(name=name, score=Score.PASS, why=fine)
    more = f", and {len(why) - NAMED_MOST} more" if len(why) > NAMED_MOST else ""
    first = f" and {len(why) - 1} more" if len(why) > 1 else ""
    return GateRun(
        name=name, score=Score.FAIL, why=f"{before}{why[0]}{first}", output="\n".join(why[:NAMED_MOST]) + more
    )
