"""Asks models: one question with a whole, typed answer, or one turn of a talk with tools."""

import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.errors import NoAnswer, NoSuchTask
from agents.domain.events import Event
from agents.domain.ids import TaskId, derive_id, fingerprint
from agents.domain.limits import Limits
from agents.domain.models.ability import Ability, lacks_for, reading_room
from agents.domain.models.failure import POLICIES, ErrorClass, Failure, RetryPolicy, fault_of
from agents.domain.models.money import Budget
from agents.domain.models.routing import Chosen
from agents.domain.task.task import Task
from agents.domain.text.sanitize import clean, cut
from agents.llm.answers import (
    NONCE,
    BadAnswer,
    marked_end,
    marked_talk,
    plain_schema,
    read_answer,
    said_of,
    schema_for,
    size_of,
    text_of,
    tool_schemas,
)
from agents.llm.binding.schemas import closed_schema, strict_schema
from agents.llm.call_steps import READ, Messages, Step, Value, Wanted, run_step
from agents.llm.gateway import Gateway
from agents.llm.prompts import JUDGING, Prompt, PromptCut, Prompts
from agents.llm.rendering import BadTemplate
from agents.llm.replies import Reply
from agents.ports import Ask, Call, CallBook, Clock, Converse, Decide, Errand, Keep, Lender, Said, Shape, Spent, Tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models of every role, for the whole program; a job asks them through `JobLlm`.

    `model_of`: what serves whoever asks as such a role; empty: as the question says. Raises NoAnswer where its engine
    is not there.
    """

    chosen: Chosen
    prompts: Prompts
    clock: Clock
    limits: Limits
    policies: Mapping[str, RetryPolicy] = field(default_factory=lambda: POLICIES)
    gateway: Gateway = field(default_factory=Gateway)
    chance: Callable[[], float] = random.random
    model_of: Callable[[str], str] = lambda persona: ""

    def address(self, asked: Ask) -> Ask:
        wanted = self.model_of(asked.persona) if asked.persona else ""
        return replace(asked, role=wanted) if wanted in self.chosen else asked

    async def window(self, role: str) -> int | None:
        """How many tokens a question or a talk may have: what the smallest of the role's models takes beside an answer;
        or fewer, where that is written."""
        served, gateway = self.chosen[role], self.gateway
        known = [
            reading_room(most, await gateway.most_tokens(model, served.size.output))
            for model in served.models
            if (most := await gateway.window(model))
        ]
        return min([*known, *([served.size.input] if served.size.input else [])], default=None)


@dataclass(slots=True, kw_only=True)
class Notices:
    """What people are told about a job's model calls: budgets that run low, models that stood in, guidance left out."""

    low: list[Budget] = field(default_factory=list)
    stood_in: dict[str, str] = field(default_factory=dict)  # which model, and why
    left_out: dict[str, str] = field(default_factory=dict)  # which file of the project's guidance, and why

    def add(self, spent: Spent) -> Spent:
        if spent.warned:
            self.low.append(spent.warned)
        if spent.degraded:
            self.stood_in[spent.model] = spent.degraded
        self.left_out |= dict(spent.left_out)
        return spent

    def facts(self, task: Task, moment: Moment) -> Sequence[Event]:
        """Each is said once a task."""
        if task.has_ended:
            return []
        stood_in = [
            e.ModelDegraded(task=task.id, at=moment.at, model=model, why=why)
            for model, why in self.stood_in.items()
            if model not in task.money.degraded
        ]
        left_out = [
            e.GuidanceLeftOut(task=task.id, at=moment.at, file=file, why=why)
            for file, why in self.left_out.items()
            if file not in dict(task.plan.guidance_left_out)
        ]
        return [*stood_in, *left_out] + [
            e.BudgetWarned(task=task.id, at=moment.at, budget=low.name, limit=low.limit or 0.0, spent=low.spent)
            for low in self.low
            if low.name not in task.money.warned
        ]


