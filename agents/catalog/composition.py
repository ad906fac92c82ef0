"""Resolves a workflow: a template, all that it extends and what overlord.yaml lays over it become one checked graph."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from agents.catalog.forms.step_forms import as_ours
from agents.catalog.validation import Odd, did_you_mean
from agents.catalog.workflow_drafts import Draft
from agents.catalog.workflow_graph import NO_ROLES, Graph, RoleKinds
from agents.catalog.workflows import StepPart, WorkflowPart, WorkflowSettings
from agents.catalog.yaml import Where
from agents.domain.workflow.steps import PLAN, STEP_TYPES
from agents.domain.workflow.workflow import DEFAULT, Workflow

LOOSER = "a project's own file may only add steps and tighten those that are there"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A part, and where it is written."""

    where: Where
    part: WorkflowPart
    below: str = "steps"  # the name that its steps are written under
    narrows: bool = False  # a project's own file: it may add and tighten, never take away


def compose(
    name: str, templates: Mapping[str, WorkflowPart], over: Sequence[Layer] = (), roles: RoleKinds = NO_ROLES
) -> tuple[Workflow | None, list[Odd]]:
    """The workflow of this name with `over` laid on top of it, or everything that is wrong with it."""
    where: Where = ("workflows",)
    chain, odd = _extended(name, templates, where)
    if odd:
        return None, odd
    layers = [*(Layer(where=(*where, part.name), part=part) for part in chain), *over]
    graph = Graph(roles)
    for layer in layers:
        if layer.narrows:  # what every workflow has is there already: a project may tighten it, and not stand in for it
            graph.add_missing()
        odd += _lay(graph, layer)
    for layer in layers:
        odd += _disable(graph, layer)
    for layer in layers:
        graph.before_join(layer.part.hooks.pre_commit, (*layer.where, "hooks", "pre_commit"))
    settings = _settings([layer.part.settings for layer in layers])
    odd += graph.complete(settings)
    if odd:
        return None, odd
    steps, wrong = graph.steps(settings)
    if wrong:
        return None, wrong
    return Workflow(name=name, require_tests=settings.require_tests is not False, steps=steps), []


def _extended(name: str, templates: Mapping[str, WorkflowPart], where: Where) -> tuple[list[WorkflowPart], list[Odd]]:
    """The template and all that it extends, the lowest first."""
    chain: list[WorkflowPart] = []
    below = name
    if name.startswith("_"):
        return [], [((*where, name), f"`{name}` is only there to be extended", did_you_mean("", _choosable(templates)))]
    while below:
        place = (*where, chain[-1].name, "extends") if chain else (*where, name)
        if below not in templates:
            return [], [(place, f"there is no workflow `{below[:60]}`", did_you_mean(below, _choosable(templates)))]
        if any(part.name == below for part in chain):
            way = " → ".join([*(part.name for part in chain), below])
            return [], [(place, f"it goes in a circle: {way}", "Let one of them extend nothing.")]
        chain.append(templates[below])
        below = templates[below].extends or _implied(templates[below])
    return chain[::-1], []


def _implied(part: WorkflowPart) -> str:
    """What a template extends that does not say so and plans nothing itself."""
    plans = any(name == PLAN.name or step.type == PLAN.name for name, step in part.steps.items())
    return "" if plans or part.name == DEFAULT.name or not part.steps else DEFAULT.name


def _choosable(templates: Mapping[str, WorkflowPart]) -> list[str]:
    return [name for name in templates if not name.startswith("_")]


