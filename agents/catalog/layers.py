"""Values from several places laid over each other: later wins, and each remembers where it came from."""

from collections.abc import Mapping

from agents.catalog.yaml import Document, Value, Where


class Layers:
    def __init__(self) -> None:
        self.data: dict[str, Value] = {}
        self._documents: list[tuple[Where, Document]] = []
        self._named: dict[Where, str] = {}

    def lay(self, document: Document, *, under: str = "") -> None:
        """Lay a file on top, its content below `under`. Mappings merge; anything else is replaced."""
        self._documents.insert(0, ((under,) if under else (), document))
        self.data = _merged(self.data, {under: document.data} if under else document.data)

    def put(self, where: tuple[str, ...], value: Value, name: str) -> None:
        """Set one value, from a variable or a flag of this name."""
        here = self.data
        for part in where[:-1]:
            below = here.setdefault(part, {})
            if not isinstance(below, dict):
                return  # a file has something else there, and that is told instead
            here = below
        here[where[-1]] = value
        self._named[where] = name

    def name(self, where: Where) -> str:
        """What to call the setting at this place: the variable, or the file, the line and its dotted name."""
        for end in range(len(where), 0, -1):
            if variable := self._named.get(where[:end]):
                return variable
            for under, document in self._documents:
                inside = where[len(under) : end]
                if where[: len(under)] == under and inside in document.lines and inside:
                    return f"{document.place(inside)}, {_dotted(where[len(under) :])}"
        return _dotted(where)

    def text(self, *where: str) -> str:
        """The text at a place; empty if there is none."""
        here: Value = self.data
        for part in where:
            here = here.get(part) if isinstance(here, dict) else None
        return here if isinstance(here, str) else ""


def _merged(below: Mapping[str, Value], above: Mapping[str, Value]) -> dict[str, Value]:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _merged(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged


def _dotted(where: Where) -> str:
    """ "projects[0].name", the way people point at a place."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in where)
    return "".join(parts).lstrip(".")
