"""Models that a program asks for us, such as `codex-cli/gpt-5.4`: litellm takes them like those of any provider."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from agents.domain.errors import BudgetReached
from agents.domain.models.ability import Ability
from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.models.routing import BY_PROGRAM, Model
from agents.domain.workflow.roles import EngineName
from agents.llm.answers import Message
from agents.ports import Answers, AskProgram, Errand

AT_ONCE = 4  # programs that answer questions side by side: each has a sandbox of its own
ABLE = Ability(at_once=AT_ONCE, tools=False)  # ours; it has its own
TAKES_NO_TOOLS = (
    "it is a program, which plans and judges here and takes no tools of ours; minions run on one where their role "
    "names it as its `engine`"
)


@dataclass(slots=True)
class Held:
    """One question on its way through litellm, and what came of it."""

    model: Model
    errand: Errand | None
    ask: AskProgram
    answers: Answers = field(default_factory=Answers)
    reached: BudgetReached | None = None


_ASKED: ContextVar[Held] = ContextVar("asked")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramModels:
    """`names`: of all programs; `models`: what each of them asks, where a name says nothing of it."""

    ask: AskProgram
    names: Sequence[str] = ()
    models: Mapping[EngineName, Model] = field(default_factory=dict)

    def asked_by(self, model: Model) -> Model:
        """The model behind a program; itself, where none is named."""
        found = next((each for engine, each in self.models.items() if engine == model.program), None)
        if found is None:
            return model
        provider = found.name.partition("/")[0]
        return Model(
            name=f"{provider}/{model.bare.removeprefix(f'{provider}/')}" if model.bare else found.name,
            base_url=found.base_url,
            api_key=found.api_key,
            window=found.window,
            price=found.price,
        )

    @contextmanager
    def holding(self, model: Model, errand: Errand | None) -> Iterator[Held]:
        held = Held(model, errand, self.ask)
        mark = _ASKED.set(held)
        try:
            yield held
        finally:
            _ASKED.reset(mark)

    def providers(self) -> list[dict[str, Any]]:
        """As litellm keeps those that are not its own."""
        from litellm import CustomLLM, ModelResponse

        class Program(CustomLLM):
            async def acompletion(self, *args: Any, **kwargs: Any) -> ModelResponse:
                held = _ASKED.get()
                messages = kwargs.get("messages") or args[1]
                try:
                    held.answers = await _answer(held, messages)
                except BudgetReached as reached:
                    held.reached = reached
                message = {"role": "assistant", "content": held.answers.text}
                choice = {"message": message, "finish_reason": "stop", "index": 0}
                return ModelResponse(model=held.model.name, choices=[choice])

        handler = Program()
        return [{"provider": f"{name}{BY_PROGRAM}", "custom_handler": handler} for name in self.names]


async def _nobody(engine: str, model: str, asked: str, errand: Errand) -> Answers:
    return Answers(failure=Failure(error=ErrorClass.RESOURCE, message="no program answers here"))


NO_PROGRAMS = ProgramModels(ask=_nobody)


async def _answer(held: Held, messages: Sequence[Message]) -> Answers:
    if held.errand is None:
        return Answers(failure=Failure(error=ErrorClass.RESOURCE, message=TAKES_NO_TOOLS, no_tools=True))
    return await held.ask(held.model.program, held.model.bare, "\n\n".join(map(_words, messages)), held.errand)


def _words(message: Message) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "\n\n".join(str(block.get("text") or "") for block in content if isinstance(block, dict))
    return content if isinstance(content, str) else ""
