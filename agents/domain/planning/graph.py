"""What depends on what: one cycle named if there is any, what may start now, and the order in words."""

from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

Node = TypeVar("Node", bound=Hashable)


def cycle_in(needs: Mapping[Node, Iterable[Node]]) -> list[Node]:
    """One cycle, as the nodes one meets going round it; empty if there is none. Linear in nodes and edges."""
    done: set[Node] = set()
    for start in needs:
        path: list[Node] = []
        on_path: set[Node] = set()
        stack: list[tuple[Node, bool]] = [(start, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                path.pop()
                on_path.discard(node)
                done.add(node)
            elif node in on_path:
                return [*path[path.index(node) :], node]
            elif node not in done:
                path.append(node)
                on_path.add(node)
                stack.append((node, True))
                stack.extend((need, False) for need in needs.get(node, ()))
    return []


class ReadySet(Generic[Node]):
    """Counts what each node still waits for, so that finishing one costs only its own edges."""

    def __init__(self, needs: Mapping[Node, Sequence[Node]]) -> None:
        self._left = {node: len(set(before)) for node, before in needs.items()}
        self._after: dict[Node, list[Node]] = {}
        for node, before in needs.items():
            for need in set(before):
                self._after.setdefault(need, []).append(node)
        self._ready = deque(node for node, left in self._left.items() if left == 0)

    def take(self) -> list[Node]:
        """What may start now and was not taken before."""
        taken = list(self._ready)
        self._ready.clear()
        return taken

    def finish(self, node: Node) -> None:
        for after in self._after.get(node, ()):
            self._left[after] -= 1
            if self._left[after] == 0:
                self._ready.append(after)


def waves(needs: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """The nodes in the order they could be done, those side by side together."""
    ready = ReadySet(needs)
    found: list[list[Node]] = []
    while wave := ready.take():
        found.append(wave)
        for node in wave:
            ready.finish(node)
    return found
