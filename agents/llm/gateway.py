"""The only speaker of litellm: one request out, one whole reply or one classified failure back. No retries here."""

import asyncio
import gc
import importlib
import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.models.routing import Model
from agents.domain.text.sanitize import count_of
from agents.llm.answers import Message
from agents.llm.faults import bound_answers, failure_of
from agents.llm.rehearsal import Script, provider
from agents.ports import ToolCall

MARGIN = 2.0  # seconds: litellm may sleep past its own time-out, so ours comes a little later
MOST_TOKENS = 16_000  # an answer's length where tokens have a price, so that a call's cost has a bound
BYTES_A_TOKEN = 3  # fewer than any tokenizer needs on average: the reserve errs on the dear side
# Blocks marked for these are kept by the provider; the others find common prefixes by themselves.
_MARKS_FOR_CACHE = ("anthropic/", "bedrock/", "vertex_ai/claude", "openrouter/anthropic/")
_FREE = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
_OWN = frozenset({"openai", "hosted_vllm"})  # the names under which a server of one's own is asked

# What escapes from litellm where a provider's reply is of no shape it knows, and our own deadline.
_TRIPS = (TimeoutError, OSError, ValueError, TypeError, LookupError, AttributeError)

log = logging.getLogger("overlord.llm")


class CallFailed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    model: Model
    messages: Sequence[Message]
    timeout: float  # real seconds
    told: Mapping[str, object] = field(default_factory=dict)  # about the question; only the rehearsal gets to see it
    most: int | None = None  # tokens of the answer, where its role has a limit
    tools: str = ""  # as JSON, for litellm changes what it is given; none: an answer in words is wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`fault`: why the text is not a whole answer, though it was paid for."""

    text: str | None
    fault: Failure | None
    calls: tuple[ToolCall, ...] = ()
    cost: float
    tokens_in: int
    tokens_out: int
    cached_tokens: int


class Gateway:
    """Loads litellm on first use, in a thread: it takes seconds to import. `scripts` are what can be rehearsed."""

    def __init__(self, scripts: Sequence[Script] = ()) -> None:
        self._scripts = scripts
        self._litellm: Any = None
        self._loading = asyncio.Lock()
        self._infos: dict[Model, Mapping[str, Any]] = {}

    async def warm(self) -> None:
        async with self._loading:
            if self._litellm is None:
                self._litellm = await asyncio.to_thread(_load, self._scripts)

    async def worst_case(self, model: Model, size: int, most: int | None = None) -> float:
        """Dollars that one call may cost at most; 0 where the price is not known, as for a local model."""
        info = await self._model_info(model)
        price_in, price_out = info.get("input_cost_per_token") or 0.0, info.get("output_cost_per_token") or 0.0
        return float(price_in) * size / BYTES_A_TOKEN + float(price_out) * self._most_tokens(info, most)

    async def ask(self, request: Request) -> Reply:
        """Raises CallFailed. The deadline holds whatever the provider or litellm does."""
        arguments = self._arguments(request, await self._model_info(request.model))
        try:
            async with asyncio.timeout(request.timeout + MARGIN):
                with _no_records():
                    raw = await self._litellm.acompletion(**arguments)
        except (*self._litellm.exceptions.LITELLM_EXCEPTION_TYPES, *_TRIPS) as error:
            raise CallFailed(failure_of(error)) from error
        return _reply(raw, tools=bool(request.tools))

    def marks_for_cache(self, model: Model) -> bool:
        return model.name.startswith(_MARKS_FOR_CACHE)

    async def window(self, model: Model) -> int:
        """Tokens that fit into one call; 0 where nobody knows."""
        return int((await self._model_info(model)).get("max_input_tokens") or 0)

    def _arguments(self, request: Request, info: Mapping[str, Any]) -> dict[str, object]:
        model = request.model
        arguments: dict[str, object] = {
            "model": model.name,
            "messages": list(request.messages),
            "timeout": request.timeout,
            "max_retries": 0,  # ours is the only layer that retries
            "num_retries": 0,
        }
        if model.base_url:
            arguments["api_base"] = model.base_url
        if model.api_key:
            arguments["api_key"] = model.api_key
        if model.rehearsal:
            arguments["metadata"] = {"overlord": dict(request.told)}
        if info.get("output_cost_per_token") or request.most:
            arguments["max_tokens"] = self._most_tokens(info, request.most)
        if request.tools:
            arguments["tools"] = json.loads(request.tools)
        elif info.get("supports_response_schema") and not self.marks_for_cache(model):
            arguments["response_format"] = {"type": "json_object"}
        return arguments

    async def _model_info(self, model: Model) -> Mapping[str, Any]:
        """What litellm's price list says of a model; nothing, for one that is somebody's own."""
        await self.warm()
        if model not in self._infos:  # in a thread: the first look loads what litellm had put off
            self._infos[model] = await asyncio.to_thread(self._look_up, model)
        return self._infos[model]

    def _look_up(self, model: Model) -> Mapping[str, Any]:
        prices: dict[str, Mapping[str, Any]] = self._litellm.model_cost
        provider, _, bare = model.name.partition("/")
        if found := prices.get(model.name):
            return found
        found = prices.get(bare, {})
        if found.get("litellm_provider") == provider:
            return found
        if model.base_url and provider in _OWN and not bare.startswith("responses/") and not self._heard_of(model):
            # else litellm searches its price list anew at each answer, which takes a third of its time
            prices[model.name] = {"litellm_provider": provider, "mode": "chat", **_FREE}
        return {}

    def _heard_of(self, model: Model) -> bool:
        """By rules for names, where not by the list itself."""
        try:
            self._litellm.get_model_info(model.name)
        except self._litellm.exceptions.ModelNotMappedError:
            return False
        return True

    def _most_tokens(self, info: Mapping[str, Any], most: int | None) -> int:
        wanted = most or MOST_TOKENS
        return min(wanted, int(info.get("max_output_tokens") or wanted))


