"""Reads a commit before anything is run, and judges it by rule: forbidden files, scope, secrets, loops."""

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.checks.evaluation import GateRun, Score
from agents.domain.checks.file_kinds import holds_tests, is_test
from agents.domain.checks.own_tests import own_tests
from agents.domain.checks.scope import Scope, ScopeMode, is_denied, twins
from agents.domain.text.redact import Redact
from agents.domain.text.sanitize import clean, one_line
from agents.ports import Candidate
from agents.workspace.gates import detect
from agents.workspace.gates.originals import many
from agents.workspace.git import objects
from agents.workspace.git.objects import LINK, MODULE, Differing, Entry
from agents.workspace.skill_files import Shelf, judge_skills

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


def within(differing: Sequence[Differing], scope: Scope, shelf: Shelf | None = None) -> GateRun:
    """The second fence, whatever a shell command did. The folder of skills is denied wherever a project has it."""
    why = [
        f"{display_path(each.change.path)}: {problem}"
        for each in differing
        if (problem := _outside(each.change.path, scope, shelf))
    ]
    allowed = "anything" if scope.mode is ScopeMode.UNRESTRICTED else ", ".join(scope.patterns) or "nothing"
    return _row("scope", why, one_line(f"all within {allowed}"))


def outside(paths: Sequence[str], scope: Scope) -> dict[str, str]:
    """Paths that the gate would refuse, and why."""
    return {path: problem for path in paths if (problem := _outside(path, scope))}


def _outside(path: str, scope: Scope, shelf: Shelf | None = None) -> str | None:
    if path not in scope.patterns and (is_denied(path) or (shelf is not None and shelf.holds(path))):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One candidate, as it was read."""

    candidate: Candidate
    repository: Path
    had: Mapping[str, Entry]  # the base's files
    has: Mapping[str, Entry]
    differing: tuple[Differing, ...]
    before: detect.Look
    after: detect.Look
    trees: tuple[str, str]  # of the base and of the commit
    contents: Mapping[str, bytes]  # of changed files as they are now, if they are not huge
    former: Mapping[str, bytes]  # of changed files as they were, likewise
    measured: tuple[str, ...] = ()  # what the task changed before; who judges all of it will ask how it is tested
    package: str = ""  # the folder that is looked at alone, of a repository with several packages
    others: tuple[str, ...] = ()  # packages in folders beneath it, which are looked at by themselves
    way: detect.Way | None = None  # how the tests of that folder are run
    shared: tuple[Differing, ...] = ()  # what differs at the root, beside what differs in the package
    own_tests: frozenset[str] = frozenset()  # what settings make tests, though names do not say so

    @property
    def empty(self) -> bool:
        return self.trees[0] == self.trees[1]

    @property
    def changed_files(self) -> tuple[str, ...]:
        """Plain files that are there now."""
        there = (each.after for each in self.differing if each.after is not None)
        return tuple(entry.path for entry in there if entry.mode not in (LINK, MODULE))

    @property
    def is_part(self) -> bool:
        """One package of several, and be it what lies around the others."""
        return bool(self.package or self.others)

    def owns(self, path: str) -> bool:
        start = f"{self.package}/" if self.package else ""
        return path.startswith(start) and not path.startswith(tuple(f"{other}/" for other in self.others))

    def inside(self, path: str) -> str:
        """As it is called from the package's own folder."""
        return path.removeprefix(f"{self.package}/") if self.package else path

    def is_test(self, path: str) -> bool:
        return is_test(path) or path in self.own_tests

    def holds_tests(self, path: str) -> bool:
        return holds_tests(path) or path in self.own_tests

    @property
    def is_gone(self) -> bool:
        """Whether the package is there no more."""
        return bool(self.package) and not self.after.paths

    def lines(self, path: str) -> int:
        """Lines that say something, roughly: for files that no test touched."""
        kept = (line.strip() for line in self.contents.get(path, b"").splitlines())
        return sum(1 for line in kept if line and not line.startswith(b"#"))


