"""What code alone can find wrong with a plan, each with what to do about it."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import combinations

from agents.domain.checks.file_kinds import is_documentation, is_test
from agents.domain.checks.scope import odd_path, twins
from agents.domain.planning.decomposition import Decomposition, Edge, StartAfter, Subtask, cycle_in
from agents.domain.planning.plan_reading import kind_of
from agents.domain.planning.work_kind import MAX_HOURS, MAX_REVIEW_MINUTES
from agents.domain.text.sanitize import clean

MAX_FILES = 10
MIN_SUBTASKS, MAX_SUBTASKS = 1, 7
COMMON = frozenset({"__init__.py", "__main__.py", "index.js", "index.ts", "main.py", "mod.rs", "lib.rs", "main.go"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something wrong with a plan: in words, and where it stands."""

    subject: str = ""  # “Subtask 2”; empty: `what` is a whole sentence
    what: str
    number: int | None = None  # of the subtask; None: it is about the whole
    field: str = ""  # of the subtask: title, kind, role, files or after; empty: none of them

    @property
    def text(self) -> str:
        return f"{self.subject} {self.what}".strip()


def faults(
    plan: Decomposition, known_files: Collection[str] | None = None, roles: Collection[str] | None = None
) -> list[str]:
    """Everything that code can see is wrong, each with what to do about it. Empty: it may be reviewed.

    `roles`: that may work on a subtask; None: nobody knows here.
    """
    return [fault.text for fault in find_faults(plan, known_files, roles)]


def find_faults(
    plan: Decomposition, known_files: Collection[str] | None = None, roles: Collection[str] | None = None
) -> list[Fault]:
    """The same, each with its place."""
    found = [fault for subtask in plan.subtasks for fault in _too_big(subtask)]
    found += _wrong_graph(plan)
    found += _same_files(plan)
    found += _wrong_shape(plan)
    found += _wrong_kinds(plan)
    found += _wrong_places(plan, roles)
    found += _odd_files(plan, known_files or ())
    if known_files is not None:
        found += _unknown_folders(plan, known_files)
    return found


def _of(subtask: Subtask, what: str, field: str) -> Fault:
    return Fault(subject=f"Subtask {subtask.number}", what=what, number=subtask.number, field=field)


def _too_big(subtask: Subtask) -> Iterator[Fault]:
    """PR-sized only if every one of these holds."""
    fault = partial(Fault, subject=f"Subtask {subtask.number} ({subtask.title})", number=subtask.number)
    if subtask.hours > MAX_HOURS:
        yield fault(what=f"takes {subtask.hours:g} h; at most {MAX_HOURS:g} h: split it")
    if len(subtask.files) > MAX_FILES:
        yield fault(what=f"touches {len(subtask.files)} files; at most {MAX_FILES}: split it", field="files")
    if subtask.review_minutes > MAX_REVIEW_MINUTES:
        yield fault(what=f"takes {subtask.review_minutes} min to review; at most {MAX_REVIEW_MINUTES}: split it")
    if not subtask.why.strip():
        yield fault(what="has no reason of its own: say why it exists, in one sentence")
    if not subtask.test.strip() and not subtask.spike:
        yield fault(what="cannot be tested by itself: say how it is shown to work, or join it to one that can be")


def _wrong_graph(plan: Decomposition) -> Iterator[Fault]:
    numbers = [subtask.number for subtask in plan.subtasks]
    if len(set(numbers)) != len(numbers):
        yield Fault(what="Two subtasks have the same number: number them 1, 2, 3, …")
        return
    phases = {subtask.number: subtask.phase for subtask in plan.subtasks}
    for subtask in plan.subtasks:
        for need in subtask.needs:
            if need.number not in phases:
                yield _of(subtask, f"needs {need.number}, which does not exist", "after")
            elif need.edge is Edge.BLOCKS and phases[need.number] > subtask.phase:
                yield _of(subtask, f"of phase {subtask.phase} waits for {need.number} of a later phase", "after")
    if cycle := cycle_in({subtask.number: subtask.blocked_by for subtask in plan.subtasks}):
        circle = f"Subtasks wait for each other in a circle: {' -> '.join(map(str, cycle))}. Take one edge away"
        yield Fault(what=circle, number=cycle[0], field="after")


def _wrong_shape(plan: Decomposition) -> Iterator[Fault]:
    if not plan.goal.strip():
        yield Fault(what="The goal is empty: say in one sentence what will be true at the end")
    if len(plan.subtasks) < MIN_SUBTASKS:
        yield Fault(what="There is no subtask")
    for phase in plan.phase_numbers:
        here = [s for s in plan.steps if s.phase == phase]
        if len(here) > MAX_SUBTASKS:
            many = f"Phase {phase} has {len(here)} subtasks; at most {MAX_SUBTASKS}: group them into phases"
            yield Fault(what=many)
    spikes = {s.number for s in plan.subtasks if s.spike or s.opening}
    for subtask in plan.subtasks:
        if subtask.decides and not subtask.needs:
            yield _of(subtask, "settles a choice but is told nothing first: give it a spike to wait for", "after")
        if subtask.spike and any(n not in spikes for n in subtask.blocked_by):
            late = "waits for work that is no spike: what must be found out comes first"
            yield Fault(subject=f"Spike {subtask.number}", what=late, number=subtask.number, field="after")


