"""What there is of engines on this machine, and whether each answers through the gateway."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from agents.catalog.models import PROGRAMS, packaged_engines
from agents.domain.errors import OverlordError
from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.models.routing import ROLES, Chosen, Model
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.domain.text.sanitize import clean, one_line
from agents.domain.workflow.roles import EngineName
from agents.llm.gateway import Gateway
from agents.llm.relay.book import TrialBook
from agents.llm.relay.lender import Lendings
from agents.minions.by_role import PROGRAMS as CLIS
from agents.minions.engines.cli.trying import SECONDS, Tried, try_program
from agents.ports import Program
from agents.workspace.programs.finding import Programs
from agents.workspace.sandbox.sandbox_choice import ChosenSandbox
from agents.workspace.sandbox.walls import CLI
from bot.config.settings import Settings
from bot.doctor_check import Check, fail, ok, warn
from bot.services import catalog_of

NAMED = 2  # roles that are told by their names
NO_MODEL = "{engine} {version}, and no model to ask"
KEY_STEP = "Put its provider's key into the environment, or write `engines: {engine}: model:`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """`problem`: why it is not there, and what to do. `roles`: that run on it, each with the model that it names."""

    engine: EngineName
    program: Program | None
    model: Model | None
    problem: str = ""
    next_step: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)

    @property
    def role_names(self) -> str:
        """The roles that run on it, in words."""
        named, more = [*self.roles][:NAMED], len(self.roles) - NAMED
        return f"{', '.join(named)}{f' and {more} more' if more > 0 else ''}"

    @property
    def models(self) -> list[Model]:
        """Every model that roles want it to ask; its own, where one names none, or none runs on it."""
        if self.model is None:
            return []
        provider = self.model.name.partition("/")[0]
        named = {
            name: f"{provider}/{name.removeprefix(f'{provider}/')}" if name else "" for name in self.roles.values()
        }
        wanted = dict.fromkeys(named[name] or self.model.name for name in self.roles.values()) or [self.model.name]
        return [replace(self.model, name=name) for name in wanted]


def programs_of(settings: Settings) -> Programs:
    return Programs(home=settings.home, known=packaged_engines(), paths=settings.engines.paths)


def look(settings: Settings) -> list[Here]:
    """Nothing is run."""
    models, programs = settings.engines.models(settings.keys), programs_of(settings)
    roles = catalog_of(settings.declared)().roles.values()
    found = []
    for engine in PROGRAMS:
        users = {role.name: "" if role.model in ROLES else role.model for role in roles if role.engine is engine}
        here = Here(engine=engine, program=None, model=models.get(engine), roles=users)
        try:
            found.append(replace(here, program=programs.find(engine)))
        except OverlordError as problem:
            found.append(replace(here, problem=problem.what, next_step=problem.next_step))
    return found


def check_engines(settings: Settings, *, offline: bool, only: EngineName | None = None) -> Iterator[Check]:
    """One that nobody asked for and that is not there is no fault."""
    for here in look(settings):
        if only in (None, here.engine):
            yield from _check_engine(settings, here, offline=offline)


def _check_engine(settings: Settings, here: Here, *, offline: bool) -> Iterator[Check]:
    name, needed = f"engine {here.engine}", f", needed by {here.role_names}" if here.role_names else ""
    if here.program is None and (needed or settings.engines.paths.get(here.engine)):
        yield fail(name, f"{here.problem}{needed}", here.next_step)
    elif here.program is None:
        yield ok(name, "not installed; no role needs it")
    elif here.model is None:
        seen, step = (
            NO_MODEL.format(engine=here.engine, version=here.program.version),
            KEY_STEP.format(engine=here.engine),
        )
        yield fail(name, f"{seen}{needed}", step) if needed else warn(name, seen, step)
    elif offline:
        models = ", ".join(model.name for model in here.models)
        yield ok(name, f"{here.engine} {here.program.version}, asks {models}{needed}")
    else:
        for model in here.models:
            yield asyncio.run(try_engine(settings, replace(here, model=model)))


def check_program_models(settings: Settings, chosen: Chosen) -> Iterator[Check]:
    """Models that a program asks, with what keeps it from that. Trying the engine itself shows whether it answers."""
    there = {here.engine.value: here for here in look(settings)}
    for model in dict.fromkeys(model for served in chosen.values() for model in served.models if model.program):
        name, here = f"model {model.name}", there[model.program]
        roles = ", ".join(role for role, served in chosen.items() if model in served.models and role != model.name)
        if here.program is None:
            yield fail(name, here.problem, here.next_step)
        elif here.model is None:
            yield fail(
                name,
                NO_MODEL.format(engine=here.engine, version=here.program.version),
                KEY_STEP.format(engine=here.engine),
            )
        elif "primary" in roles.split(", "):
            seen = "it plans and judges; minions of the built-in engine and questions about the code need tools of ours"
            step = "Name a model that calls tools as `primary`, and the program under the roles that plan and review."
            yield warn(name, seen, step)
        else:
            yield ok(name, f"asked by {here.engine} {here.program.version}{f', for {roles}' if roles else ''}")


async def try_engine(settings: Settings, here: Here) -> Check:
    """One word from its model, through the gateway, from inside the sandbox."""
    assert here.program is not None and here.model is not None
    name, book = f"engine {here.engine}", TrialBook()
    lender = Lendings(prices=Gateway(), calls=book, job="doctor", models={here.engine: here.model})
    try:
        sandbox = await ChosenSandbox(settings.sandbox)()
        cli = next(cli for cli in CLIS if cli.name is here.engine)
        profile = replace(CLI, seconds=SECONDS)
        tried = await try_program(
            cli, here.program, lender, _nobodys_task(), lambda at, door: sandbox.open(at, replace(profile, door=door))
        )
    except OverlordError as problem:
        return fail(name, f"{here.engine} {here.program.version}: {problem.what}", problem.next_step)
    asked = f"{here.engine} {here.program.version}, {here.model.name.partition('/')[2]}"
    if tried.problem:
        said = one_line(clean(tried.problem), 300)
        step = "Correct what its provider says, or name another model for it."
        return fail(name, f"{asked}: {said}", step)
    return ok(name, f"{asked}, {_costs(tried, book)}")


def _costs(tried: Tried, book: TrialBook) -> str:
    """The least that a run costs: what a program says before it says anything of a task."""
    calls = "1 call" if tried.calls == 1 else f"{tried.calls} calls"
    return f"answered in {tried.seconds:.1f} s; a run begins with {calls}, {book.tokens:,} tokens, ${book.cost:.3f}"


def _nobodys_task() -> Task:
    at = datetime.now(UTC)
    channel = "cli:doctor"
    asked = Request(text="doctor", by=PersonId("doctor"), thread=Thread(f"{channel}:1"), channel=channel, at=at)
    return Task(id=TaskId("T-0"), request=asked, changed_at=at)