async def read(candidate: Candidate, repository: Path, command: str = "") -> Case:
    """`command`: what the operator wrote to run the tests. Raises GitFailed."""
    base, commit = candidate.base, candidate.commit
    had = await objects.entries(repository, base)
    has = await objects.entries(repository, commit)
    differing = tuple(
        Differing(change=each, before=had.get(each.path), after=has.get(each.path))
        for each in await objects.changes(repository, base, commit)
    )
    measured = await objects.changes(repository, candidate.since or base, commit)
    before, after = await detect.look_at(repository, had), await detect.look_at(repository, has)
    added = {each.change.path for each in differing if each.before is None}
    return Case(
        candidate=candidate,
        repository=repository,
        had=had,
        has=has,
        differing=differing,
        before=before,
        after=after,
        trees=(await objects.tree_of(repository, base), await objects.tree_of(repository, commit)),
        contents=await _contents(repository, (each.after for each in differing if each.after)),
        former=await _contents(repository, (each.before for each in differing if each.before)),
        measured=tuple(each.path for each in measured if each.path in has),
        own_tests=_own_tests(before, command) | (_own_tests(after, command) & added),
    )


def _own_tests(look: detect.Look, command: str) -> frozenset[str]:
    """By the settings at the root, and by those of each package."""
    found = set(own_tests(look.paths, look.texts, command))
    for folder in {path.rpartition("/")[0] for path in look.texts} - {""}:
        own = look.within(folder)
        found |= {f"{folder}/{path}" for path in own_tests(own.paths, own.texts)}
    return frozenset(found)


async def by_rule(case: Case, redact: Redact, shelf: Shelf | None = None) -> list[GateRun]:
    """The gates that run nothing."""
    candidate = case.candidate
    return [
        await asyncio.to_thread(forbidden, case.differing, lambda path: case.contents.get(path, b""), case.has),
        within(case.differing, candidate.scope, shelf),
        await _secrets(case, redact),
        loop(case.trees[1], case.trees[0], candidate.earlier, candidate.scope),
        *(await _skills(case, shelf) if shelf else ()),
    ]


async def _skills(case: Case, shelf: Shelf) -> list[GateRun]:
    """Whoever changes the skills of a project, and for whatever reason."""
    touched = [each for each in case.differing if shelf.holds(each.change.path)]
    if not touched:
        return []
    now = [entry for path, entry in case.has.items() if shelf.holds(path) and entry.size <= TEXT_MOST]
    there = await objects.blobs(case.repository, now)
    changed = {each.change.path: there.get(each.change.path, b"") for each in touched if each.after is not None}
    return [await asyncio.to_thread(judge_skills, shelf, changed, there, case.candidate.skill)]


async def _secrets(case: Case, redact: Redact) -> GateRun:
    """In what is handed in, and in what the branch held on the way to it."""
    base, commit = case.candidate.base, case.candidate.commit
    weight = sum(each.after.size for each in case.differing if each.after)
    if weight > DIFF_MOST:
        return too_much(f"the changed files have {weight // MB} MB")
    earlier = await objects.between(case.repository, base, commit, COMMITS_MOST)
    if len(earlier) > COMMITS_MOST:
        return too_much(f"the branch has more than {COMMITS_MOST} commits")
    for each in (commit, *earlier):
        patch = await objects.patch(case.repository, base, each)
        row = await asyncio.to_thread(secrets, patch, redact)
        if row.score is not Score.PASS:
            break
    if row.score is Score.PASS or each == commit:
        return row
    # whoever gets the branch gets its history, too
    why = f"{row.why}, in the branch's earlier commit {each[:10]}: the branch must begin anew"
    return replace(row, why=why)


async def _contents(repository: Path, wanted: Iterable[Entry]) -> dict[str, bytes]:
    files = [entry for entry in wanted if entry.mode != MODULE and entry.size <= TEXT_MOST]
    if sum(entry.size for entry in files) > DIFF_MOST:
        return {}
    return await objects.blobs(repository, files)
