"""The user's own roles, packs, contexts, workflows and prompts: files in the state folder, one thing a file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agents.catalog.roles.bundles import Bundle
from agents.catalog.roles.context_files import CONTEXT
from agents.catalog.roles.pack_files import LONGEST_PROMPT, PACK, Pack
from agents.catalog.roles.role_files import ROLE
from agents.catalog.validation import Model, Odd, Wrong, did_you_mean
from agents.catalog.workflows import WORKFLOW, WorkflowPart
from agents.catalog.yaml import BadYaml, Document, Where, read_yaml
from agents.domain.context.strategy import Strategy
from agents.domain.workflow.roles import RolePart

USER = "user"  # the first word of the places of what is in it
MOST_FILES = 200
ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFiles:
    """`documents`: by the beginning of their places, so that a problem is told with its file and line."""

    roles: Mapping[str, RolePart] = field(default_factory=dict)
    contexts: Mapping[str, Strategy] = field(default_factory=dict)
    packs: Mapping[str, Pack] = field(default_factory=dict)
    workflows: Mapping[str, WorkflowPart] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[Where, Document] = field(default_factory=dict)
    broken: tuple[tuple[str, str, str], ...] = ()  # files that are no YAML: the file, what is wrong, what to do
    odd: tuple[Odd, ...] = ()

    @property
    def bundle(self) -> Bundle:
        return Bundle(
            source="your state folder", where=(USER,), roles=self.roles, contexts=self.contexts, prompts=self.prompts
        )

    @property
    def is_empty(self) -> bool:
        return not (self.roles or self.contexts or self.packs or self.workflows or self.prompts)


# The folder, how its files are read, and the beginning of their places.
_FOLDERS: dict[str, tuple[Model[Any], Where]] = {
    "contexts": (CONTEXT, (USER, "contexts")),
    "roles": (ROLE, (USER, "roles")),
    "packs": (PACK, ("packs",)),
    "workflows": (WORKFLOW, ("workflows",)),
}


_WRAPPED = {"workflows": "workflow"}  # as it stands in overlord.yaml


def read_user_files(home: Path) -> UserFiles:
    reading = _Reading()
    found = {folder: dict(reading.all_of(home / folder, *kind)) for folder, kind in _FOLDERS.items()}
    prompts = dict(reading.prompts(home / "prompts"))
    return UserFiles(
        **found,
        prompts=prompts,
        documents=reading.documents,
        broken=tuple(reading.broken),
        odd=tuple(reading.odd),
    )


@dataclass(slots=True)
class _Reading:
    documents: dict[Where, Document] = field(default_factory=dict)
    broken: list[tuple[str, str, str]] = field(default_factory=list)
    odd: list[Odd] = field(default_factory=list)

    def all_of(self, folder: Path, model: Model[Any], start: Where) -> Iterator[tuple[str, Any]]:
        for path in self._files(folder, ENDINGS):
            try:
                document = read_yaml(path)
            except BadYaml as problem:
                self.broken.append((str(path), problem.what, problem.next_step))
                continue
            document = document.below(_WRAPPED.get(folder.name, ""))
            name, where = path.stem, (*start, path.stem)
            self.documents[where] = document
            if (said := document.data.get("name", name)) != name:
                self.odd.append(
                    ((*where, "name"), f"the file is named `{name}`, and it says `{said}`", "Write one name.")
                )
            try:
                yield name, model.read({**document.data, "name": name}, where)
            except Wrong as wrong:
                self.odd += wrong.odd

    def prompts(self, folder: Path) -> Iterator[tuple[str, str]]:
        for path in self._files(folder, (".j2",)):
            try:
                text = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as problem:
                self.broken.append((str(path), f"it cannot be read: {type(problem).__name__}", "Save it as UTF-8."))
                continue
            if len(text) > LONGEST_PROMPT:
                what = f"it has {len(text)} characters"
                self.broken.append((str(path), what, f"Write at most {LONGEST_PROMPT}."))
                continue
            yield path.stem, text

    def _files(self, folder: Path, endings: tuple[str, ...]) -> list[Path]:
        if not folder.is_dir():
            return []
        return sorted(path for path in folder.iterdir() if path.suffix in endings and path.is_file())[:MOST_FILES]


def chosen_packs(names: tuple[str, ...], known: Mapping[str, Pack]) -> tuple[tuple[Pack, ...], list[Odd]]:
    """Those that are switched on, and what is wrong with the list."""
    odd: list[Odd] = [
        (("packs", at), f"there is no pack `{name[:60]}`", did_you_mean(name, known))
        for at, name in enumerate(names)
        if name not in known
    ]
    return tuple(known[name] for name in dict.fromkeys(names) if name in known), odd