def _wrong_kinds(plan: Decomposition) -> Iterator[Fault]:
    """A person who edits a plan may choose any kind that the files bear."""
    for subtask in plan.subtasks:
        if not subtask.closing and subtask.kind is not (fits := kind_of(subtask.kind, subtask.files)):
            yield _of(subtask, f"is of kind {subtask.kind}, but its files are not: it is a {fits}", "kind")


def _wrong_places(plan: Decomposition, roles: Collection[str] | None) -> Iterator[Fault]:
    described = [phase.number for phase in plan.phases]
    for number in sorted({each for each in described if described.count(each) > 1}):
        yield Fault(what=f"Phase {number} is described twice: describe it once")
    for number in sorted(set(described) - set(plan.phase_numbers)):
        yield Fault(what=f"Phase {number} is described, but no subtask is in it: leave it out")
    for subtask in plan.subtasks:
        if subtask.role and roles is not None and subtask.role not in roles:
            known = ", ".join(sorted(roles)) or "none"
            yield _of(subtask, f"is for the role {clean(subtask.role)}; roles that do subtasks: {known}", "role")
        if subtask.project:
            about = f"is about the project {clean(subtask.project)}: a task is about one project, so leave it out"
            yield _of(subtask, about, "")


def _odd_files(plan: Decomposition, known: Collection[str]) -> Iterator[Fault]:
    """The list becomes the fence around a minion, and people read it: plain names of files, or of folders with a /."""
    for subtask in plan.subtasks:
        for path in subtask.files:
            names = f"names {clean(path)}, which is"
            if problem := odd_path(path.removesuffix("/")):
                yield _of(subtask, f"{names} not a path inside the project: {problem}", "files")
            elif "*" in path or "?" in path:
                yield _of(subtask, f"{names} a pattern: name each file, or a folder as src/", "files")
    new = [path.removesuffix("/") for path in plan.paths if path not in known]
    for path, other in twins(new, known):
        same = f"{clean(path)} and {clean(other)} are one file where case does not count: take the same spelling"
        yield Fault(what=same)


def _unknown_folders(plan: Decomposition, known: Collection[str]) -> Iterator[Fault]:
    """Work may need a new folder, and people read its name on the plan. A path that is almost another one, or whose
    file is elsewhere, is a guess, unless the subtask says that its folder is new."""
    folders = {path.rpartition("/")[0] for path in known} | {""}
    parents = {"/".join(f.split("/")[:n]) for f in folders for n in range(1, f.count("/") + 2)} | folders
    for subtask in plan.subtasks:
        for path in subtask.files:
            top, above = path.split("/")[0], path.rpartition("/")[0]
            usual = is_test(path) or is_documentation(path) or odd_path(path.removesuffix("/"))
            if not above or not top or {top, above} & parents or usual or _says_new(subtask, top):
                continue
            if meant := _meant(path, known, parents):
                step = f"did you mean {meant}? Correct the path, or say in the title or reason that {top} is new"
                yield _of(subtask, f"names {path}, but the project has no folder {top}: {step}", "files")


def _meant(path: str, known: Collection[str], folders: Collection[str]) -> str:
    """The file of that name that is elsewhere, or the folder of nearly that name."""
    name, top = path.rpartition("/")[2], path.split("/")[0]
    same = [each for each in known if each.rpartition("/")[2] == name and name not in COMMON]
    near = get_close_matches(top, [each for each in folders if each and "/" not in each], n=1, cutoff=0.65)
    return same[0] if len(same) == 1 else f"{near[0]}/" if near else ""


def _says_new(subtask: Subtask, folder: str) -> bool:
    named = re.search(rf"(?<![\w.-]){re.escape(folder)}(?![\w-])", f"{subtask.title} {subtask.why}", re.IGNORECASE)
    return named is not None


def _same_files(plan: Decomposition) -> Iterator[Fault]:
    """Two that may be worked on at once must not write one file, or one the folder of the other's. Phases wait for each
    other, and one that is too large is told so before."""
    needs = plan.blocking()
    phases = Counter(subtask.phase for subtask in plan.steps)
    if cycle_in(needs):
        return
    writing = [subtask for subtask in plan.steps if subtask.files and phases[subtask.phase] <= MAX_SUBTASKS]
    waits = {subtask.number: _all_before(subtask.number, needs) for subtask in writing}
    early = any(phase.start_after is StartAfter.INTERFACES for phase in plan.phases)  # then phases overlap
    groups = [writing] if early else [[each for each in writing if each.phase == phase] for phase in phases]
    pairs = (pair for group in groups for pair in combinations(group, 2))
    for one, other in pairs:
        if one.number in waits[other.number] or other.number in waits[one.number]:
            continue
        if shared := next((path for path in other.files if any(_overlap(path, mine) for mine in one.files)), ""):
            what = (
                f"writes {clean(shared)} as subtask {one.number} does, and neither waits: let one come after the other"
            )
            yield _of(other, what, "after")


def _all_before(number: int, needs: Mapping[int, Sequence[int]]) -> set[int]:
    found, more = set[int](), {number}
    while more:
        more = {each for one in more for each in needs.get(one, ())} - found
        found |= more
    return found


def _overlap(one: str, other: str) -> bool:
    return (
        one == other or (one.endswith("/") and other.startswith(one)) or (other.endswith("/") and one.startswith(other))
    )
