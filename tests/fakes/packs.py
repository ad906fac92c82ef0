"""Packs for reviewers, without reading anything."""

from dataclasses import dataclass, field

from agents.domain.context.packing import ReviewPack
from agents.domain.task.task import Task
from agents.domain.work.work import Work


@dataclass
class PlainPacks:
    packs: dict[int, ReviewPack] = field(default_factory=dict)  # by subtask, where it is another one

    read: list[tuple[str, str]] = field(default_factory=list)  # as which role, by which context

    async def for_review(self, task: Task, work: Work, commit: str, role: str, scope: str = "") -> ReviewPack:
        self.read.append((role, scope))
        return self.packs.get(work.number) or ReviewPack(parts=(f"what {commit[:6]} changes",), read=4, lines=4)