def _reply(raw: Any, *, tools: bool) -> Reply:
    usage = getattr(raw, "usage", None)
    details = getattr(usage, "prompt_tokens_details", None)
    text, calls, fault = _whole(raw, tools=tools)
    return Reply(
        text=text,
        fault=fault,
        calls=calls,
        cost=max(0.0, float((getattr(raw, "_hidden_params", None) or {}).get("response_cost") or 0.0)),
        tokens_in=count_of(getattr(usage, "prompt_tokens", 0)),
        tokens_out=count_of(getattr(usage, "completion_tokens", 0)),
        cached_tokens=count_of(getattr(details, "cached_tokens", 0)),
    )


def _whole(raw: Any, *, tools: bool) -> tuple[str | None, tuple[ToolCall, ...], Failure | None]:
    """The text and the calls, if they are all there and nothing else came with them."""
    choices = getattr(raw, "choices", None) or []
    if len(choices) != 1:
        return None, (), Failure(error=ErrorClass.PARSING, message=f"it has {len(choices)} choices instead of one")
    choice = choices[0]
    message = getattr(choice, "message", None)
    text = getattr(message, "content", None)
    text = text if isinstance(text, str) else None
    called = getattr(message, "tool_calls", None) or []
    reason = getattr(choice, "finish_reason", None)
    if reason == "stop" and not called:
        return text, (), None
    if reason in ("stop", "tool_calls") and tools and called:
        return text, tuple(_call(each) for each in called), None
    other = Failure(error=ErrorClass.PARSING, message=f"it ended with {reason} instead of an answer")
    return text, (), _UNFINISHED.get(str(reason), other)


_UNFINISHED: dict[str, Failure] = {
    "length": Failure(error=ErrorClass.PARSING, message="it was cut off in the middle; be shorter", cut_off=True),
    "content_filter": Failure(error=ErrorClass.RESOURCE, message="the provider's content filter stopped it"),
}


def _call(raw: Any) -> ToolCall:
    """As the model wrote it; whoever runs tools judges it."""
    function = getattr(raw, "function", None)
    arguments = getattr(function, "arguments", None)
    return ToolCall(
        id=str(getattr(raw, "id", None) or ""),
        name=str(getattr(function, "name", None) or ""),
        arguments=arguments if isinstance(arguments, str) else "",
    )


def _load(scripts: Sequence[Script]) -> Any:
    # Before the import: else it fetches a price list, and counting tokens fetches a tokenizer.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    litellm: Any = importlib.import_module("litellm")
    litellm.disable_hf_tokenizer_download = True
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.drop_params = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "httpx"):
        logging.getLogger(name).setLevel(logging.ERROR)
    bound_answers()
    if scripts:  # the offline model is a provider like any other
        known = [each for each in litellm.custom_provider_map if each["provider"] != "rehearsal"]
        litellm.custom_provider_map = [*known, {"provider": "rehearsal", "custom_handler": provider(scripts)}]
    gc.freeze()  # all of it stays: walking over it held the loop up for 170 ms at each full collection
    return litellm


@contextmanager
def _no_records() -> Iterator[None]:
    """litellm makes a long record of each call, for callbacks that we do not use, and stalls the loop meanwhile.

    The mark that stops it is not public: where it is gone, records are made again and nothing else changes.
    """
    mark = getattr(sys.modules.get("litellm._internal_context"), "is_internal_call", None)
    before = mark.set(True) if isinstance(mark, ContextVar) else None
    try:
        yield
    finally:
        if before is not None and mark is not None:
            mark.reset(before)
