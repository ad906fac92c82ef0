"""Roles as YAML: those in manifests/roles/, and what overlord.yaml lays over them or adds to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field

from agents.catalog.contexts import Budget, packaged_folder
from agents.catalog.fields import Name, Named, Title, pattern, written_as
from agents.catalog.validation import Model
from agents.catalog.yaml import Document
from agents.domain.checks.gates import ExtraGate
from agents.domain.context.packing import secret_path
from agents.domain.workflow.roles import EngineName, RolePart, ToolName

T = TypeVar("T")
LONGEST_ADDITIONS = 4_000  # characters; every turn of every minion carries them


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
        same = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _SPELLED_OTHERWISE}
        reading = {each.name: getattr(self.context, each.name) for each in fields(self.context)}
        return RolePart(**same, **reading, additions=self.system_prompt_additions)


_SPELLED_OTHERWISE = ("context", "system_prompt_additions")
_Role = Annotated[RolePart, written_as(WrittenRole, WrittenRole.part)]
RolesByName = Named[_Role]
ROLE: Model[RolePart] = Model(_Role)
ROLES: Model[Mapping[str, RolePart]] = Model(RolesByName)


def packaged_roles() -> Document:
    return packaged_folder("roles")
