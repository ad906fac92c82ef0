"""Slack's ids in the program's names: "slack:T1:U2", "slack:T1:C3", "slack:T1:C3:17.5"."""

import re
from dataclasses import dataclass

from agents.domain.ids import Account, Thread

SLACK = "slack"
REACTION = "~"  # after a ts: not the message itself, but a reaction to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    channel: str
    ts: str


def account(team: str, user: str) -> Account:
    return Account(f"{SLACK}:{team}:{user}")


def channel(team: str, id: str) -> str:
    return f"{SLACK}:{team}:{id}"


def thread(team: str, channel_id: str, ts: str) -> Thread:
    return Thread(f"{SLACK}:{team}:{channel_id}:{ts}")


def place(address: str) -> Place:
    """Where a thread or a channel is; a channel has no ts."""
    parts = address.split(":")
    return Place(channel=parts[2], ts=parts[3] if len(parts) > 3 else "")


def user(account: Account) -> str:
    return account.rpartition(":")[2]


def seconds(ts: str) -> float | None:
    """What a message's id says of when it was written; None: it is no such id."""
    return float(ts) if re.fullmatch(r"[0-9]{1,11}\.[0-9]{1,6}", ts) else None


def team(account: Account) -> str:
    return account.split(":")[1]


def message_ts(message: str) -> str:
    return message.partition(REACTION)[0]
