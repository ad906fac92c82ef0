"""A bundle: roles with the contexts, tools and prompts that belong to them, of one pack or of the user's own folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.catalog.yaml import Where
from agents.domain.context.strategy import Strategy
from agents.domain.workflow.custom_tools import CustomTool
from agents.domain.workflow.role_layers import Layer
from agents.domain.workflow.roles import RolePart


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """`where`: the beginning of the places in it, as problems name them."""

    source: str
    where: Where = ()
    ours: bool = False  # it comes with the program
    roles: Mapping[str, RolePart] = field(default_factory=dict)
    contexts: Mapping[str, Strategy] = field(default_factory=dict)
    tools: Mapping[str, CustomTool] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)  # templates by name

    @property
    def layer(self) -> Layer:
        return Layer(source=self.source, parts=self.roles, ours=self.ours, tools=self.tools, prompts=self.prompts)
