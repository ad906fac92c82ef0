"""Links in a JSON file, written whole so that a crash leaves the old one or the new one."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Link:
    code: str
    url: str
    created: str


class LinkStore:
    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> dict[str, Link]:
        if not self._path.exists():
            return {}
        rows = json.loads(self._path.read_text())
        return {row["code"]: Link(**row) for row in rows}

    def put(self, link: Link) -> None:
        links = self.all()
        links[link.code] = link
        self._write(links)

    def remove(self, code: str) -> bool:
        links = self.all()
        found = links.pop(code, None) is not None
        self._write(links)
        return found

    def _write(self, links: dict[str, Link]) -> None:
        rows = [asdict(link) for link in links.values()]
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(rows, indent=1))
        os.replace(fresh, self._path)
