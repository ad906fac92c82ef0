"""A rig lets one suite try every platform: it makes threads, and looks at them from outside."""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agents.domain.ids import Account, Thread
from bot.messages import Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Visible:
    """A message of the bot as the platform shows it to one person."""

    id: str
    text: str  # everything that is readable in it
    tokens: tuple[str, ...] = ()  # of the buttons and menu entries that can be pressed
    private: bool = False


class Rig(Protocol):
    @property
    def platform(self) -> Platform: ...

    @property
    def ana(self) -> Account: ...

    @property
    def bo(self) -> Account: ...

    async def thread(self) -> Thread:
        """A thread of its own, started by a message of ana's."""
        ...

    async def visible(self, thread: Thread, to: Account) -> list[Visible]:
        """The bot's messages in the thread, oldest first, as this person sees them."""
        ...

    async def noticed(self, thread: Thread) -> int:
        """How many marks of the bot are on ana's first message."""
        ...

    async def pinged(self, thread: Thread) -> set[Account]:
        """Who got a notification because of the bot's messages there. Everybody counts as "everybody"."""
        ...


OpenRig = Callable[[AsyncExitStack, Path], Awaitable[Rig]]
