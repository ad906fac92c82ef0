"""The last few of what is dear to find out and never changes, such as what belongs to a commit."""

from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = dict[Key, Value]()

    def get(self, key: Key) -> Value | None:
        return self._kept.get(key)

    def keep(self, key: Key, value: Value) -> Value:
        """Threads may come at once: then one of them does it for nothing."""
        self._kept[key] = value
        while len(self._kept) > self._most:
            self._kept.pop(next(iter(self._kept)), None)
        return value
