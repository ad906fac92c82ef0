"""The work on all subtasks of a task, as its facts leave it."""

from dataclasses import dataclass, replace

from agents.domain.fact import Fold
from agents.domain.work import facts as f
from agents.domain.work.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkState:
    subtasks: tuple[Work, ...] = ()  # once the plan is accepted
    branch: str = ""  # where the subtasks' work is brought together
    base: str = ""  # the commit it began from
    into: str = ""  # the branch it began from, and will be merged into

    def on(self, number: int) -> Work:
        return next(work for work in self.subtasks if work.number == number)


fold = Fold[WorkState]()


@fold.on(f.WorkBegun)
def _(work: WorkState, fact: f.WorkBegun) -> WorkState:
    return replace(work, branch=fact.branch, base=fact.base, into=fact.into)


@fold.on(f.PullOpened)
def _(work: WorkState, fact: f.PullOpened) -> WorkState:
    return replace(work, into=fact.into or work.into)
