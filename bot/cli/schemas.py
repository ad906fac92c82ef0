"""JSON Schemas, made from the readers of files and from the shapes of answers: nothing is written twice."""

import json
from importlib import import_module
from typing import Any

# The files that people write, and who reads them.
FILES: dict[str, tuple[str, str]] = {
    "overlord": ("bot.config.overlord", "OVERLORD"),
    "role": ("agents.catalog.roles", "ROLE"),
    "context": ("agents.catalog.contexts", "CONTEXT"),
    "workflow": ("agents.catalog.workflows", "WORKFLOW"),
    "skill": ("agents.catalog.skills", "SKILL"),
    "limits": ("agents.catalog.policies", "LIMITS"),
    "approval": ("bot.config.accounts", "GROUPS"),
    "models": ("agents.catalog.models", "MODELS"),
    "risk": ("agents.catalog.risk", "RISK"),
    "specialists": ("agents.catalog.specialists", "SPECIALISTS"),
}
# What models answer, by question (M174): the tag that an answer repeats is added when it is asked.
ANSWERS: dict[str, tuple[str, str]] = {
    "decompose": ("agents.flows.decompose", "PlanSays"),
    "critic": ("agents.flows.review", "CriticAnswer"),
    "custodiet": ("agents.flows.review", "CustodietAnswer"),
    "specialist": ("agents.flows.review", "SpecialistAnswer"),
    "debate": ("agents.flows.debate", "DebateAnswer"),
    "code_review": ("agents.flows.evaluate", "ReviewAnswer"),
    "intent": ("agents.flows.understand", "IntentAnswer"),
    "project": ("agents.flows.intake", "ProjectAnswer"),
}
# Parts of overlord.yaml that are laid over what comes with the program, so that none of it must be there.
LAID_OVER = ("groups", "limits", "models", "risk", "contexts", "workflow")
DRAFT = "https://json-schema.org/draft/2020-12/schema"


def names() -> tuple[str, ...]:
    return (*FILES, *(f"answers/{name}" for name in ANSWERS))


def made(name: str) -> str:
    """As it is kept in manifests/schema/."""
    _, _, question = name.rpartition("answers/")
    schema = _answer(question) if question != name else _file(name)
    return json.dumps({"$schema": DRAFT, "title": name, **schema}, indent=2, ensure_ascii=False) + "\n"


def _file(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = _known(*FILES[name]).schema()
    if name != "overlord":
        return schema
    parts = {each: _loose(part) if each in LAID_OVER else part for each, part in schema["properties"].items()}
    return {**{key: value for key, value in schema.items() if key != "required"}, "properties": parts}


def _answer(question: str) -> dict[str, Any]:
    schema: dict[str, Any] = _known(*ANSWERS[question]).model_json_schema()
    return {**schema, "title": f"answers/{question}", "additionalProperties": False}


def _known(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _loose(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_loose(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _loose(value) for key, value in schema.items() if key != "required" or not isinstance(value, list)}