Note = Callable[[TaskId, Decide], Awaitable[object]]
FIRST = "decompose"  # with which the work on a task begins
SAID = 2_000  # characters of an answer that does not count
READ_TRIES = 3  # of an answer that cannot be read, for whoever plans or judges


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLlm:
    """Implements agents.ports.Llm and Talker. The same step of the same job is paid once, however often it is run."""

    models: Models
    job: str
    calls: CallBook
    notices: Notices = field(default_factory=Notices)
    note: Note | None = None  # records facts while the job goes on
    lender: Lender | None = None  # None: no program answers

    async def ask(self, asked: Ask, shape: type[Shape]) -> tuple[Shape, Spent]:
        """Where it may look, each turn in which it does is a step of its own; the answer is the last."""
        asked = self.models.address(asked)
        if asked.question == FIRST:
            await self._say_lacks(asked.task)
        while True:
            step, left_out = await self._question(asked, shape)
            owed = asked.look.take_owed() if asked.look else ()
            said, keep = await run_step(step, self.calls, self.models, owed)
            if not isinstance(said, Said):
                return said, self.notices.add(replace(await keep(), left_out=left_out))
            assert asked.look is not None
            await asked.look.see(said, self._noticing(keep))

    async def converse(self, turn: Converse) -> tuple[Said, Keep]:
        said, keep = await run_step(await self._turn(turn), self.calls, self.models, turn.first)
        return said, self._noticing(keep)

    def _noticing(self, keep: Keep) -> Keep:
        async def keep_and_notice() -> Spent:
            return self.notices.add(await keep())

        return keep_and_notice

    async def _question(self, asked: Ask, shape: type[Shape]) -> tuple[Step[Shape | Said], tuple[tuple[str, str], ...]]:
        at = asked.look.at if asked.look else ("", "")
        if asked.look and self.models.chosen[asked.role].models[0].program:  # it looks with its own
            asked = replace(asked, look=None)
        if asked.look and not await self._takes_tools(asked.role, for_use=asked.look.may_go_on or asked.look.turns > 0):
            asked = replace(asked, look=None, about={**asked.about, "looks": 0})
        look, kind = asked.look, fingerprint(plain_schema(shape))
        name = f"{asked.step}:seen{look.turns}" if look and look.turns else asked.step
        # the shape is part of the name: an answer of an older one is not taken for one of this
        id = derive_id("call", self.job, name, kind)
        # one tag for all turns of a question, so that a provider finds the beginning it has seen before
        nonce = self.models.prompts.nonce(derive_id("call", self.job, asked.step, kind))
        schema = schema_for(shape, nonce)
        prompt = await self._prompt(asked, schema, nonce)
        talk, tools = (tuple(look.talk), tool_schemas(tuple(look.tools))) if look and look.tools else ((), "")
        wanted = Wanted(
            messages=lambda marked: [*prompt.messages(marked=marked), *(marked_end(talk) if marked else talk)],
            read=partial(_read, shape, nonce, asked),
            dump=lambda value: text_of(value) if isinstance(value, Said) else value.model_dump_json(),
            load=partial(_load, shape),
            told=_told(asked, nonce),
            most=self.models.chosen[asked.role].size.output,
            schema=closed_schema(shape, NONCE, nonce),
            strict=strict_schema(shape, NONCE),
            shorter=partial(self._shorter_question, asked, schema, nonce),
            tools=tools,
            may_call=look is None or look.may_go_on,
            errand=self._errand(asked, name, at),
        )
        call = Call(
            id=id,
            task=asked.task,
            question=asked.question,
            role=asked.role,
            models=await self._prices(asked.role, prompt.size + size_of(talk) + len(tools)),
            job=self.job,
            step=name,
        )
        return self._step(call, wanted, asked.policy, READ_TRIES if asked.question in JUDGING else 0), prompt.left_out

    def _errand(self, asked: Ask, run: str, at: tuple[str, str]) -> Errand | None:
        if self.lender is None or not any(model.program for model in self.models.chosen[asked.role].models):
            return None
        looks = asked.about.get("looks")
        project, commit = at
        return Errand(
            lender=self.lender,
            run=run,
            task=asked.task,
            question=asked.question,
            role=asked.role,
            persona=asked.persona,
            project=project,
            commit=commit,
            looks=looks if isinstance(looks, int) else 0,
        )

    async def _takes_tools(self, role: str, *, for_use: bool) -> bool:
        """Unless a server says that it drops them: then the question is answered from what is shown. Those that are not
        to be called save nothing on a server of one's own that serves one at a time, and no answer is bound beside."""
        asked = [model for model in self.models.chosen[role].models if not model.program]  # these look with their own
        able = [await self.models.gateway.ability(model) for model in asked]
        return all(each.tools is not False and (for_use or not each.at_once) for each in able)

    async def _prompt(self, asked: Ask, schema: str, nonce: str) -> Prompt:
        models = self.models
        size, window = models.chosen[asked.role].size, await models.window(asked.role)
        try:
            return await models.prompts.prompt(asked, schema, nonce, size, window or 0)
        except (BadTemplate, PromptCut) as error:
            raise NoAnswer(error.what, next_step=error.next_step, error=ErrorClass.LOGIC) from error

    async def _shorter_question(self, asked: Ask, schema: str, nonce: str) -> Messages:
        """Within what the refusal has taught."""
        prompt = await self._prompt(asked, schema, nonce)
        return lambda marked: prompt.messages(marked=marked)

    async def _shorter_talk(self, turn: Converse) -> Messages | None:
        window = await self.models.window(turn.role)
        if turn.shorter is None or window is None:
            return None
        messages = turn.shorter(window)
        return lambda marked: marked_talk(messages) if marked else messages

    async def _turn(self, turn: Converse) -> Step[Said]:
        tools = tool_schemas(tuple(turn.tools))
        question = str(turn.about.get("question", "work"))
        wanted = Wanted(
            messages=lambda marked: marked_talk(turn.messages) if marked else turn.messages,
            read=_read_turn,
            dump=text_of,
            load=said_of,
            told={**turn.about, "question": question, "request": turn.task.request.text},
            most=self.models.chosen[turn.role].size.output,
            tools=tools,
            shorter=partial(self._shorter_talk, turn),
            feedback="Your last turn does not count: {message}. Go on with one or more tool calls.",
        )
        call = Call(
            id=derive_id("call", self.job, turn.step, fingerprint(tools)),
            task=turn.task,
            question=question,
            role=turn.role,
            models=await self._prices(turn.role, size_of(turn.messages) + len(tools)),
            job=self.job,
            step=turn.step,
        )
        return self._step(call, wanted, turn.policy)

    async def _prices(self, role: str, size: int) -> dict[str, float]:
        gateway, served = self.models.gateway, self.models.chosen[role]
        return {model.name: await gateway.worst_case(model, size, served.size.output) for model in served.models}

    def _step(self, call: Call, wanted: Wanted[Value], policy: str, unread: int = 0) -> Step[Value]:
        models = {model.name: model for model in self.models.chosen[call.role].models}
        step = Step(call=call, models=models, policy=self._policy(policy, unread), wanted=wanted)
        step.tell = partial(self._tell, step)
        return step

    async def _say_lacks(self, task: Task) -> None:
        """Before the work on a task begins: what its models cannot do, as far as their servers have said."""
        found = dict[str, tuple[str, Ability]]()
        for role, served in self.models.chosen.items():
            able = await self.models.gateway.ability(served.models[0])
            if lacks_for(role, able):
                found[role] = served.models[0].name, able

        def decide(task: Task, moment: Moment) -> Sequence[Event]:
            known = {fact.role for fact in task.money.lacks}
            return [
                e.ModelLacks(
                    task=task.id, at=moment.at, role=role, model=model, lacks=lacks_for(role, able), window=able.window
                )
                for role, (model, able) in found.items()
                if role not in known
            ]

        if found and self.note is not None:
            await self.note(task.id, decide)

    async def _tell(self, step: Step[Value], tried: Tried, time: int) -> None:
        """People see that a model is asked again, while it is."""
        failure, call = tried.failure, step.call
        if self.note is None or failure is None:
            return

        def decide(task: Task, moment: Moment) -> Sequence[Event]:
            told = e.ModelAskedAgain(
                task=task.id,
                at=moment.at,
                role=call.role,
                question=call.question,
                model=tried.model,
                time=time,
                fault=fault_of(failure),
                why=failure.message,
                said=cut(clean(step.bad_answer), SAID) if failure.error in READ else "",
            )
            return [] if task.has_ended else [told]

        with suppress(NoSuchTask):  # what a message is, is asked before there is a task
            await self.note(call.task.id, decide)

    def _policy(self, name: str, unread: int) -> RetryPolicy:
        """As it is written now; a task may keep a workflow whose own policy is gone since."""
        policies = self.models.policies
        return replace(policies.get(name, policies["default"]), unread=unread).under(self.models.limits)


