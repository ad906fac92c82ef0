"""Contexts and roles as YAML: those in manifests/, and what overlord.yaml lays over them or adds to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, Field, create_model

from agents.catalog.validation import CONFIG, Model, Name, Named, Title, fields_of, pattern, written_as
from agents.domain.checks.gates import ExtraGate
from agents.domain.context.packing import MAX_BUDGET, Part, secret_path
from agents.domain.context.strategy import MEASURES, Input, Strategy, odd_order
from agents.domain.text.sanitize import Between
from agents.domain.workflow.roles import EngineName, RolePart, ToolName

T = TypeVar("T")
LONGEST_ADDITIONS = 4_000  # characters; every turn of every minion carries them


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
        return Strategy(**fields_of(self))


Context = Annotated[Strategy, written_as(WrittenContext, WrittenContext.strategy)]
Contexts = Named[Context]
CONTEXT: Model[Strategy] = Model(Context)
CONTEXTS: Model[Mapping[str, Strategy]] = Model(Contexts)


def _refuse_secrets(written: str) -> str:
    """Files that may hold secrets are never packed, so a pattern that names them would promise what does not happen."""
    if secret_path(written):
        raise ValueError(f"`{written[:60]}` may hold secrets, and those are never read. Leave it out.")
    return written


Few = Annotated[tuple[T, ...], Field(max_length=30)]
_Pattern = Annotated[str, pattern("docs/**/*.md")]
_STRIPPED = AfterValidator(str.strip)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReading:
    """What a role reads."""

    strategy: Name = ""
    token_budget: Budget | None = None
    always_include: Few[Annotated[_Pattern, AfterValidator(_refuse_secrets)]] = ()
    exclude: Few[_Pattern] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRole:
    name: Title = ""
    extends: Name = ""
    description: Annotated[str, Field(max_length=500), _STRIPPED] = ""
    system_prompt_additions: Annotated[str, Field(max_length=LONGEST_ADDITIONS), _STRIPPED] = ""
    context: WrittenReading = field(default_factory=WrittenReading)
    allowed_tools: tuple[ToolName, ...] | None = None
    gates: Few[ExtraGate] = ()
    strengths: Few[Annotated[str, Field(max_length=200), _STRIPPED]] = ()
    engine: EngineName | None = None

    def part(self) -> RolePart:
        same = fields_of(self, "context", "system_prompt_additions")
        return RolePart(**same, **fields_of(self.context), additions=self.system_prompt_additions)


_Role = Annotated[RolePart, written_as(WrittenRole, WrittenRole.part)]
RolesByName = Named[_Role]
ROLE: Model[RolePart] = Model(_Role)
ROLES: Model[Mapping[str, RolePart]] = Model(RolesByName)
