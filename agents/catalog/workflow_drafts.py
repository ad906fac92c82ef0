"""One step of a workflow as all layers together say it, and what is wrong with steps that are in their order."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any

from agents.catalog.validation import Odd, did_you_mean
from agents.catalog.workflows import MOST_STEPS
from agents.catalog.yaml import Where
from agents.domain.workflow import steps as t
from agents.domain.workflow.steps import STEP_TYPES, StepLevel, StepType

# Attributes that mean something on every step, beside those that its type obeys.
COMMON = frozenset({"type", "level", "description", "next", "position", "terminal", "required", "config"})
ONCE = (t.PLAN, t.PLAN_REVIEW, t.PULL, t.MERGE)  # how often such a step may stand in a workflow


@dataclass(slots=True, kw_only=True)
class Draft:
    """A step as all layers together say it, and where each thing is written."""

    name: str
    where: Where
    narrows: bool = False
    said: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Where] = field(default_factory=dict)
    next: str | None = None  # None: not known yet

    def lay(self, written: dict[str, Any], where: Where) -> None:
        config = {**self.said.get("config", {}), **written.get("config", {})}
        if "command" in written and "check" not in written.get("config", {}):
            config.pop("check", None)  # a gate runs one of them: what is said later
        elif "check" in written.get("config", {}) and "command" not in written:
            self.said.pop("command", None)
        if config or "config" in self.said:
            written = {**written, "config": config}
        for other in {"role": ["roles"], "roles": ["role"]}.get(next(iter({"role", "roles"} & written.keys()), ""), []):
            self.said.pop(other, None)
        self.said |= written
        self.places |= {attribute: (*where, attribute) for attribute in written}
        if written.get("terminal"):
            self.next = ""
        elif "next" in written:
            self.next = written["next"]

    @property
    def kind(self) -> StepType:
        return STEP_TYPES[self.said["type"]]

    @property
    def level(self) -> StepLevel:
        return self.said.get("level") or self.kind.level

    def place(self, *way: str) -> Where:
        """Where an attribute is written; the step itself, if it is not."""
        found = self.places.get(way[0]) if way else None
        return (*found, *way[1:]) if found else self.where


def wrong_shape(order: list[Draft]) -> Iterator[Odd]:
    kinds = [draft.kind for draft in order]
    for kind in ONCE:
        if kinds.count(kind) > 1:
            second = [draft for draft in order if draft.kind is kind][1]
            yield second.where, f"there are two steps of type {kind.name}", "Keep one of them."
    if kinds[1] is not t.PLAN_REVIEW:
        yield order[1].where, "the plan is reviewed before anything else", "Put plan_review right after the plan."
    if kinds[-1] is not t.MERGE:
        yield order[-1].where, "nothing comes after the merge", "Put this step before it."
    yield from _wrong_neighbours(order)
    yield from _wrong_levels(order)
    yield from _wrong_remote(order)
    if len(order) > MOST_STEPS:
        yield order[MOST_STEPS].where, f"there are {len(order)} steps", f"Write at most {MOST_STEPS}."


def _wrong_neighbours(order: list[Draft]) -> Iterator[Odd]:
    for draft, after in pairwise(order):
        if draft.kind is t.HUMAN and after.kind not in (t.HUMAN, t.JOIN, t.MERGE):
            step = "Put it right before the step that joins the work, or before the merge."
            yield draft.where, "a person looks at what passed all checks", step
        if draft.kind is t.PULL and after.kind not in (t.HUMAN, t.MERGE):
            yield after.where, "what was handed over is not checked any more", "Put this step before the pull step."


def _wrong_remote(order: list[Draft]) -> Iterator[Odd]:
    """The forge sees the whole, once it is joined and before it is handed over."""
    kinds = [draft.kind for draft in order]
    joined = len(kinds) - kinds[::-1].index(t.JOIN) if t.JOIN in kinds else len(kinds)
    for at, draft in enumerate(order):
        if draft.said.get("config", {}).get("remote") is not True:
            continue
        if at < joined:
            what = "the forge's checks are of everything together"
            yield draft.place("config", "remote"), what, "Put the step after the last `join`, with `level: task`."
        if draft.narrows:
            what = "a project's own file may not have work pushed before it is finished"
            yield draft.place("config", "remote"), what, "Write it under `workflow:` in overlord.yaml."


def _wrong_levels(order: list[Draft]) -> Iterator[Odd]:
    """The task's first steps, then those of each subtask, then the task's last ones."""
    rest = order[2:]
    of_subtasks = [at for at, draft in enumerate(rest) if draft.level is StepLevel.SUBTASK]
    if not any(rest[at].kind is t.WORKER for at in of_subtasks):
        yield order[0].where, "nobody works on a subtask", "Add a step such as `implement` with `role: implementer`."
        return
    begin, end = of_subtasks[0], of_subtasks[-1]
    opening = rest[:begin]
    if opening and not any(draft.kind is t.WORKER for draft in opening):
        what = f"`{opening[0].name}` comes before the subtasks, and there is no work that it could look at"
        yield opening[0].where, what, "Put a step with a `role` before it, or put it after the subtasks."
    first = next(draft for draft in rest[begin:] if draft.kind is t.WORKER)
    if "files" in first.said.get("config", {}):
        what, step = "the plan says which files each subtask may write", "Remove it; it is for workers before or after."
        yield first.place("config", "files"), what, step
    for draft in rest[begin:end]:
        if draft.level is StepLevel.TASK:
            what = f"`{draft.name}` is done once for the task, and stands between steps of subtasks"
            yield draft.place("level"), what, "Move it before or after them, or write `level: subtask`."
    parts = {"opening": opening, "subtask": rest[begin : end + 1]}
    for name, part in parts.items():
        joins = [draft for draft in part if draft.kind is t.JOIN]
        works = any(draft.kind is t.WORKER for draft in part)
        if works and (len(joins) != 1 or part[-1] is not joins[0]):
            which = "the steps of a subtask" if name == "subtask" else "the steps before the subtasks"
            yield part[-1].where, f"{which} must end by joining the work, once", "End them with a step of `type: join`."


def stretches(rest: list[Draft]) -> tuple[list[Draft], list[Draft], list[Draft]]:
    """What comes after the plan: the task's first steps, those of each subtask, and the task's last ones."""
    of_subtasks = [at for at, draft in enumerate(rest) if draft.level is StepLevel.SUBTASK] or [len(rest)]
    begin, end = of_subtasks[0], of_subtasks[-1] + 1
    return rest[:begin], rest[begin:end], rest[end:]


def wrong_attributes(draft: Draft) -> Iterator[Odd]:
    kind = draft.kind
    known = COMMON | kind.obeys | ({kind.back} if kind.back else frozenset())
    for attribute in draft.said:
        if attribute not in known:
            what = f"nothing obeys `{attribute}` on a step of type {kind.name}"
            yield draft.place(attribute), what, f"Remove it. Known here: {', '.join(sorted(known))}."
    yield from _wrong_config(draft)
    yield from _wrong_together(draft)


def _wrong_together(draft: Draft) -> Iterator[Odd]:
    kind, said = draft.kind, draft.said
    later = kind is t.WORKER and draft.level is StepLevel.SUBTASK
    if later and said.get("config", {}).get("blind") and not said["config"].get("files"):
        what = "who works without the code that it tests must be told where its tests go"
        yield draft.where, what, "Add `config: {files: tests/integration/}`."
    if kind is t.GATE and bool(said.get("command")) == bool(said.get("config", {}).get("check")):
        yield draft.where, "a gate runs one command or one check", "Write `command:`, or `config: {check: project}`."
    if kind in (t.WORKER, t.REVIEW, t.PLAN) and not (said.get("role") or said.get("roles")):
        yield draft.where, "nobody does it", "Add `role:`."


def _wrong_config(draft: Draft) -> Iterator[Odd]:
    kind = draft.kind
    for name, value in draft.said.get("config", {}).items():
        wanted = kind.config.get(name)
        if wanted is None:
            step = did_you_mean(name, kind.config) if kind.config else "Remove it."
            yield draft.place("config", name), f"a step of type {kind.name} has no such setting", step
        elif issubclass(wanted, StrEnum):
            if value not in [*wanted]:
                yield draft.place("config", name), f"`{value}` cannot be used", f"Write {' or '.join(wanted)}."
        elif type(value) is not wanted:
            plain = {bool: "true or false", int: "a whole number", str: "a name", tuple: "a list of names"}[wanted]
            yield draft.place("config", name), f"`{value}` cannot be used", f"Write {plain}."
