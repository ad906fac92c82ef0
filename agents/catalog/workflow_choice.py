"""Workflows that can be chosen: templates of ours and of overlord.yaml, the one that it changes among them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from agents.catalog.composition import Layer, compose
from agents.catalog.validation import Odd, did_you_mean
from agents.catalog.workflow_graph import RoleKinds
from agents.catalog.workflows import TEMPLATES, ChosenWorkflow, WorkflowPart
from agents.catalog.yaml import Where, read_packaged
from agents.domain.workflow.workflow import DEFAULT, Workflow

Templates = Mapping[str, WorkflowPart]
# What comes with the program stays as it is, and YAML takes long to read.
_our_templates = cache(lambda: TEMPLATES.read(read_packaged("workflows").data))


def templates_with(own: Templates) -> dict[str, WorkflowPart]:
    """Ours, and those of overlord.yaml over them."""
    return {**_our_templates(), **own}


def workflow_names(own: Templates) -> tuple[str, ...]:
    """Of all that can be chosen where these are declared."""
    return tuple(name for name in templates_with(own) if not name.startswith("_"))


def compose_all(
    chosen: ChosenWorkflow | None, own: Templates, roles: RoleKinds
) -> tuple[dict[str, Workflow], list[Odd]]:
    """Every workflow that can be chosen; what overlord.yaml says under `workflow:` is laid over the one it names."""
    names = workflow_names(own)
    found, odd = dict[str, Workflow](), list[Odd]()
    template = chosen.template if chosen else DEFAULT.name
    if template not in names:
        wrong = compose(template, templates_with(own))[1]
        odd += [(("workflow", "template"), *problem[1:]) for problem in wrong]
    for at, name in enumerate((chosen and chosen.on_request) or ()):
        if name not in names:
            place: Where = ("workflow", "on_request", at)
            odd.append((place, f"there is no workflow `{name[:60]}`", did_you_mean(name, names)))
    for name in names:
        workflow, wrong = compose_one(name, chosen, own, roles)
        found |= {name: workflow} if workflow else {}
        odd += [each for each in wrong if each not in odd]
    return found, odd


def compose_one(
    name: str, chosen: ChosenWorkflow | None, own: Templates, roles: RoleKinds, more: Sequence[Layer] = ()
) -> tuple[Workflow | None, list[Odd]]:
    """`more`: laid over all else."""
    template = chosen.template if chosen else DEFAULT.name
    over = layers_of(chosen, ("workflow",)) if chosen and name == template else []
    templates = templates_with(own)
    if over and chosen and chosen.initial_step in chosen.steps and template == DEFAULT.name:
        templates[name] = WorkflowPart(name=name)  # it says from its first step on how it goes: it is laid over none
    return compose(name, templates, [*over, *more], roles)


def layers_of(chosen: ChosenWorkflow, where: Where, *, narrows: bool = False) -> list[Layer]:
    """Its steps may stand under `steps:` or under `overrides:`."""
    plain = chosen if narrows else replace(chosen, extends="")
    overrides = WorkflowPart(steps=chosen.overrides)
    return [
        Layer(where=where, part=plain, narrows=narrows),
        Layer(where=where, part=overrides, below="overrides", narrows=narrows),
    ]
