"""The sample's forge in a rehearsal: every request starts from the first commit, as its script was written for that."""

from agents.workspace.forge.local import LocalForge
from agents.workspace.forge.repository import Repository

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
        if tip == first:
            return usual
        at = 2
        while (there := await theirs.commit_at(f"refs/heads/{AGAIN}{at}")) not in ("", first):
            at += 1
        if not there:
            await theirs.move(f"{AGAIN}{at}", first, "", "overlord: the sample starts over")
        return f"{AGAIN}{at}"
