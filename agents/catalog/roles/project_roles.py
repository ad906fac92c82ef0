"""A project's own `.overlord/roles/` and `.overlord/contexts/`, laid over all other roles: they add and narrow.

What they may not say is left out, part by part, and told with its line and the place where it may stand.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from agents.catalog.library import Catalog, contexts_of, layers_of, packaged_prompts
from agents.catalog.roles.context_files import CONTEXT
from agents.catalog.roles.role_files import ROLE
from agents.catalog.validation import Odd, Wrong
from agents.catalog.yaml import BadYaml, Document, parse_yaml
from agents.domain.context.strategy import Strategy
from agents.domain.text.sanitize import clean, cut
from agents.domain.workflow.role_layers import BadRole, Layer, Roles
from agents.domain.workflow.roles import RolePart

ROLES, CONTEXTS = ".overlord/roles", ".overlord/contexts"
ENDINGS = (".yaml", ".yml")
MOST_FILES, MOST_TOLD, MOST_TRIES = 30, 20, 60
_LONGEST = 300  # characters of a reason


def with_project_roles(catalog: Catalog, files: Mapping[str, bytes]) -> tuple[Catalog, tuple[str, ...]]:
    """`files`: by their paths, as they are committed. Also what of them is left out."""
    wanted = [path for path in sorted(files) if path.endswith(ENDINGS)]
    if not wanted:
        return catalog, ()
    laying = _Laying(catalog=catalog)
    for path in wanted[:MOST_FILES]:
        laying.read(path, files[path])
    found = laying.resolve()
    told = [*laying.told, *(f"{path}: only {MOST_FILES} files are read." for path in wanted[MOST_FILES:])]
    return found, tuple(cut(clean(each), _LONGEST) for each in told[:MOST_TOLD])


@dataclass(slots=True, kw_only=True)
class _Laying:
    catalog: Catalog
    data: dict[str, dict[str, Any]] = field(default_factory=dict)  # of roles, by name
    documents: dict[str, Document] = field(default_factory=dict)
    contexts: dict[str, Strategy] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def read(self, path: str, body: bytes) -> None:
        name = path.rpartition("/")[2].rpartition(".")[0]
        try:
            document = parse_yaml(body, name=path)
        except BadYaml as problem:
            self.told.append(str(problem))
            return
        if path.startswith(f"{CONTEXTS}/"):
            self._context(name, document)
        else:
            self.documents[name], self.data[name] = document, {**deepcopy(document.data), "name": name}

    def _context(self, name: str, document: Document) -> None:
        if name in contexts_of(self.catalog.declared):
            what, step = "a project's own file may not change what others read", "Give the context another name."
            self.told.append(told_at(document, ((), what, step)))
            return
        try:
            self.contexts[name] = CONTEXT.read({**document.data, "name": name})
        except Wrong as wrong:
            self.told += [told_at(document, each) for each in wrong.odd]
            self.told.append(f"{document.name}: nothing of it is used.")

    def resolve(self) -> Catalog:
        """What is wrong is taken out until the rest can be used."""
        contexts = {**self.contexts, **self.catalog.contexts}
        parts = dict(self._parts())
        for _ in range(MOST_TRIES):
            layer = Layer(source=ROLES, parts=parts, narrows=True)
            roles, bad = Roles([*layers_of(self.catalog.declared), layer], contexts, packaged_prompts()).resolve()
            mine = [each for each in bad if each.role in parts]
            if not mine:
                return replace(self.catalog, roles=roles, contexts=contexts)
            for each in mine:
                self._leave_out(each)
            parts = dict(self._parts())
        return self.catalog

    def _parts(self) -> Iterator[tuple[str, RolePart]]:
        for name in list(self.data):
            while name in self.data:
                try:
                    yield name, ROLE.read(self.data[name])
                    break
                except Wrong as wrong:
                    for odd in wrong.odd:
                        self._take_out(name, odd)

    def _leave_out(self, bad: BadRole) -> None:
        if bad.role in self.data:
            self._take_out(bad.role, (bad.field, bad.what, bad.step))

    def _take_out(self, name: str, odd: Odd) -> None:
        """The part that is wrong; or the whole role, where it cannot be without it."""
        where, what, step = odd
        self.told.append(told_at(self.documents[name], (where, what, step)))
        if name not in self.data:  # it went with another fault of it
            return
        above: Any = self.data[name]
        tools = above.get("allowed_tools") if where == ("allowed_tools",) else None
        if isinstance(tools, list) and (wrong := [each for each in tools if f"`{each}`" in what]):
            tools.remove(wrong[0])  # the others stay: what is narrowed stays narrow
            return
        for part in where[:-1]:
            above = above.get(part, {}) if isinstance(above, dict) else {}
        key = where[-1] if where else ""
        if where and where[0] not in ("extends", "name") and isinstance(above, dict) and key in above:
            del above[key]
        elif where and len(where) > 1 and where[0] in self.data[name]:
            del self.data[name][str(where[0])]
        else:
            del self.data[name]
            self.told.append(f"{self.documents[name].name}: nothing of it is used.")


def told_at(document: Document, odd: Odd) -> str:
    """With its file and line; the first, where it is about all of it or about what is missing."""
    where, what, step = odd
    dotted = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in where).lstrip(".")
    place = document.place(where)
    line = " line 1" if place == document.name else ""
    return f"{place}{line}{f', {dotted}' if dotted else ''}: {what}. {step}"
