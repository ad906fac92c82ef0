"""The code bases, their branches and the texts kept about them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from agents.domain.checks.evaluation import Change
from agents.domain.errors import OverlordError
from agents.ports.sandbox import Workspace


class CheckoutFailed(OverlordError):
    """A branch or its folder could not be made ready."""


class Uncommittable(CheckoutFailed):
    """Something in a folder cannot be committed. Nothing of it was, and all of it is still there."""


class Projects(Protocol):
    """The code bases that work may be done on."""

    def names(self) -> Sequence[str]: ...

    def of_channel(self, channel: str) -> str:
        """The project that a channel's work is for, where it names one."""

    async def files(self, project: str) -> Sequence[str]:
        """Paths of the committed files; none if the project is not here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The files of one branch, in a folder of their own outside the repository. Only the host writes its .git."""

    project: str
    branch: str
    base: str  # the commit that the branch began from
    head: str  # the commit that the folder was at when it was opened
    workspace: Workspace  # as a sandbox shows it, with the project's own environment
    found: bool = False  # as an earlier run left it, changes that were not committed among them


class Checkouts(Protocol):
    """Worktrees and branches of the projects. Host git never runs anything from a repository."""

    async def tip(self, project: str, branch: str) -> str:
        """The commit a branch, or HEAD, is at; empty if there is none."""

    async def source(self, project: str, branch: str) -> str:
        """The commit that a branch of the project's own repository is at, brought here; empty if there is none."""

    async def open(self, project: str, branch: str, start: str) -> Checkout:
        """The branch's folder: as it was left, or made now. A branch that is not there begins at the commit `start`.

        Raises CheckoutFailed.
        """

    async def prepare(self, project: str) -> None:
        """Have folders ready ahead of time, so that the next `open` is quick. Raises CheckoutFailed."""

    async def commit(self, checkout: Checkout, message: str) -> str:
        """Commit all that changed, for the minion; the commit the branch is at, also if nothing changed.

        Raises Uncommittable, naming what whoever works there must change.
        """

    async def changes(self, project: str, base: str, commit: str) -> Sequence[Change]: ...

    async def unsaved_paths(self, checkout: Checkout) -> Sequence[str]:
        """Paths that differ from the last commit: what there is after a crash."""

    async def patch(self, project: str, base: str, commit: str) -> str:
        """The difference as text, cut with a count where it is huge."""

    async def tree(self, project: str, commit: str) -> str:
        """The hash of a commit's files: the same tree is the same work (loop detection)."""

    async def join(self, project: str, into: str, start: str, commit: str, message: str) -> str | None:
        """Bring a commit onto the branch `into`, which begins at `start`, without a working folder; once is enough.

        Returns the branch's new tip; None: it does not fit. The message is of the commit that joins, if one is needed.
        """

    async def close(self, checkout: Checkout) -> None:
        """Remove the folder; the branch stays. No link in it is followed."""

    async def discard(self, project: str, branch: str) -> None:
        """Remove the branch's folder if there is one: nobody will go on with it."""

    async def sweep(self, wanted: Collection[tuple[str, str]]) -> int:
        """Remove every folder that belongs to no wanted (project, branch): what a kill left behind."""


class Artefacts(Protocol):
    """Texts too long for a card: logs, patches, diffs. Named by what they are of; kept in the state folder."""

    async def keep(self, name: str, text: str) -> str:
        """Returns the name. Keeping the same name again replaces it."""

    async def read(self, name: str) -> str | None: ...
