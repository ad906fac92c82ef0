"""Asks a model one question and returns a whole, typed answer: rendered, reserved, tried by policy, counted."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from agents.domain.errors import NoAnswer
from agents.domain.failure import Again, ErrorClass, Failure, RetryPolicy, next_try, policy_named
from agents.domain.ids import derived, fingerprint
from agents.domain.limits import Limits
from agents.domain.models import Chosen, Model
from agents.llm.answers import BadAnswer, plain_schema, read_answer, schema_for
from agents.llm.gateway import CallFailed, Gateway, Reply, Request
from agents.llm.prompts import Prompt, Prompts
from agents.llm.rendering import BadTemplate
from agents.ports import Answered, Ask, Call, CallBook, Clock, Shape, Spent, Tried

NEXT_STEP: dict[ErrorClass, str] = {
    ErrorClass.NETWORK: "It may pass by itself: ask again later. `overlord doctor` tries every model.",
    ErrorClass.RESOURCE: "Check key, quota and name of the model; `overlord doctor` tries every model.",
    ErrorClass.PARSING: "Ask again, or name a stronger model for this role under `models:` in overlord.yaml.",
    ErrorClass.VALIDATION: "Ask again, or name a stronger model for this role under `models:` in overlord.yaml.",
    ErrorClass.LOGIC: "Ask again, or name a stronger model for this role under `models:` in overlord.yaml.",
    ErrorClass.CLI_ERROR: "Ask again; `overlord doctor` tries every model.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models of every role, for the whole program; `for_job` gives what one job asks them through."""

    chosen: Chosen
    prompts: Prompts
    clock: Clock
    limits: Limits
    gateway: Gateway = field(default_factory=Gateway)
    chance: Callable[[], float] = random.random

    async def warm(self) -> None:
        """Load what is slow to load, before anyone waits for it."""
        await self.gateway.warm()

    def for_job(self, job: str, calls: CallBook) -> "JobLlm":
        return JobLlm(models=self, job=job, calls=calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLlm:
    """Implements agents.ports.Llm. The same step of the same job is paid once, however often the job is run."""

    models: Models
    job: str
    calls: CallBook

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        step = await self._step(asked, shape)
        while True:
            begun = await self.calls.begin(step.call)
            if isinstance(begun, Answered):
                return shape.model_validate_json(begun.answer), begun.spent
            tried, value = await self._try(step, begun.model, shape)
            if value is not None:
                spent = await self.calls.finish(step.call, tried, value.model_dump_json(), step.degraded(begun.model))
                return value, spent
            assert tried.failure is not None
            await self.calls.tried(step.call, tried)
            again = step.after(tried, self.models.chance())
            if again is None:
                raise _no_answer(asked, tried, step.failures)
            await asyncio.sleep(self.models.clock.real_seconds(again.wait))

    async def _step(self, asked: Ask, shape: type[Shape]) -> "_Step":
        # the shape is part of the name: an answer of an older one is not taken for one of this
        id = derived("call", self.job, asked.step, fingerprint(plain_schema(shape)))
        nonce = self.models.prompts.nonce(id)
        try:
            prompt = await self.models.prompts.prompt(asked, schema_for(shape, nonce), nonce)
        except BadTemplate as error:
            raise NoAnswer(error.what, next_step=error.next_step, error=ErrorClass.LOGIC) from error
        models = {model.name: model for model in self.models.chosen[asked.role].models}
        gateway = self.models.gateway
        call = Call(
            id=id,
            task=asked.task,
            channel=asked.task.channel if asked.task else asked.channel,
            question=asked.question,
            role=asked.role,
            models={name: await gateway.worst_case(model, prompt.size) for name, model in models.items()},
        )
        policy = policy_named(asked.policy).under(self.models.limits)
        told: dict[str, object] = {
            "question": asked.question,
            "step": asked.step,
            "request": asked.task.request if asked.task else "",
            "said": str(asked.about.get("said", "")),
            "tag": nonce,
        }
        return _Step(call=call, nonce=nonce, prompt=prompt, models=models, policy=policy, told=told)

    async def _try(self, step: "_Step", name: str, shape: type[Shape]) -> tuple[Tried, Shape | None]:
        """One HTTP call. Whatever it cost counts, also if its answer does not."""
        model, began = step.models[name], time.monotonic()
        timeout = self.models.clock.real_seconds(self.models.limits.model_step)
        messages = step.messages(marked=self.models.gateway.marks_for_cache(model))
        try:
            request = Request(model=model, messages=messages, timeout=timeout, told=step.told)
            reply = await self.models.gateway.ask(request)
        except CallFailed as failed:
            rests = failed.failure.too_long(step.policy)
            seconds = time.monotonic() - began
            return Tried(model=name, failure=failed.failure, seconds=seconds, rests=rests), None
        value, failure = _read(reply, shape, step.nonce)
        tried = Tried(
            model=name,
            cost=reply.cost,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            cached_tokens=reply.cached_tokens,
            seconds=time.monotonic() - began,
            failure=failure,
        )
        if failure is not None:
            step.bad_answer = reply.text or ""
        return tried, value


@dataclass(slots=True, kw_only=True)
class _Step:
    """One question on its way to an answer."""

    call: Call
    nonce: str
    prompt: Prompt
    models: dict[str, Model]
    policy: RetryPolicy
    told: dict[str, object]
    failures: int = 0
    bad_answer: str = ""
    talk: list[dict[str, object]] = field(default_factory=list)  # answers that did not count, and why
    fell: list[str] = field(default_factory=list)  # why models before this one were left

    def messages(self, *, marked: bool) -> list[dict[str, object]]:
        return [*self.prompt.messages(marked=marked), *self.talk]

    def after(self, tried: Tried, chance: float) -> Again | None:
        """Take note of a failure, and say how to go on."""
        assert tried.failure is not None
        self.failures += 1
        others = {name: most for name, most in self.call.models.items() if name != tried.model}
        again = next_try(tried.failure, self.failures, self.policy, chance, elsewhere=bool(others))
        if again and again.elsewhere:
            self.fell.append(f"{tried.model} did not answer: {tried.failure.message}")
            self.call = _with_models(self.call, others)
        if again and again.feedback:
            said: dict[str, object] = {"role": "assistant", "content": self.bad_answer or "(nothing)"}
            self.talk += [said, {"role": "user", "content": again.feedback}]
        return again

    def degraded(self, model: str) -> str:
        """Why it was not the preferred model that answered."""
        first = next(iter(self.models))
        if model == first:
            return ""
        return "; ".join(self.fell) or f"{first} failed too often and rests"


def _with_models(call: Call, models: dict[str, float]) -> Call:
    return Call(id=call.id, task=call.task, channel=call.channel, question=call.question, role=call.role, models=models)


def _read(reply: Reply, shape: type[Shape], nonce: str) -> tuple[Shape | None, Failure | None]:
    if reply.fault is not None:
        return None, reply.fault
    try:
        return read_answer(reply.text, shape, nonce), None
    except BadAnswer as bad:
        return None, bad.failure


def _no_answer(asked: Ask, tried: Tried, failures: int) -> NoAnswer:
    failure = tried.failure
    assert failure is not None
    times = "once" if failures == 1 else f"{failures} times"
    return NoAnswer(
        f"{tried.model} was asked {times} for `{asked.question}` and gave no answer that counts: {failure.message}",
        next_step=NEXT_STEP[failure.error],
        error=failure.error,
    )
