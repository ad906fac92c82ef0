"""When a phase begins, and the interfaces that a feature file brings along for it."""

from dataclasses import dataclass
from enum import StrEnum


class StartAfter(StrEnum):
    PHASES = "phases"  # all before it are settled
    INTERFACES = "interfaces_locked"  # what its parts need by name, and the subtask that writes the interfaces


class InterfaceForm(StrEnum):
    TYPESCRIPT = "typescript"
    OPENAPI = "openapi"
    JSON_SCHEMA = "json_schema"
    PYTHON = "python_protocol"
    SQL = "sql"


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceDraft:
    """An interface whose text is known before the work begins: it is to be written as a file."""

    name: str
    form: InterfaceForm
    definition: str

    @property
    def words(self) -> str:
        return f"{self.name} ({self.form.replace('_', ' ')}), to be taken as it stands:\n{self.definition.strip()}"
