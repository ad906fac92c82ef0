"""How Discord's places and people are named outside this folder, and what a button's custom id says."""

import re
from dataclasses import dataclass
from enum import StrEnum

from agents.domain.ids import Account, Thread

NAME = "discord"
DIRECT = "@me"  # stands where a guild would
_CUSTOM_ID = re.compile(r"ov:(?P<act>[a-z]+):(?P<message>\d*):(?P<token>[\w.-]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A thread. Discord gives a thread the id of the message it was started from, so `root` is both."""

    guild: str
    channel: str
    root: str  # in a direct channel, which has no threads, the channel itself

    @classmethod
    def of(cls, thread: Thread) -> "Place":
        _, guild, channel, root = thread.split(":")
        return cls(guild=guild, channel=channel, root=root)

    @classmethod
    def direct(cls, channel: int) -> "Place":
        return cls(guild=DIRECT, channel=str(channel), root=str(channel))

    @property
    def thread(self) -> Thread:
        return Thread(f"{NAME}:{self.guild}:{self.channel}:{self.root}")

    @property
    def channel_name(self) -> str:
        return f"{NAME}:{self.guild}:{self.channel}"

    @property
    def is_direct(self) -> bool:
        return self.guild == DIRECT

    def holds(self, message: str) -> str:
        """The channel in which a message of this thread stands: the one that started it is outside."""
        return self.channel if message == self.root else self.root


def account_of(user: int | str) -> Account:
    return Account(f"{NAME}:{user}")


def user_of(account: Account) -> str | None:
    """The user's id, or None for an account of another platform."""
    name, _, user = account.partition(":")
    return user if name == NAME and user.isdecimal() else None


class Act(StrEnum):
    """What pressing a component, or sending a form, asks for."""

    PRESS = "press"
    ASK = "ask"  # a button with a form behind it
    CHECK = "check"  # a button that asks to confirm
    MORE = "more"  # a menu; the chosen value is the custom id of a button
    FORM = "form"  # the form behind a button
    SURE = "sure"  # the second step of a button that asks to confirm
    SAY = "say"  # opens the Answer form
    SAID = "said"  # the Answer form


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomId:
    """Names a button, nothing more. It comes back from strangers, so nothing in it is trusted."""

    act: Act
    message: str = ""  # where the button stood, if the component that carries this id is elsewhere
    token: str = ""

    @property
    def text(self) -> str:
        return f"ov:{self.act}:{self.message}:{self.token}"

    @classmethod
    def of(cls, text: str) -> "CustomId | None":
        found = _CUSTOM_ID.fullmatch(text)
        if found is None or found["act"] not in set(Act):
            return None
        return cls(act=Act(found["act"]), message=found["message"], token=found["token"])
