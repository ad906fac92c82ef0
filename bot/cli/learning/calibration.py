"""`overlord doctor --calibrate`: whether the model that plans heeds a note, by two plans for one request."""

import asyncio
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.knowledge.choosing import Choice
from agents.domain.knowledge.document import Note
from agents.domain.knowledge.note import Folder
from agents.domain.models.routing import Chosen, Model
from agents.domain.task.facts import Request as TaskRequest
from agents.domain.task.task import Task
from agents.flows.plan_answer import PlanSays
from agents.llm.answers import BadAnswer, read_answer, schema_for
from agents.llm.choice import choose_models
from agents.llm.gateway import CallFailed, Gateway, Request
from agents.llm.prompts import Adds, Prompts
from agents.ports import Ask
from bot.config.platforms import OWN
from bot.config.settings import Settings
from bot.doctor_check import Check, ok, warn

NAME = "calibration"
MARK = "zq_"  # nobody would begin a name like this who was not told to
REQUEST = "Add a function that counts the words of a text, in a new module of its own."
FILES = ("pyproject.toml", "shop/__init__.py", "shop/prices.py", "tests/test_prices.py")
NOTE = Note(
    folder=Folder.CONVENTIONS,
    slug="modules",
    title="Names of modules",
    rules=(f"The file name of every new module begins with `{MARK}`, such as `shop/{MARK}shapes.py`",),
    rationale="People find what is new.",
)
PATIENCE = 300.0  # seconds


def calibrate(settings: Settings) -> Check:
    chosen = asyncio.run(choose_models(settings.models.to_written(), settings.keys))
    return asyncio.run(compare_plans(chosen, Gateway()))


async def compare_plans(chosen: Chosen, gateway: Gateway) -> Check:
    """Shown by this model, once: another time it may answer otherwise, and that is said."""
    model = chosen["primary"].models[0]
    if model.rehearsal:
        step = "Name a model in OVERLORD_MODELS__PRIMARY; what a note does to a prompt our tests show without one."
        return warn(NAME, "no model is configured, so nobody can be asked to heed a note", step)
    try:
        told = await _new_files(gateway, model, (NOTE,))
        untold = await _new_files(gateway, model, ())
    except CallFailed as failed:
        return warn(NAME, f"{model.name} gave no plan: {failed.failure.message}", "Try again.")
    except BadAnswer as bad:
        return warn(NAME, f"{model.name} gave no plan that can be read: {bad}", "Try again, or name a stronger model.")
    return _judge(model, told, untold)


def _judge(model: Model, told: Sequence[str], untold: Sequence[str]) -> Check:
    heeds, anyway = (any(_is_marked(path) for path in paths) for paths in (told, untold))
    seen = f"with the note {model.name} plans {_named(told)}, without it {_named(untold)}"
    if heeds and not anyway:
        return ok(NAME, f"{seen}: it heeds notes. That is one try of one model")
    if heeds:
        return warn(NAME, f"{seen}: nothing can be said", "Try again.")
    step = "Try again, or name a stronger model in OVERLORD_MODELS__PRIMARY."
    return warn(NAME, f"{seen}: it did not heed the note", step)


def _named(paths: Sequence[str]) -> str:
    fresh = [path for path in paths if path not in FILES]
    return ", ".join(fresh[:3]) or "no new file"


def _is_marked(path: str) -> bool:
    return path.rpartition("/")[2].startswith(MARK)


async def _new_files(gateway: Gateway, model: Model, notes: tuple[Note, ...]) -> list[str]:
    async def files(project: str) -> Sequence[str]:
        return FILES

    async def choose(project: str, commit: str, about: str) -> Choice:
        return Choice(confirmed=notes)

    prompts, tag = Prompts(secrets.token_bytes(16), files=files, adds=Adds(notes=choose)), secrets.token_hex(8)
    asked = Ask(question="decompose", role="primary", step="calibrate", task=_task(), about={})
    prompt = await prompts.prompt(asked, schema_for(PlanSays, tag), tag)
    request = Request(
        model=model, messages=prompt.messages(marked=False), timeout=PATIENCE, told={"question": "decompose"}
    )
    said = read_answer((await gateway.ask(request)).text, PlanSays, tag)
    return [path for subtask in said.subtasks for path in subtask.files]


def _task() -> Task:
    at, thread = datetime.now(UTC), Thread(f"{OWN}:calibration:1")
    request = TaskRequest(text=REQUEST, by=PersonId("operator"), thread=thread, channel=f"{OWN}:calibration", at=at)
    return Task(id=TaskId("T-1"), request=request, changed_at=at, project="shop")
