"""Helpers that the tests of prompts share with others."""

import re
from pathlib import Path

from agents.domain.planning.review import Advice, Critic, CriticSays, Custodiet, CustodietSays, Finding, Review
from agents.llm.prompts import Prompt, Prompts
from agents.ports import Ask
from agents.workspace.projects import GitProjects
from tests.llm.rig import SECRET, files

FENCE = re.compile(r"<(data-[0-9a-f]{16}) name=\"(\w+)\"[^>]*>\n(.*?)\n</\1>", re.DOTALL)


SCHEMA = '{"type":"object"}'


TAG = "0123456789abcdef"


REVIEW = Review(
    critic=CriticSays(verdict=Critic.REVISE, issues=(Finding(what="2 has no test for a race"),), changes=("add one",)),
    custodiet=CustodietSays(verdict=Custodiet.OK),
    advice=(Advice(specialist="security", concerns=("timing",)),),
)


def prompts(project: Path | None = None) -> Prompts:
    return Prompts(SECRET, files=files, templates=GitProjects({"shop": project}).templates)


async def shown(ask: Ask, project: Path | None = None) -> Prompt:
    return await prompts(project).prompt(ask, SCHEMA, TAG)


def whole(prompt: Prompt) -> str:
    return "\n".join(str(message["content"]) for message in prompt.messages(marked=False))


def fenced(text: str, name: str) -> list[str]:
    return [content for _, named, content in FENCE.findall(text) if named == name]
