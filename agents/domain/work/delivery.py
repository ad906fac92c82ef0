"""The pull request of a task and its merge, as its facts leave them."""

from dataclasses import dataclass, replace

from agents.domain.fact import Fold
from agents.domain.work import facts as f


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryState:
    pull: int = 0
    url: str = ""  # of the pull request
    head: str = ""  # of the pull request
    merged_into: str = ""


fold = Fold[DeliveryState]()


@fold.on(f.PullOpened)
def _(delivery: DeliveryState, fact: f.PullOpened) -> DeliveryState:
    return replace(delivery, pull=fact.number, url=fact.url, head=fact.head)


@fold.on(f.Merged)
def _(delivery: DeliveryState, fact: f.Merged) -> DeliveryState:
    return replace(delivery, head=fact.commit, merged_into=fact.into)
