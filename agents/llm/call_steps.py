"""One step on its way to an answer: reserved, tried by policy, counted, and never paid twice."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from agents.domain.errors import BudgetReached, NoAnswer, QuestionTooLong
from agents.domain.models.failure import Again, ErrorClass, Failure, RetryPolicy, next_try
from agents.domain.models.routing import Model
from agents.llm.answers import Message, size_of
from agents.llm.gateway import CallFailed, Request
from agents.llm.replies import Reply
from agents.ports import Admitted, Answered, Call, CallBook, Errand, Keep, Owed, Spent, Tried

if TYPE_CHECKING:
    from agents.llm.client import Models

Value = TypeVar("Value")
NOT_COUNTED = "(an answer that does not count)"
READ = (ErrorClass.PARSING, ErrorClass.VALIDATION, ErrorClass.LOGIC)  # where an answer came
Messages = Callable[[bool], Sequence[Message]]  # told whether to mark what a provider should keep

NEXT_STEP: dict[ErrorClass, str] = {
    ErrorClass.NETWORK: "It may pass by itself: ask again later. `overlord doctor` tries every model.",
    ErrorClass.RESOURCE: "Check key, quota and name of the model; `overlord doctor` tries every model.",
    ErrorClass.PARSING: "Ask again, or name a stronger model for this role under `models:` in overlord.yaml.",
    ErrorClass.VALIDATION: "Ask again, or name a stronger model for this role under `models:` in overlord.yaml.",
    ErrorClass.LOGIC: "Ask again, or name a stronger model for this role under `models:` in overlord.yaml.",
    ErrorClass.CLI_ERROR: "Ask again; `overlord doctor` tries every model.",
}

TOO_LONG = "Ask for less at once, give its server a larger window, or name a model that takes more under `models:`."
NO_TOOLS = "Name a model that calls tools for this role under `models:` in overlord.yaml; `overlord doctor` tries it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(Generic[Value]):
    """What is asked, and how an answer is read, written down and read back."""

    messages: Messages
    read: Callable[[Reply], tuple[Value | None, Failure | None]]
    dump: Callable[[Value], str]
    load: Callable[[str], Value]
    told: Mapping[str, object]
    most: int | None = None  # tokens of an answer
    tools: str = ""
    may_call: bool = True  # the tools; else they only stand there, as they did in the turns before
    schema: str = ""  # as JSON: what an answer is bound to, where a server can do that
    strict: str = ""  # the same for providers that bind in a stricter form
    shorter: Callable[[], Awaitable[Messages | None]] | None = None  # for a model that takes less than was thought
    errand: Errand | None = None  # where a program may answer
    feedback: str = ""  # what a bad answer is sent back with, where the words for JSON do not fit


async def _tell_nobody(tried: Tried, time: int) -> None:
    """Nobody looks."""


@dataclass(slots=True, kw_only=True)
class Step(Generic[Value]):
    call: Call
    models: dict[str, Model]
    policy: RetryPolicy
    wanted: Wanted[Value]
    failures: int = 0
    of_kind: Counter[str] = field(
        default_factory=Counter
    )  # failures: an answer came, none came in time, or none at all
    bad_answer: str = ""
    bad_answers: set[str] = field(default_factory=set)
    talk: list[Message] = field(default_factory=list)  # that answers did not count, and why
    fell: list[str] = field(default_factory=list)  # why models before this one were left
    shortened: bool = False
    looped: bool = False  # it gave the same bad answer twice
    tell: Callable[[Tried, int], Awaitable[None]] = _tell_nobody  # that it is asked again, and for which time

    def messages(self, *, marked: bool) -> Sequence[Message]:
        asked = self.wanted.messages(marked)
        return [*asked, *self.talk] if self.talk else asked

    def after(self, tried: Tried, chance: float) -> Again | None:
        """Take note of a failure, and say how to go on."""
        assert tried.failure is not None
        self.failures += 1
        came = tried.failure.error in READ
        kind = "read" if came else "late" if tried.failure.late else "none"
        self.of_kind[kind] += 1
        others = {name: most for name, most in self.call.models.items() if name != tried.model}
        if came and self._goes_round():
            return None
        again = next_try(tried.failure, self.of_kind[kind], self.policy, chance, elsewhere=bool(others))
        if again and again.elsewhere:
            self.fell.append(f"{tried.model} did not answer: {tried.failure.message}")
            self.call = replace(self.call, models=others)
        if again and again.feedback:
            own = self.wanted.feedback.format(message=tried.failure.message)
            # not quoted: models begin their next answer with the words of the last
            said: Message = {"role": "assistant", "content": NOT_COUNTED}
            self.talk += [said, {"role": "user", "content": own or again.feedback}]
        return again

    def _goes_round(self) -> bool:
        """The same answer a second time: asking on would only cost."""
        said = " ".join(self.bad_answer.split())
        known = bool(said) and said in self.bad_answers
        self.bad_answers.add(said)
        self.looped = self.looped or known
        return known

    async def shorten(self, failure: Failure) -> bool:
        """Whether to ask once more with less: the question was longer than the model takes."""
        if not failure.overflow or self.shortened or self.wanted.shorter is None:
            return False
        self.shortened, before = True, size_of(self.wanted.messages(False))  # counted first: a talk is trimmed in place
        messages = await self.wanted.shorter()
        if messages is None or size_of(messages(False)) >= before:
            return False
        self.failures += 1
        self.wanted = replace(self.wanted, messages=messages)
        return True

    def why_degraded(self, model: str) -> str:
        """Why it was not the preferred model that answered."""
        first = next(iter(self.models))
        if model == first:
            return ""
        return "; ".join(self.fell) or f"{first} failed too often and rests"

    async def call_model(self, name: str, models: "Models") -> tuple[Tried, Value | None]:
        """One HTTP call. Whatever it cost counts, also if its answer does not."""
        model, began, wanted = self.models[name], time.monotonic(), self.wanted
        timeout = models.clock.real_seconds(models.limits.model_step)
        messages = self.messages(marked=models.gateway.marks_for_cache(model))
        try:
            request = Request(
                model=model,
                messages=messages,
                timeout=timeout,
                told=wanted.told,
                most=wanted.most,
                tools=wanted.tools,
                may_call=wanted.may_call,
                schema=wanted.schema,
                strict=wanted.strict,
                errand=wanted.errand,
            )
            reply = await models.gateway.ask(request)
        except CallFailed as failed:
            rests = failed.failure.too_long(self.policy)
            return Tried(model=name, failure=failed.failure, seconds=time.monotonic() - began, rests=rests), None
        value, failure = (None, reply.fault) if reply.fault is not None else wanted.read(reply)
        tried = Tried(
            model=name,
            cost=reply.cost,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            cached_tokens=reply.cached_tokens,
            seconds=max(0.0, time.monotonic() - began - reply.asking),
            failure=failure,
        )
        if failure is not None:
            self.bad_answer = reply.text or ""
        return tried, value


async def run_step(
    step: Step[Value], calls: CallBook, models: "Models", first: Sequence[Owed] = ()
) -> tuple[Value, Keep]:
    """An answer, still to be kept. Raises NoAnswer and BudgetReached."""
    while True:
        begun = await _begin(step.call, calls, first)
        if isinstance(begun, Answered):
            return step.wanted.load(begun.answer), partial(_return, begun.spent)
        try:
            tried, value = await step.call_model(begun.model, models)
        except BudgetReached as reached:  # by a program, which asks more than once
            failure = Failure(error=ErrorClass.RESOURCE, message=str(reached))
            await calls.record_try(step.call, Tried(model=begun.model, failure=failure))
            raise
        if value is not None:
            answer, degraded = step.wanted.dump(value), step.why_degraded(begun.model)
            return value, partial(calls.finish, step.call, tried, answer, degraded)
        first = ()
        assert tried.failure is not None
        await calls.record_try(step.call, tried)
        shortened = await step.shorten(tried.failure)
        again = Again() if shortened else step.after(tried, models.chance())
        if again is None:
            raise _no_answer(step, tried)
        await step.tell(tried, step.failures + 1)
        await asyncio.sleep(models.clock.real_seconds(again.wait))


async def _begin(call: Call, calls: CallBook, first: Sequence[Owed]) -> Admitted | Answered:
    """All in one breath and in this order, so that the store can commit them together."""
    if not first:
        return await calls.begin(call)
    *_, begun = done = await asyncio.gather(*(each() for each in first), calls.begin(call), return_exceptions=True)
    for each in done:
        if isinstance(each, BaseException):
            raise each
    assert isinstance(begun, Admitted | Answered)
    return begun


async def _return(spent: Spent) -> Spent:
    return spent


def _no_answer(step: Step[Value], tried: Tried) -> NoAnswer:
    failure = tried.failure
    assert failure is not None
    times = "once" if step.failures == 1 else f"{step.failures} times"
    same = ", the same one twice" if step.looped else ""
    next_step = TOO_LONG if failure.overflow else NO_TOOLS if failure.no_tools else NEXT_STEP[failure.error]
    kind = QuestionTooLong if failure.overflow else NoAnswer
    return kind(
        f"{tried.model} was asked {times} and gave no answer that counts{same}: {failure.message}",
        next_step=next_step,
        error=failure.error,
        simpler_may_do=failure.simpler_may_do,
        model=tried.model,
    )
