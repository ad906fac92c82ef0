"""The sample's forge in a rehearsal: every request starts from the first commit, as its script was written for that."""

from agents.domain.knowledge.document import PLACE
from agents.workspace.forge.local import LocalForge
from agents.workspace.forge.repository import Repository

LEARNT = (".overlord/skills/", f"{PLACE}/")
AGAIN = "rehearsal-"  # branches of the sample: rehearsal-2, rehearsal-3, …


class SampleForge(LocalForge):
    """As the local one, but what is asked for after a merge is for a branch of its own, at the first commit.

    Nobody's files are touched: main stays where merges and people left it.
    """

    async def base(self, project: str, number: int = 0) -> str:
        usual = await super().base(project, number)
        if number:
            return usual
        theirs = Repository(self._place(project).repository)
        tip = await theirs.commit_at(f"refs/heads/{usual}")
        first = (await theirs.tell("rev-list", "--max-parents=0", tip)).split()[-1]
        if await _is_fresh(theirs, first, tip):
            return usual
        at = 2
        while (there := await theirs.commit_at(f"refs/heads/{AGAIN}{at}")) and not await _is_fresh(
            theirs, first, there
        ):
            at += 1
        if not there:
            await theirs.move(f"{AGAIN}{at}", first, "", "overlord: the sample starts over")
        return f"{AGAIN}{at}"


async def _is_fresh(theirs: Repository, first: str, tip: str) -> bool:
    """As the scripts were written for it: all that changed since is what was learnt."""
    if tip == first:
        return True
    changed = (await theirs.tell("diff", "--name-only", "-z", first, tip)).split("\0")
    return all(path.startswith(LEARNT) for path in changed if path)
