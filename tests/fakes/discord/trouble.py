"""What can go wrong on the way: lost answers, broken servers, rate limits. Tests say what happens and when."""

import random
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

ALL_WRITES = ("POST", "PATCH", "PUT", "DELETE")


class Kind(StrEnum):
    RESET_BEFORE = "reset before accept"
    RESET_AFTER = "reset after accept"
    ERROR_BEFORE = "502 before accept"
    ERROR_AFTER = "500 after accept"
    LIMITED = "429"
    NOT_JSON = "not JSON, after accept"
    SILENT_AFTER = "no answer, after accept"


AFTER = frozenset({Kind.RESET_AFTER, Kind.ERROR_AFTER, Kind.NOT_JSON, Kind.SILENT_AFTER})


@dataclass
class _Planned:
    kind: Kind
    method: str
    path: str
    left: int


@dataclass
class Trouble:
    """`plan` makes the next matching requests fail; `chances` makes some of all writes fail, by a seed."""

    chances: Mapping[Kind, float] = field(default_factory=dict)
    retry_after: float = 0.3
    seed: int = 1
    made: Counter[Kind] = field(default_factory=Counter)
    _planned: list[_Planned] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def plan(self, kind: Kind, method: str = "POST", path: str = "/messages", times: int = 1) -> None:
        self._planned.append(_Planned(kind, method, path, times))

    def pick(self, method: str, path: str) -> Kind | None:
        """What befalls this request."""
        for planned in self._planned:
            if planned.left and planned.method == method and planned.path in path:
                planned.left -= 1
                return self._count(planned.kind)
        if method in ALL_WRITES and "/interactions/" not in path:
            for kind, chance in self.chances.items():
                if self._dice.random() < chance:
                    return self._count(kind)
        return None

    def _count(self, kind: Kind) -> Kind:
        self.made[kind] += 1
        return kind


@dataclass
class Bucket:
    limit: int
    per: float
    left: int = 0
    resets: float = 0.0

    def take(self) -> bool:
        now = time.monotonic()
        if now >= self.resets:
            self.left, self.resets = self.limit, now + self.per
        if self.left <= 0:
            return False
        self.left -= 1
        return True

    @property
    def wait(self) -> float:
        return max(0.0, self.resets - time.monotonic())


class Buckets:
    """A limit for each method, route and major parameter, as Discord counts."""

    def __init__(self) -> None:
        self.usual = (200, 1.0)
        self.limits: dict[tuple[str, str], tuple[int, float]] = {}  # (method, template) -> so many in so many seconds
        self.hits = 0  # requests that met a 429 here
        self._buckets: dict[tuple[str, str, str], Bucket] = {}

    def of(self, method: str, template: str, major: str) -> Bucket:
        key = (method, template, major)
        if key not in self._buckets:
            self._buckets[key] = Bucket(*self.limits.get((method, template), self.usual))
        return self._buckets[key]

    def headers(self, bucket: Bucket, name: str) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(bucket.limit),
            "X-RateLimit-Remaining": str(bucket.left),
            "X-RateLimit-Reset": f"{time.time() + bucket.wait:.3f}",
            "X-RateLimit-Reset-After": f"{bucket.wait:.3f}",
            "X-RateLimit-Bucket": f"{abs(hash(name)):016x}"[:16],
        }
