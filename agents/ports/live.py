"""What runs at this moment, for people who look. Nothing is decided on it, and nothing keeps it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from agents.domain.ids import TaskId

Listener = Callable[[str], None]  # told, now and then, the end of what a command has said so far


class Show(Protocol):
    """Shows one command of a subtask while the block runs. `gate`: the one that runs it, if it is no minion."""

    def __call__(self, command: str, gate: str = "") -> AbstractContextManager[Listener]: ...


Live = Callable[[TaskId, int], Show]  # of which task's which subtask


@contextmanager
def unseen(command: str, gate: str = "") -> Iterator[Listener]:
    """Where nobody looks."""
    yield lambda last: None
