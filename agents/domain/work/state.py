"""The work on all subtasks of a task, and its delivery, as its facts leave them."""

from dataclasses import dataclass

from agents.domain.work.work import Work


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkState:
    subtasks: tuple[Work, ...] = ()  # once the plan is accepted
    branch: str = ""  # where the subtasks' work is brought together
    base: str = ""  # the commit it began from
    into: str = ""  # the branch it began from, and will be merged into

    def on(self, number: int) -> Work:
        return next(work for work in self.subtasks if work.number == number)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryState:
    pull: int = 0
    url: str = ""  # of the pull request
    head: str = ""  # of the pull request
    merged_into: str = ""
