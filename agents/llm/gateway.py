"""The only speaker of litellm: one request out, one whole reply or one classified failure back. No retries here."""

import asyncio
import gc
import importlib
import json
import logging
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from agents.domain.models.ability import THINKING, Ability, answer_room
from agents.domain.models.failure import ErrorClass, Failure
from agents.domain.models.routing import Model
from agents.llm.answers import Message, size_of
from agents.llm.faults import bound_answers, failure_of
from agents.llm.rehearsal import Script, provider
from agents.llm.relay.program_models import ABLE, NO_PROGRAMS, TAKES_NO_TOOLS, ProgramModels
from agents.llm.replies import Reply, names_of, read_reply
from agents.llm.servers import is_near, is_ollama, is_own, look_at
from agents.ports import Errand

MARGIN = 2.0  # seconds: litellm may sleep past its own time-out, so ours comes a little later
MOST_TOKENS = 16_000  # an answer's length where its role has none, so that a call's cost and time have a bound
BYTES_A_TOKEN = 3  # fewer than any tokenizer needs on average: the reserve errs on the dear side
# Blocks marked for these are kept by the provider; the others find common prefixes by themselves.
_MARKS_FOR_CACHE = ("anthropic/", "bedrock/", "vertex_ai/claude", "openrouter/anthropic/")
_BINDS_BESIDE_TOOLS = ("openai/", "azure/")
_FREE = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
_OWN = frozenset({"openai", "hosted_vllm"})  # the names under which litellm asks a server of one's own
FRESH = 600.0  # seconds for which what a server said of itself holds
# Dollars a token, where nobody knows the price of somebody else's model: dear, so that a budget holds.
UNKNOWN_PRICE = (5e-6, 25e-6)

# What escapes from litellm where a provider's reply is of no shape it knows, and our own deadline.
_TRIPS = (TimeoutError, OSError, ValueError, TypeError, LookupError, AttributeError)


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
    may_call: bool = True  # those tools
    schema: str = ""  # as JSON: what the answer is bound to, where a server takes any schema
    strict: str = ""  # the same for providers that take an object with all its fields alone
    errand: Errand | None = None  # for a model that a program asks


