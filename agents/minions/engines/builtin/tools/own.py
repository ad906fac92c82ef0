"""Tools of a role's own: commands of the project, with typed arguments, run in the sandbox like any command."""

from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from agents.domain.workflow.custom_tools import (
    LONGEST_TEXT,
    Argument,
    ArgumentType,
    BadArgument,
    CustomTool,
    command_line,
)
from agents.minions.engines.builtin.executor import Arguments, Done, PathText, Spec, ToolError, ToolExecutor
from agents.minions.engines.builtin.tools.commands import run_line

_TYPES: dict[ArgumentType, Any] = {
    ArgumentType.STRING: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)],
    ArgumentType.INTEGER: Annotated[int, Field(ge=-(10**12), le=10**12)],
    ArgumentType.NUMBER: Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)],
    ArgumentType.BOOLEAN: bool,
    ArgumentType.PATH: PathText,
}


def make_spec(tool: CustomTool) -> Spec:
    """As a model is offered it, and how it is run."""

    async def run(at: ToolExecutor, given: Arguments) -> Done:
        try:
            line = command_line(tool, given.model_dump())
        except BadArgument as problem:
            raise ToolError(f"Not run: {problem}") from problem
        return await run_line(at, line)

    does = tool.description or f"Run the project's own command `{tool.command}`."
    return Spec(name=tool.name, does=does, takes=_takes(tool), run=run, doing=lambda given: f"running {tool.name}")


def _takes(tool: CustomTool) -> type[Arguments]:
    fields: dict[str, Any] = {name: _field(argument) for name, argument in tool.arguments.items()}
    return create_model(tool.name, __base__=Arguments, **fields)


def _field(argument: Argument) -> Any:
    kind: Any = Literal[argument.choices] if argument.choices else _TYPES[argument.type]
    said = Field(description=argument.description or None)
    return Annotated[kind if argument.required else kind | None, said], ... if argument.required else None