def _told(asked: Ask, nonce: str) -> dict[str, object]:
    """About the question; only the rehearsal gets to see it."""
    return {
        "question": asked.question,
        "step": asked.step,
        "request": asked.task.request.text,
        "said": str(asked.about.get("said", "")),
        "tag": nonce,
    }


def _read_turn(reply: Reply) -> tuple[Said | None, Failure | None]:
    if not reply.calls and not (reply.text or "").strip():
        return None, Failure(error=ErrorClass.PARSING, message="it is empty")
    return Said(text=reply.text or "", calls=reply.calls), None


def _load(shape: type[Shape], kept: str) -> Shape | Said:
    """What was kept is an answer, or a turn in which the model looked."""
    return said_of(kept) if json.loads(kept).keys() == {"text", "calls"} else shape.model_validate_json(kept)


def _read(shape: type[Shape], nonce: str, asked: Ask, reply: Reply) -> tuple[Shape | Said | None, Failure | None]:
    if reply.calls:
        if asked.look is None or not asked.look.may_go_on:
            return None, Failure(error=ErrorClass.LOGIC, message="it calls a tool, and there are no turns left to look")
        return Said(text=reply.text or "", calls=reply.calls), None
    try:
        answer = read_answer(reply.text, shape, nonce)
    except BadAnswer as bad:
        return None, bad.failure
    why = asked.refuse(answer)
    return (None, Failure(error=ErrorClass.LOGIC, message=why)) if why else (answer, None)