class Gateway:
    """Loads litellm on first use, in a thread: it takes seconds to import. `scripts` are what can be rehearsed."""

    def __init__(self, scripts: Sequence[Script] = (), programs: ProgramModels = NO_PROGRAMS) -> None:
        self._scripts = scripts
        self._programs = programs
        self._litellm: Any = None
        self._loading = asyncio.Lock()
        self._one_at_a_time = threading.Lock()
        self._infos: dict[Model, Mapping[str, Any]] = {}
        self._abilities: dict[Model, Ability] = {}
        self._looks: dict[Model, asyncio.Task[Ability]] = {}
        self._looked: dict[Model, float] = {}  # when
        self._told: dict[Model, Ability] = {}  # by the server, apart from what trying the model has shown
        self._windows: dict[Model, int] = {}  # learnt from refusals
        self._unbound: set[Model] = set()  # whose servers take no schema
        self._queues: dict[str, asyncio.Semaphore] = {}

    async def warm(self) -> None:
        async with self._loading:
            if self._litellm is None:
                self._litellm = await asyncio.to_thread(_load, self._scripts, self._programs)

    async def worst_case(self, model: Model, size: int, most: int | None = None) -> float:
        """Dollars that one call may cost at most. A server of one's own is free, unless its price is written."""
        price_in, price_out = await self.prices(model)
        return price_in * size / BYTES_A_TOKEN + price_out * await self.most_tokens(model, most)

    async def prices(self, model: Model) -> tuple[float, float]:
        """Dollars a token, in and out: as written, listed or told by its server; nothing for one's own, else what is
        dear, so that a budget holds. What a program asks is counted where it asks."""
        if model.program:
            return 0.0, 0.0
        info = await self._model_info(model)
        listed = float(info.get("input_cost_per_token") or 0.0), float(info.get("output_cost_per_token") or 0.0)
        if model.price is not None or any(listed):
            return model.price or listed
        if model.rehearsal or is_near(model):
            return 0.0, 0.0
        return (await self.ability(model)).price or UNKNOWN_PRICE

    async def cache_prices(self, model: Model) -> tuple[float, float]:
        """Dollars for a token that the provider had kept, and for one that it keeps anew; else what any costs."""
        info, (price_in, _) = await self._model_info(model), await self.prices(model)
        if model.price is not None:
            return price_in, price_in
        kept, written = info.get("cache_read_input_token_cost"), info.get("cache_creation_input_token_cost")
        return float(kept or price_in), float(written or price_in)

    async def ask(self, request: Request) -> Reply:
        """Raises CallFailed. The deadline holds whatever the provider or litellm does, from when the call is sent."""
        info, able = await self._model_info(request.model), await self.ability(request.model)
        if request.tools and able.tools is False and request.errand is None:
            message = TAKES_NO_TOOLS if request.model.program else DROPS_TOOLS
            raise CallFailed(Failure(error=ErrorClass.RESOURCE, message=message, no_tools=True))
        arguments = await self._arguments(request, info)
        try:
            async with self._turn_at(request.model, able), asyncio.timeout(request.timeout + MARGIN):
                with _no_records(), self._programs.holding(request.model, request.errand) as held:
                    raw = await self._litellm.acompletion(**arguments)
        except (*self._litellm.exceptions.LITELLM_EXCEPTION_TYPES, *_TRIPS) as error:
            raise CallFailed(self._learn(request, failure_of(error))) from error
        if held.reached is not None:
            raise held.reached
        if held.answers.failure is not None:
            raise CallFailed(held.answers.failure)
        reply = replace(read_reply(raw, tools=names_of(request.tools)), asking=held.answers.asking)
        if reply.cost or request.model.program:
            return reply
        price_in, price_out = await self.prices(request.model)  # nobody said what it cost
        return replace(reply, cost=price_in * reply.tokens_in + price_out * reply.tokens_out)

    @asynccontextmanager
    async def _turn_at(self, model: Model, able: Ability) -> AsyncIterator[None]:
        """One queue a server, for those of one's own: what waits there is not asked yet, and its clock stands."""
        if not able.at_once:
            yield
            return
        queue = self._queues.setdefault("" if model.program else model.base_url, asyncio.Semaphore(able.at_once))
        async with queue:
            yield

    def _learn(self, request: Request, failure: Failure) -> Failure:
        """A refusal may tell how much a server takes, or that it takes no schema."""
        if failure.error is ErrorClass.NETWORK and is_own(request.model):
            self._looked[request.model] = -FRESH  # it may come back as another
        if failure.overflow:
            said = failure.window or size_of(request.messages) // BYTES_A_TOKEN * 3 // 4
            before = self._windows.get(request.model)
            self._windows[request.model] = min(said, before) if before else said
        if failure.unbound and (request.schema or request.strict) and request.model not in self._unbound:
            self._unbound.add(request.model)
            message = "its server takes no schema for an answer, so it is asked without one"
            return Failure(error=ErrorClass.CLI_ERROR, message=message)
        return failure

    def marks_for_cache(self, model: Model) -> bool:
        return model.name.startswith(_MARKS_FOR_CACHE)

    async def window(self, model: Model) -> int:
        """Tokens that fit into one call, with its answer; 0 where nobody knows. Written, listed, told by its server, or
        learnt from a refusal, which says it best."""
        model = self._programs.asked_by(model)
        info, able = await self._model_info(model), await self.ability(model)
        known = model.window or able.window or int(info.get("max_input_tokens") or 0)
        learnt = self._windows.get(model, 0)
        return min(known, learnt) if known and learnt else known or learnt

    async def ability(self, model: Model) -> Ability:
        """What its server says of itself. It is asked once, and looked at now and then, for it may have changed."""
        if model.program:
            return ABLE
        known = self._abilities.get(model)
        if known is not None and time.monotonic() - self._looked[model] < FRESH:
            return known
        if model not in self._looks:
            self._looks[model] = asyncio.create_task(look_at(model))
        try:
            found = await asyncio.shield(self._looks[model])
        finally:
            self._looks.pop(model, None)
        if known is None or found != self._told.get(model, found):
            self.forget(model)
            known = found
        self._told[model] = found
        self.note(model, known)
        return known

    def note(self, model: Model, able: Ability) -> None:
        """What asking the model itself has shown."""
        self._abilities[model] = able
        self._looked[model] = time.monotonic()

    def forget(self, model: Model) -> None:
        """Its server may have become another."""
        self._abilities.pop(model, None)
        self._windows.pop(model, None)
        self._unbound.discard(model)

    async def most_tokens(self, model: Model, most: int | None) -> int:
        """Of an answer, with room to think for those who do so unasked."""
        model = self._programs.asked_by(model)
        info = await self._model_info(model)
        asked_to = self.marks_for_cache(model)  # these think where they are told to, and we tell none
        thinks = not asked_to and (bool(info.get("supports_reasoning")) if info else not model.rehearsal)
        wanted = (most or MOST_TOKENS) + (THINKING if thinks else 0)
        wanted = min(wanted, int(info.get("max_output_tokens") or wanted))
        return answer_room(await self.window(model), wanted)

    async def _arguments(self, request: Request, info: Mapping[str, Any]) -> dict[str, object]:
        model = request.model
        arguments: dict[str, object] = {
            "model": model.name if "/" in model.name else f"{model.name}/default",
            "messages": list(request.messages),
            "timeout": request.timeout,
            "max_tokens": await self.most_tokens(model, request.most),
            "max_retries": 0,  # ours is the only layer that retries
            "num_retries": 0,
        }
        if model.base_url:
            arguments["api_base"] = model.base_url
        if key := model.api_key or _no_key(model):
            arguments["api_key"] = key
        if model.rehearsal:
            arguments["metadata"] = {"overlord": dict(request.told)}
        if is_ollama(model):
            arguments["num_ctx"] = await self.window(model)  # else it cuts off at 4,096 without a word
        if request.tools and not model.program:
            arguments["tools"] = json.loads(request.tools)
            if not request.may_call:
                arguments["tool_choice"] = "none"
        if binding := self._binding(request, info):
            arguments["response_format"] = binding
        return arguments

    def _binding(self, request: Request, info: Mapping[str, Any]) -> dict[str, object] | None:
        """What decoding is bound to. Where tools may be called first, only OpenAI binds what is said in their place."""
        model, listed = request.model, bool(info.get("supports_response_schema"))
        if request.tools and not request.strict:  # a turn of a talk is in words, and no JSON
            return None
        beside = listed and model.name.startswith(_BINDS_BESIDE_TOOLS)
        if request.tools and not beside and (request.may_call or not model.name.startswith("hosted_vllm/")):
            return None
        if model not in self._unbound:
            if request.schema and is_own(model) and not info:
                bound: dict[str, object] = {"name": "answer", "schema": json.loads(request.schema)}
                return {"type": "json_schema", "json_schema": bound}
            if request.strict and listed:
                bound = {"name": "answer", "strict": True, "schema": json.loads(request.strict)}
                return {"type": "json_schema", "json_schema": bound}
        return {"type": "json_object"} if listed and not self.marks_for_cache(model) else None

    async def _model_info(self, model: Model) -> Mapping[str, Any]:
        """What litellm's price list says of a model; nothing, for one that is somebody's own."""
        await self.warm()
        if model not in self._infos:  # in a thread: the first look loads what litellm had put off
            self._infos[model] = await asyncio.to_thread(self._look_up, model)
        return self._infos[model]

    def _look_up(self, model: Model) -> Mapping[str, Any]:
        """One at a time, for it may add to the list."""
        with self._one_at_a_time:
            found, unheard = self._listed(model)
            if unheard:
                self._add_price(model)
        return found

    def _listed(self, model: Model) -> tuple[Mapping[str, Any], bool]:
        """And whether it is to be added to the list."""
        prices: dict[str, Mapping[str, Any]] = self._litellm.model_cost
        provider, _, bare = model.name.partition("/")
        if found := prices.get(model.name):
            return ({} if found.get("overlord") else found), False
        bare = bare.removeprefix("responses/")
        found = prices.get(bare, {})
        if found.get("litellm_provider") == provider:
            return found, False
        own = bool(model.base_url) and provider in _OWN and "/responses/" not in model.name
        return {}, own and not self._heard_of(model)

    def _add_price(self, model: Model) -> None:
        """Else litellm searches its price list anew at each answer, which takes a third of its time. A new list, for
        somebody may be walking over this one."""
        entry = {"litellm_provider": model.name.partition("/")[0], "mode": "chat", "overlord": True, **_FREE}
        self._litellm.model_cost = {**self._litellm.model_cost, model.name: entry}

    def _heard_of(self, model: Model) -> bool:
        """By rules for names, where not by the list itself."""
        try:
            self._litellm.get_model_info(model.name)
        except self._litellm.exceptions.ModelNotMappedError:
            return False
        return True


def _no_key(model: Model) -> str:
    """litellm wants some word as a key, also for a server of one's own that asks for none."""
    wants = model.base_url and model.name.startswith("openai/") and not os.environ.get("OPENAI_API_KEY")
    return "none" if wants else ""


DROPS_TOOLS = "its server takes no tools: the model's chat template has no words for them"


def _load(scripts: Sequence[Script], programs: ProgramModels) -> Any:
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
    # the offline model is a provider like any other, and so are programs
    ours = [{"provider": "rehearsal", "custom_handler": provider(scripts)}] if scripts else []
    ours += programs.providers()
    names = {each["provider"] for each in ours}
    known = [each for each in litellm.custom_provider_map if each["provider"] not in names]
    litellm.custom_provider_map = [*known, *ours]
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
