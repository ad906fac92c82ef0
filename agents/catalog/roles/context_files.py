"""Context strategies as YAML: the files in manifests/contexts/, and those that people write beside or over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, create_model

from agents.catalog.forms.algorithms import INPUT_NAMES, Algorithm, gathers
from agents.catalog.validation import CONFIG, Model, Named, Title, fields_of, written_as
from agents.domain.context.packing import MAX_BUDGET, Part
from agents.domain.context.strategy import MEASURES, Condition, Input, Strategy, odd_order
from agents.domain.text.sanitize import Between

LEAST_BUDGET = 1_000  # tokens; the rules and a task alone need so many
Budget = Annotated[int, Between(LEAST_BUDGET, MAX_BUDGET)]
_ALSO_CALLED = {
    "system_prompt": Part.SYSTEM,
    "task_description": Part.TASK,
    "target_file": Part.TARGET,
    "git_diff": Part.CHANGES,
}
# How much is gathered where only a name is written, as in the contexts that come with the program.
USUAL: dict[Input, int] = {
    Input.FILES: 60_000,
    Input.TARGETS: 20,
    Input.IMPORTS: 480,
    Input.TESTS: 240,
    Input.README: 20,
    Input.TREE: 3_000,
    Input.PLAN: 20_000,
    Input.DIFF: 400_000,
    Input.GIT_DIFF: 12_000,
    Input.STANDARDS: 6,
    Input.DECISIONS: 4,
    Input.CHANGED_FILES: 1_000,
    Input.INTERFACES: 20,
    Input.PUBLIC_API: 60,
    Input.SECURITY: 40,
}

_counts: dict[str, Any] = {name: (Annotated[int, Between(0, measure.most)], 0) for name, measure in MEASURES.items()}
_WrittenInputs = create_model("WrittenInputs", __config__=CONFIG, **_counts)


def _used_inputs(written: BaseModel) -> dict[Input, int]:
    return {Input(name): most for name, most in written if most}


def _with_amounts(written: object) -> object:
    """A list of what to gather, as much of each as usual."""
    if not isinstance(written, list) or not all(isinstance(each, str) for each in written):
        return written
    names: list[str] = [INPUT_NAMES.get(each, each) for each in map(str, written)]
    return {name: USUAL[Input(name)] if name in [*Input] else 1 for name in names}


def _part_called(written: object) -> object:
    return _ALSO_CALLED.get(written, written) if isinstance(written, str) else written


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenContext:
    name: Title = ""
    description: str = ""
    token_budget: Budget
    priority_order: tuple[Annotated[Part, BeforeValidator(_part_called)], ...]
    inputs: Annotated[Mapping[Input, int], written_as(_WrittenInputs, _used_inputs), BeforeValidator(_with_amounts)]
    algorithm: Algorithm = ()
    conditions: Annotated[Mapping[Input, Condition], Field(alias="if")] = field(default_factory=dict)

    def strategy(self) -> Strategy:
        steps = gathers(self.algorithm)
        inputs = {**{name: USUAL[name] for name in steps.inputs}, **self.inputs}
        if problem := odd_order(self.priority_order, inputs):
            raise ValueError(f"its `priority_order` cannot be used: {problem}")
        if missing := [name for name in self.conditions if name not in inputs]:
            raise ValueError(f"`if` speaks of `{missing[0]}`, which it does not gather. Add it to `inputs:`.")
        same = fields_of(self, "algorithm", "inputs", "conditions")
        conditions = {**steps.conditions, **self.conditions}
        return Strategy(**same, inputs=inputs, conditions=conditions, include=steps.include, ahead=steps.ahead)


Context = Annotated[Strategy, written_as(WrittenContext, WrittenContext.strategy)]
Contexts = Named[Context]
CONTEXT: Model[Strategy] = Model(Context)
CONTEXTS: Model[Mapping[str, Strategy]] = Model(Contexts)
