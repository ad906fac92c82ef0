"""`overlord manifest`: what to paste into the portals of chat platforms, with your names in it, and JSON Schemas."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from agents.catalog.forms.feature_files import FEATURE
from agents.catalog.models import KNOWN_ENGINES, MODELS
from agents.catalog.policies import LIMITS, PACKAGES, PRINCIPLES, RISK, SPECIALISTS
from agents.catalog.retries import RETRIES
from agents.catalog.roles.context_files import CONTEXT
from agents.catalog.roles.pack_files import PACK
from agents.catalog.roles.role_files import ROLE
from agents.catalog.skills import SKILL
from agents.catalog.validation import Model
from agents.catalog.workflows import WORKFLOW
from agents.domain.asking.meaning import RouteAnswer
from agents.domain.asking.remarks import Understood
from agents.domain.errors import OverlordError
from agents.domain.task.decide import Guess
from agents.flows.intake import WishAnswer
from agents.flows.learning.skills import SkillAnswer
from agents.flows.plan_answer import PlanSays
from agents.flows.review_answers import CriticAnswer, CustodietAnswer, DebateAnswer, SpecialistAnswer
from agents.flows.setup_proposal import SetupSays
from agents.flows.steps.reviews import ReviewAnswer
from agents.flows.supervision.address import AddressAnswer
from agents.flows.supervision.answers import SHAPES
from agents.flows.supervision.assess import AssessAnswer, RemainderAnswer
from bot.config.accounts import GROUPS
from bot.config.overlord import OVERLORD
from bot.config.platforms import load, platforms

# The files that people write.
FILES: dict[str, Model[Any]] = {
    "overlord": OVERLORD,
    "role": ROLE,
    "context": CONTEXT,
    "pack": PACK,
    "feature": FEATURE,
    "workflow": WORKFLOW,
    "skill": SKILL,
    "limits": LIMITS,
    "approval": GROUPS,
    "models": MODELS,
    "engines": KNOWN_ENGINES,
    "retries": RETRIES,
    "risk": RISK,
    "packages": PACKAGES,
    "specialists": SPECIALISTS,
    "principles": PRINCIPLES,
}
# What models answer, by question; the tag that an answer repeats is added when it is asked.
ANSWERS: dict[str, type[BaseModel]] = {
    "decompose": PlanSays,
    "critic": CriticAnswer,
    "custodiet": CustodietAnswer,
    "specialist": SpecialistAnswer,
    "debate": DebateAnswer,
    "code_review": ReviewAnswer,
    "intent": Understood,
    "route": RouteAnswer,
    "wish": WishAnswer,
    "project": Guess,
    "setup": SetupSays,
    **{each.value: shape for each, shape in SHAPES.items()},
    "address": AddressAnswer,
    "assess": AssessAnswer,
    "remainder": RemainderAnswer,
    "draft_skill": SkillAnswer,
}
# Parts of overlord.yaml that are laid over what comes with the program, so that none of it must be there.
LAID_OVER = ("groups", "limits", "models", "retries", "risk", "packages", "contexts", "workflow")
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema_names() -> tuple[str, ...]:
    return (*FILES, *(f"answers/{name}" for name in ANSWERS))


def render_schema(name: str) -> str:
    """As it is kept in manifests/schema/."""
    _, _, question = name.rpartition("answers/")
    schema = _answer(question) if question != name else _file(name)
    return json.dumps({"$schema": DRAFT, "title": name, **schema}, indent=2, ensure_ascii=False) + "\n"


def _file(name: str) -> dict[str, Any]:
    schema = FILES[name].schema()
    if name != "overlord":
        return schema
    parts = {each: _loosen(part) if each in LAID_OVER else part for each, part in schema["properties"].items()}
    return {**{key: value for key, value in schema.items() if key != "required"}, "properties": parts}


def _answer(question: str) -> dict[str, Any]:
    schema = ANSWERS[question].model_json_schema()
    return {**schema, "title": f"answers/{question}", "additionalProperties": False}


def _loosen(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_loosen(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _loosen(value) for key, value in schema.items() if key != "required" or not isinstance(value, list)}


app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
for spec in platforms():
    if spec.manifest:
        app.command(spec.name)(load(spec.manifest))


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="Such as role; none: which there are.", show_default=False)] = "",
    into: Annotated[str, typer.Option(help="Write all of them into this folder.", show_default=False)] = "",
) -> None:
    """Print a JSON Schema: of a settings file, or of an answer."""
    if into:
        for each in schema_names():
            path = Path(into, f"{each}.json")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(render_schema(each), encoding="utf-8")
    elif not name:
        typer.echo("\n".join(schema_names()))
    elif name not in schema_names():
        raise OverlordError(f"There is no schema {name}", next_step=f"There are: {', '.join(schema_names())}.")
    else:
        typer.echo(render_schema(name), nl=False)
