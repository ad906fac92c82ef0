"""Context strategies as YAML: those in manifests/contexts/, with what overlord.yaml says about them laid over."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, create_model

from agents.catalog.fields import Named, Title, written_as
from agents.catalog.validation import CONFIG, Model
from agents.catalog.yaml import Document, Value, read_yaml
from agents.domain.context.packing import MAX_BUDGET, Part
from agents.domain.context.strategy import MEASURES, Input, Strategy, odd_order
from agents.domain.text.sanitize import Between
from manifests import packaged

LEAST_BUDGET = 1_000  # tokens; the rules and a task alone need so many

Budget = Annotated[int, Between(LEAST_BUDGET, MAX_BUDGET)]
_counts: dict[str, Any] = {name: (Annotated[int, Between(0, measure.most)], 0) for name, measure in MEASURES.items()}
_WrittenInputs = create_model("WrittenInputs", __config__=CONFIG, **_counts)


def _used_inputs(written: BaseModel) -> dict[Input, int]:
    return {Input(name): most for name, most in written if most}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenContext:
    name: Title = ""
    description: str = ""
    token_budget: Budget
    priority_order: tuple[Part, ...]
    inputs: Annotated[Mapping[Input, int], written_as(_WrittenInputs, _used_inputs)]

    def strategy(self) -> Strategy:
        if problem := odd_order(self.priority_order, self.inputs):
            raise ValueError(f"its `priority_order` cannot be used: {problem}")
        return Strategy(
            name=self.name,
            description=self.description,
            token_budget=self.token_budget,
            priority_order=self.priority_order,
            inputs=self.inputs,
        )


Context = Annotated[Strategy, written_as(WrittenContext, WrittenContext.strategy)]
Contexts = Named[Context]
CONTEXT: Model[Strategy] = Model(Context)
CONTEXTS: Model[Mapping[str, Strategy]] = Model(Contexts)


def packaged_contexts() -> Document:
    return packaged_folder("contexts")


def packaged_folder(folder: str) -> Document:
    """The files of a folder of manifests, each below the name it is called by, as if they were one."""
    data: dict[str, Value] = {path.stem: read_yaml(path).data for path in sorted(packaged(folder).glob("*.yaml"))}
    return Document(name=str(packaged(folder)), data=data)
