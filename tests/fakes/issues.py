"""Issues, played: what was said and done on them."""

from dataclasses import dataclass, field


@dataclass
class MemoryIssues:
    """What was said and done on issues, by key: the same key again changes nothing."""

    said: dict[str, tuple[str, int, str]] = field(default_factory=dict)

    async def tell(self, key: str, project: str, number: int, text: str) -> None:
        self.said.setdefault(key, ("tell", number, text))

    async def mark_blocked(self, key: str, project: str, number: int, why: str) -> None:
        self.said.setdefault(key, ("blocked", number, why))

    async def attention(self, key: str, project: str, number: int, why: str) -> None:
        self.said.setdefault(key, ("attention", number, why))
