"""Takes back what was joined onto a branch, by new commits on top of it: the history stays as it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.ports import CheckoutFailed, Joined, Undone
from agents.workspace.git.mirror import ATTEMPTS, Mirror, check_commit


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A commit of a branch that brought something, and the one before it."""

    commit: str
    before: str
    joined: Joined


async def undo(mirror: Mirror, branch: str, start: str, joined: Sequence[Joined]) -> Undone:
    """All of them, the latest first, or none where one does not fit. Done again, it changes nothing more."""
    for _ in range(ATTEMPTS):
        tip = await mirror.tip(branch)
        if not tip:
            return Undone(tip=await mirror.fetch_commit(start))
        made = await _undone(mirror, tip, await _parts(mirror, start, tip, joined))
        if made.conflicts or made.tip == tip or await mirror.move(branch, made.tip, tip):
            return made
    raise CheckoutFailed(f"{branch} moved {ATTEMPTS} times while it was written", next_step="Try again.")


async def _parts(mirror: Mirror, start: str, tip: str, joined: Sequence[Joined]) -> list[_Part]:
    """Newest first. Branches of earlier versions were joined without a commit of their own: theirs are found last."""
    wanted = {each.commit: each for each in joined}
    parts = [
        _Part(commit=commit, before=before, joined=wanted.pop(second))
        for commit, before, *more in await mirror.first_parents(start, tip)
        if (second := next(iter(more), "")) in wanted
    ]
    older = [each for each in wanted.values() if each.base and await mirror.contains(tip, check_commit(each.commit))]
    return [*parts, *(_Part(commit=each.commit, before=each.base, joined=each) for each in reversed(older))]


async def _undone(mirror: Mirror, tip: str, parts: Sequence[_Part]) -> Undone:
    made = list[str]()
    for part in parts:
        # on top of what is taken back, so that git compares both sides with just that
        back = await mirror.write_commit(await mirror.tree(part.before), [part.commit], part.joined.message)
        tree, conflicts = await mirror.merge_trees(tip, back)
        if not tree:
            return Undone(tip=tip, conflicts=conflicts, stuck=part.joined.commit)
        if tree != await mirror.tree(tip):
            tip = await mirror.write_commit(tree, [tip], part.joined.message)
            made.append(tip)
    return Undone(tip=tip, commits=tuple(made))
