"""Branches of a project that are only in memory, as the flows see them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.domain.checks.evaluation import Change
from agents.domain.ids import fingerprint
from agents.domain.work.git_names import Message, as_signed
from agents.ports import Checkout, Joined, Uncommittable, Undone, Workspace

HEAD = "0" * 40


@dataclass
class MemoryCheckouts:
    """Branches whose commits are named after what led to them. Each commit changes the files of its scope."""

    branches: dict[str, str] = field(default_factory=dict)
    opened: set[str] = field(default_factory=set)
    contains: dict[str, set[str]] = field(default_factory=dict)
    conflicts: set[str] = field(default_factory=set)  # branches whose work does not fit
    number: int = 0
    before: dict[str, str] = field(default_factory=dict)  # by commit: the one it was made on
    joined: list[str] = field(default_factory=list)  # messages of commits that join
    same: dict[str, str] = field(default_factory=dict)  # by such a commit: another one that has the same files
    undone: list[str] = field(default_factory=list)  # messages of commits that take back what was joined
    unfit: set[str] = field(default_factory=set)  # commits that cannot be taken back
    said: list[str] = field(default_factory=list)  # messages of minions' commits
    log: Sequence[str] = ()  # messages of earlier commits of the project
    refuses: list[str] = field(default_factory=list)  # why each of the next commits cannot be made
    theirs: dict[str, str] = field(default_factory=lambda: {"main": HEAD})  # branches of the project's own
    written: dict[str, Mapping[str, bytes]] = field(default_factory=dict)  # files that a commit wrote, by itself

    async def tip(self, project: str, branch: str) -> str:
        return HEAD if branch == "HEAD" else self.branches.get(branch, "")

    async def source(self, project: str, branch: str) -> str:
        return self.theirs.get(branch, "")

    async def open(self, project: str, branch: str, start: str, blind: tuple[str, ...] = ()) -> Checkout:
        found = branch in self.opened
        self.opened.add(branch)
        head = self.branches.setdefault(branch, start)
        place = Workspace(path=Path("/nowhere"))
        return Checkout(
            project=project, branch=branch, base=start, head=head, workspace=place, found=found, blind=blind
        )

    async def prepare(self, project: str) -> None: ...

    async def commit(self, checkout: Checkout, message: Message) -> str:
        assert checkout.branch in self.opened, "its folder is gone"
        if self.refuses:
            raise Uncommittable(self.refuses.pop(0), next_step="Remove or rename it.")
        self.number += 1
        self.said.append(as_signed(message).text)
        tip = self.branches[checkout.branch]
        made = fingerprint(checkout.branch, tip, str(self.number)) + "00000000"  # never one that was there before
        self.before[made] = self.branches[checkout.branch]
        self.branches[checkout.branch] = made
        return made

    async def changes(self, project: str, base: str, commit: str) -> Sequence[Change]:
        return (Change(path="src/app.py", status="M", added=3, removed=1),)

    async def write(self, project: str, branch: str, start: str, files: Mapping[str, bytes], message: Message) -> str:
        made = fingerprint(start, *(f"{path}{content!r}" for path, content in files.items())) + "00000000"
        self.before[made], self.branches[branch], self.written[made] = start, made, files
        self.said.append(as_signed(message).text)
        return made

    async def messages(self, project: str, commit: str, most: int) -> Sequence[str]:
        return self.log[:most]

    async def unsaved_paths(self, checkout: Checkout) -> Sequence[str]:
        return ("src/app.py",)

    async def patch(self, project: str, base: str, commit: str) -> str:
        return f"the difference between {base[:6]} and {self.same.get(commit, commit)[:6]}"

    async def tree(self, project: str, commit: str) -> str:
        return f"tree of {self.same.get(commit, commit)}"

    async def join(self, project: str, into: str, start: str, commit: str, message: Message) -> str | None:
        if any(self.branches.get(branch) == commit for branch in self.conflicts):
            return None
        inside = self.contains.setdefault(into, set())
        self.joined.append(as_signed(message).text)
        tip = self.branches.get(into, start)
        if tip != commit and commit not in inside:
            inside.add(commit)
            made = self.branches[into] = fingerprint(into, *sorted(inside)) + "00000000"
            if self._holds(commit, tip):
                self.same[made] = commit  # it has all that is there
        return self.branches.setdefault(into, tip)

    async def forward(self, project: str, into: str, start: str, commit: str) -> str:
        if not self._holds(commit, self.branches.get(into, start)):
            return ""
        self.contains.setdefault(into, set()).add(commit)
        self.branches[into] = commit
        return commit

    async def undo(self, project: str, branch: str, start: str, joined: Sequence[Joined]) -> Undone:
        inside, tip = self.contains.setdefault(branch, set()), self.branches.get(branch, start)
        for each in joined:
            if each.commit in self.unfit:
                return Undone(tip=tip, conflicts=("src/app.py",), stuck=each.commit)
        back = [each for each in joined if each.commit in inside]
        inside -= {each.commit for each in back}
        made = [fingerprint(tip, each.commit) + "00000000" for each in back]
        self.undone += [as_signed(each.message).text for each in back]
        self.branches[branch] = made[-1] if made else tip
        return Undone(tip=self.branches[branch], commits=tuple(made))

    def _holds(self, commit: str, earlier: str) -> bool:
        while commit and commit != earlier:
            commit = self.before.get(commit, "")
        return commit == earlier

    async def close(self, checkout: Checkout) -> None:
        self.opened.discard(checkout.branch)

    async def discard(self, project: str, branch: str) -> None:
        self.opened.discard(branch)

    async def sweep(self, wanted: Collection[tuple[str, str]]) -> int:
        left = {branch for branch in self.opened if all(branch != each for _, each in wanted)}
        self.opened -= left
        return len(left)