def _lay(graph: Graph, layer: Layer) -> Iterator[Odd]:
    part = layer.part
    root = not graph.drafts
    for place, advice in _narrowed(layer):
        yield (*layer.where, *place), "a project's own file may not say this", advice
    for name, step in part.steps.items():
        said = {each.name: getattr(step, each.name) for each in fields(StepPart) if each.name != "name"}
        written = {attribute: value for attribute, value in said.items() if value is not None}
        where = (*layer.where, layer.below, name)
        draft = graph.drafts.get(name)
        written = as_ours(name, written, draft.said["type"] if draft else None, graph.roles.reviewers)
        if draft is None:
            placed = root or any(other.next == name for other in part.steps.values())
            yield from _add(graph, Draft(name=name, where=where, narrows=layer.narrows), written, placed)
        elif layer.narrows:
            yield from _tighten(draft, written, where)
        else:
            draft.lay(written, where)
    if root:
        graph.chain_in_order()
    for draft in list(graph.drafts.values()):
        yield from graph.place(draft)
    if part.initial_step:
        graph.initial, graph.initial_where = part.initial_step, (*layer.where, "initial_step")


def _add(graph: Graph, draft: Draft, written: dict[str, Any], placed: bool) -> Iterator[Odd]:
    if "type" not in written:
        yield draft.where, "nobody knows what it does", f"Add `type:`, one of {', '.join(STEP_TYPES)}."
        return
    if draft.narrows:
        for attribute in ("next", "terminal"):
            if written.pop(attribute, None) is not None:
                yield (*draft.where, attribute), "a project's own step leads to what came next", "Use `position` alone."
    draft.lay(written, draft.where)
    graph.drafts[draft.name] = draft
    if not placed and not {"position", "next"} & written.keys():
        yield draft.where, "nobody knows where it belongs", "Add `position: after` and the name of a step."


def _disable(graph: Graph, layer: Layer) -> Iterator[Odd]:
    for at, name in enumerate(layer.part.disable):
        where = (*layer.where, "disable", at)
        draft = graph.drafts.get(name)
        if draft is None:
            yield where, f"there is no step `{name}`", did_you_mean(name, graph.drafts)
        elif layer.narrows:
            yield where, "a project's own file may not disable a step", "Ask whoever runs Overlord to disable it."
        elif STEP_TYPES[draft.said["type"]].fixed:
            yield where, f"`{name}` keeps people safe and is always there", "Remove it from the list."
        elif draft.said.get("required"):
            yield where, f"`{name}` is required", "Remove it from the list."
        else:
            graph.remove(name)


def _narrowed(layer: Layer) -> Iterator[tuple[Where, str]]:
    """What a project's own file may not say of the workflow as a whole."""
    if not layer.narrows:
        return
    if layer.part.extends:
        yield ("extends",), "Choose the workflow in overlord.yaml, or say it with the request."
    if layer.part.initial_step:
        yield ("initial_step",), "Remove it: every workflow begins with the plan."
    for name in (
        "require_tests",
        "parallel_reviews",
        "human_approval",
        "security_review",
        "dual_review",
        "audit_trail",
    ):
        if getattr(layer.part.settings, name) is False:
            yield ("settings", name), "Remove it, or write it in overlord.yaml."


def _tighten(draft: Draft, written: dict[str, Any], where: Where) -> Iterator[Odd]:
    """A project may ask for more of a step that is there: never for less, and not for another."""
    mine = "Write it under `workflow:` in overlord.yaml, or add a step of your own."
    tighter = {attribute: value for attribute, value in written.items() if _is_tighter(draft, attribute, value)}
    for attribute in (name for name in written if name not in tighter):
        yield (*where, attribute), LOOSER, mine
    draft.lay(tighter, where)


def _is_tighter(draft: Draft, attribute: str, value: Any) -> bool:
    now = draft.said.get(attribute)
    match attribute:
        case "human_approval":
            return value is True
        case "parallel":
            return bool(value >= (now or 1))
        case "max_retries":
            return now is None or bool(value <= now)
        case "config":
            lower = [key for key in value if key != "coverage" or value[key] < (now or {}).get(key, 0)]
            return not lower
    return False


def _settings(written: Sequence[WorkflowSettings]) -> WorkflowSettings:
    """The last one that says something counts."""
    found: dict[str, bool] = {}
    for settings in written:
        said = {each.name: getattr(settings, each.name) for each in fields(settings)}
        found.update({name: value for name, value in said.items() if value is not None})
    return WorkflowSettings(**found)
