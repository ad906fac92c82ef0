"""A project's own `.overlord/workflows/`: what is laid over the workflow that somebody else chose.

It may add steps and ask for more of those that are there. What it may not say is left out, part by part, and told with
its line and the place where it may stand.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from agents.catalog.composition import LOOSER, Layer
from agents.catalog.library import Catalog, odd_names, role_kinds
from agents.catalog.validation import Odd, Wrong
from agents.catalog.workflow_choice import compose_one, layers_of
from agents.catalog.workflows import CHOSEN
from agents.catalog.yaml import BadYaml, Document, Where, parse_yaml
from agents.domain.text.sanitize import clean, cut
from agents.domain.workflow.steps import GATE, REVIEW, WORKER
from agents.domain.workflow.workflow import Resolved, Workflow

ENDINGS = (".yaml", ".yml")
MOST_FILES = 10
MOST_TOLD = 20
_LONGEST = 300  # characters of a reason
_CHOICES = {
    "template": "Choose the workflow in overlord.yaml, or say it with the request.",
    "on_request": "Write it under `workflow:` in overlord.yaml.",
}


def with_project(name: str, files: Mapping[str, bytes], catalog: Catalog) -> Resolved:
    """The workflow of this name with what the project's files add to it. A file that is named after another workflow
    is about that one; any other is about all."""
    found, told = catalog.workflows[name], list[str]()
    wanted = [path for path in sorted(files) if path.endswith(ENDINGS) and _is_about(path, name, catalog)]
    layers = list[Layer]()
    for path in wanted[:MOST_FILES]:
        file = _File(path=path, name=name, catalog=catalog, before=tuple(layers))
        workflow = file.lay(files[path])
        told += file.told
        if workflow:
            found, layers = workflow, [*layers, *file.layers]
    told += [f"{path}: only {MOST_FILES} files are read. Join some of them." for path in wanted[MOST_FILES:]]
    return Resolved(workflow=found, left_out=tuple(cut(clean(each), _LONGEST) for each in told[:MOST_TOLD]))


def _is_about(path: str, name: str, catalog: Catalog) -> bool:
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return stem == name or stem not in catalog.workflows


@dataclass(slots=True, kw_only=True)
class _File:
    """One file while it is read: what may not stand in it is taken out until the rest can be used."""

    path: str
    name: str
    catalog: Catalog
    before: tuple[Layer, ...]  # of the files that were read before it
    layers: tuple[Layer, ...] = ()
    told: list[str] = field(default_factory=list)

    def lay(self, body: bytes) -> Workflow | None:
        """None: nothing of it can be used."""
        try:
            document = parse_yaml(body, name=self.path)
        except BadYaml as problem:
            self.told.append(str(problem))
            return None
        data: dict[str, Any] = deepcopy(document.data)
        while data:
            workflow, odd = self._try(data)
            if workflow:
                return workflow
            left = [each for each in odd if self._take_out(data, each[0])]
            self.told += [_in_words(document, each) for each in left or odd]
            if not left:
                self.told.append(f"{document.name}: nothing of it is used.")
                return None
        return None

    def _try(self, data: dict[str, Any]) -> tuple[Workflow | None, list[Odd]]:
        if chosen := [
            ((key,), "a project's own file may not say this", _CHOICES[key]) for key in _CHOICES if key in data
        ]:
            return None, [*chosen]
        try:
            part = CHOSEN.read(data)
        except Wrong as wrong:
            return None, [*wrong.odd]
        self.layers = (*layers_of(part, (), narrows=True),)
        declared = self.catalog.declared
        over = (*(_elsewhere(layer) for layer in self.before), *self.layers)
        roles = role_kinds(self.catalog.roles)
        workflow, odd = compose_one(self.name, declared.workflow, declared.workflows, roles, over)
        if workflow is None:
            return None, odd
        odd = [*self._odd_steps(workflow, data)]
        return (None, odd) if odd else (workflow, [])

    def _odd_steps(self, workflow: Workflow, data: Mapping[str, Any]) -> Iterator[Odd]:
        """Names that are not there, more retries than there were, and workers whose work nobody would look at."""
        mine = {step: (below, step) for below in ("steps", "overrides") for step in data.get(below) or {}}
        known = {step.name: step for step in self.catalog.workflows[self.name].steps}
        checked = False
        for step in workflow.steps:
            where: Where | None = mine.get(step.name)
            if where and step.name not in known:
                yield from (((*where, each), what, instead) for each, _, what, instead in odd_names(step, self.catalog))
                if checked and step.type == WORKER.name:
                    what = "what it changes would be past the checks that come before it"
                    yield where, what, "Put it before them; elsewhere it may stand in overlord.yaml."
            if where and step.name in known and step.max_retries > known[step.name].max_retries:
                yield (*where, "max_retries"), LOOSER, "Write it under `workflow:` in overlord.yaml."
            checked = checked or step.type in (GATE.name, REVIEW.name)

    def _take_out(self, data: dict[str, Any], where: Where) -> bool:
        """The smallest part that can be left out: an attribute of a step that is there, or a whole step of its own."""
        known = {step.name for step in self.catalog.workflows[self.name].steps}
        way = where[:2] if where[:1] in (("steps",), ("overrides",)) and where[1:2] and where[1] not in known else where
        least = 2 if len(way) > 1 and way[0] in ("steps", "overrides") else 1
        for end in range(len(way), least - 1, -1):
            above: Any = data
            for part in way[: end - 1]:
                above = above[part] if _has(above, part) else {}
            if _has(above, way[end - 1]):
                del above[way[end - 1]]
                return True
        return False


def _in_words(document: Document, odd: Odd) -> str:
    where, what, instead = odd
    return f"{document.place(where)}, {'.'.join(map(str, where))}: {what}. {instead}"


def _has(above: Any, part: str | int) -> bool:
    return part in above if isinstance(above, dict) else isinstance(above, list) and part in range(len(above))


def _elsewhere(layer: Layer) -> Layer:
    """What an earlier file says is no fault of this one."""
    return Layer(where=("earlier", *layer.where), part=layer.part, below=layer.below, narrows=True)
