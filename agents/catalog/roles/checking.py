"""Says all that is wrong with the file of a role, pack, context, workflow or feature, before anybody relies on it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from agents.catalog.forms.feature_files import check_feature
from agents.catalog.library import Declared, odd_declared
from agents.catalog.roles.bundles import Bundle
from agents.catalog.roles.context_files import CONTEXT
from agents.catalog.roles.pack_files import PACK
from agents.catalog.roles.project_roles import told_at, with_project_roles
from agents.catalog.roles.role_files import ROLE
from agents.catalog.validation import Model, Odd, read_all
from agents.catalog.workflows import WORKFLOW
from agents.catalog.yaml import BadYaml, Where, parse_yaml
from agents.domain.workflow.roles import Base

CHECKED = "this file"


class FileKind(StrEnum):
    ROLE = "role"
    PACK = "pack"
    CONTEXT = "context"
    WORKFLOW = "workflow"
    FEATURE = "feature"


_MODELS: dict[FileKind, Model[Any]] = {
    FileKind.ROLE: ROLE,
    FileKind.PACK: PACK,
    FileKind.CONTEXT: CONTEXT,
    FileKind.WORKFLOW: WORKFLOW,
}
_BY_KEY = {
    FileKind.CONTEXT: ("inputs", "priority_order"),
    FileKind.PACK: ("roles", "detect", "suggests"),
    FileKind.WORKFLOW: ("steps", "initial_step", "hooks"),
    FileKind.FEATURE: ("feature", "phases"),
}


def kind_of(path: str, data: Mapping[str, Any]) -> FileKind:
    """By the folder that it is in, else by what it says."""
    folder = path.rpartition("/")[0].rpartition("/")[2]
    if folder.removesuffix("s") in [*FileKind]:
        return FileKind(folder.removesuffix("s"))
    return next((kind for kind, keys in _BY_KEY.items() if any(key in data for key in keys)), FileKind.ROLE)


def check_file(path: str, body: bytes, declared: Declared, kind: FileKind | None = None) -> list[str]:
    """A line for each fault; none: it is sound, beside all that is declared already."""
    try:
        document = parse_yaml(body, name=path)
    except BadYaml as problem:
        return [str(problem)]
    document = document.below(FileKind.WORKFLOW)
    name = path.rpartition("/")[2].rpartition(".")[0]
    kind = kind or kind_of(path, document.data)
    if kind is FileKind.FEATURE:
        return list(check_feature(path, body)[1])
    faults = list[Odd]()
    if (said := document.data.get("name", name)) != name:
        faults.append((("name",), f"the file is named `{name}`, and it says `{said}`", "Write one name."))
    made = read_all({**document.data, "name": name}, _MODELS[kind], faults)
    if made is not None:
        faults += _misfits(kind, name, made, declared)
    if kind is FileKind.ROLE and made is not None and any(where == ("extends",) for where, _, _ in faults):
        # what else is wrong with it is told as if it extended the usual one
        usual = replace(made, extends="" if name in [*Base] else Base.IMPLEMENTER.value)
        faults += [odd for odd in _misfits(kind, name, usual, declared) if odd[0] != ("extends",)]
    return list(dict.fromkeys(told_at(document, each) for each in faults))


def check_in_project(path: str, body: bytes, catalog: Any) -> list[str]:
    """The same for a file in a project's own `.overlord/`."""
    return list(with_project_roles(catalog, {path: body})[1])


def _misfits(kind: FileKind, name: str, made: Any, declared: Declared) -> Iterator[Odd]:
    start: Where = (CHECKED,)
    bundle = Bundle(source=CHECKED, where=start)
    match kind:
        case FileKind.ROLE:
            bundle, start = replace(bundle, roles={name: made}), (CHECKED, "roles", name)
        case FileKind.PACK:
            bundle = replace(made.bundle, source=CHECKED, where=start)
        case FileKind.CONTEXT:
            bundle = replace(bundle, contexts={name: made})
        case FileKind.WORKFLOW:
            declared, start = replace(declared, workflows={**declared.workflows, name: made}), ("workflows", name)
    before = set(odd_declared(declared)) if kind is not FileKind.WORKFLOW else set[Odd]()
    for odd in odd_declared(replace(declared, bundles=(*declared.bundles, bundle))):
        where, what, step = odd
        if odd not in before and where[: len(start)] == start:
            yield where[len(start) :], what, step
