"""Ways to what is too long for a card: addresses that its readers can open, or else the thing itself."""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from agents.domain.ids import surface_of
from agents.domain.task.task import Task
from bot.messages import Attached, Card, Link

HERE = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """`public`: where people reach the console. Whoever reads the console itself is there already."""

    surface: str = "console"
    public: str = ""

    def to(self, path: str) -> str:
        """An address, or nothing where only the operator could open it."""
        if self.surface == "console":
            return path
        return f"{self.public}{path}" if self.public else ""

    def openable(self, url: str) -> str:
        parts = urlsplit(url)
        return url if parts.hostname not in HERE else self.to(parts.path)


def ways_of(task: Task, public: str) -> Ways:
    return Ways(surface=surface_of(task.thread), public=public)


def with_task_page(card: Card, task: Task, ways: Ways) -> Card:
    url = ways.to(f"/task/{task.id}") if ways.surface != "console" else ""
    return replace(card, links=(*card.links, Link(label="Task page", url=url))) if url else card


def with_kept(card: Card, task: Task, name: str, label: str, ways: Ways) -> Card:
    """A diff or a patch, by a link or as a file."""
    if url := ways.to(f"/task/{task.id}/kept/{name}"):
        return replace(card, links=(*card.links, Link(label=label, url=url)))
    return replace(card, files=(*card.files, Attached(name=name)))
