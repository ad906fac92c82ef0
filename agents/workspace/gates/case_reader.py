"""What is read of a commit before anything is run: its differences, its settings, and the texts that differ."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agents.domain.checks.evaluation import GateRun, Score
from agents.domain.context.listing import is_test
from agents.domain.text.redact import Redact
from agents.ports import Candidate
from agents.workspace.gates import detect, originals, rules
from agents.workspace.git import objects
from agents.workspace.git.objects import LINK, MODULE, Differing, Entry


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
    former: Mapping[str, bytes]  # of changed tests as they were

    @property
    def empty(self) -> bool:
        return self.trees[0] == self.trees[1]

    @property
    def changed_files(self) -> tuple[str, ...]:
        """Plain files that are there now."""
        there = (each.after for each in self.differing if each.after is not None)
        return tuple(entry.path for entry in there if entry.mode not in (LINK, MODULE))

    def lines(self, path: str) -> int:
        """Lines that say something, roughly: for files that no test touched."""
        kept = (line.strip() for line in self.contents.get(path, b"").splitlines())
        return sum(1 for line in kept if line and not line.startswith(b"#"))

    @property
    def weakening(self) -> originals.Weakened:
        now = {path: content for path, content in self.contents.items() if is_test(path)}
        return originals.find_weakening(_decoded(self.former), _decoded(now))


async def read(candidate: Candidate, repository: Path) -> Case:
    """Raises GitFailed."""
    base, commit = candidate.base, candidate.commit
    had = await objects.entries(repository, base)
    has = await objects.entries(repository, commit)
    differing = tuple(
        replace(each, before=had.get(each.change.path), after=has.get(each.change.path))
        for each in await objects.differing(repository, base, commit)
    )
    tests = (each.before for each in differing if each.before and is_test(each.change.path))
    return Case(
        candidate=candidate,
        repository=repository,
        had=had,
        has=has,
        differing=differing,
        before=await _look(repository, had),
        after=await _look(repository, has),
        trees=(await objects.tree_of(repository, base), await objects.tree_of(repository, commit)),
        contents=await _contents(repository, (each.after for each in differing if each.after)),
        former=await _contents(repository, tests),
    )


async def look(repository: Path, commit: str = "HEAD") -> detect.Look:
    """What is seen of a project before any work. Raises GitFailed."""
    return await _look(repository, await objects.entries(repository, commit))


async def by_rule(case: Case, redact: Redact) -> list[GateRun]:
    """The gates that run nothing."""
    candidate = case.candidate
    return [
        await asyncio.to_thread(rules.forbidden, case.differing, lambda path: case.contents.get(path, b""), case.has),
        rules.within(case.differing, candidate.scope),
        await _secrets(case, redact),
        rules.loop(case.trees[1], case.trees[0], candidate.earlier, candidate.scope),
    ]


async def _secrets(case: Case, redact: Redact) -> GateRun:
    """In what is handed in, and in what the branch held on the way to it."""
    base, commit = case.candidate.base, case.candidate.commit
    weight = sum(each.after.size for each in case.differing if each.after)
    if weight > rules.DIFF_MOST:
        return rules.too_much(f"the changed files have {weight // rules.MB} MB")
    earlier = await objects.between(case.repository, base, commit, rules.COMMITS_MOST)
    if len(earlier) > rules.COMMITS_MOST:
        return rules.too_much(f"the branch has more than {rules.COMMITS_MOST} commits")
    for each in (commit, *earlier):
        patch = await objects.patch(case.repository, base, each)
        row = await asyncio.to_thread(rules.secrets, patch, redact)
        if row.score is not Score.PASS:
            break
    if row.score is Score.PASS or each == commit:
        return row
    # whoever gets the branch gets its history, too
    why = f"{row.why}, in the branch's earlier commit {each[:10]}: the branch must begin anew"
    return replace(row, why=why)


async def _look(repository: Path, there: Mapping[str, Entry]) -> detect.Look:
    settings = [there[path] for path in detect.READ if path in there and there[path].size <= detect.READ_MOST]
    return detect.Look(paths=frozenset(there), texts=_decoded(await objects.blobs(repository, settings)))


async def _contents(repository: Path, wanted: Iterable[Entry]) -> dict[str, bytes]:
    files = [entry for entry in wanted if entry.mode != MODULE and entry.size <= rules.TEXT_MOST]
    if sum(entry.size for entry in files) > rules.DIFF_MOST:
        return {}
    return await objects.blobs(repository, files)


def _decoded(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {path: content.decode(errors="replace") for path, content in contents.items()}
