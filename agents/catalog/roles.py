"""Roles as YAML: those in manifests/roles/, and what overlord.yaml lays over them or adds to them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from agents.catalog.contexts import budget, by_name, own_name, packaged_folder
from agents.catalog.documents import Document
from agents.catalog.policies import EXTRA_GATE
from agents.catalog.reading import Read, Shape, checked, items, one_of, text
from agents.domain.context.packing import secret_path
from agents.domain.work.scope import odd_pattern
from agents.domain.workflow.roles import EngineName, RolePart, ToolName

LONGEST_ADDITIONS = 4_000  # characters; every turn of every minion carries them
MOST = 30


def _pattern(written: str) -> str:
    if problem := odd_pattern(written):
        raise ValueError(f"`{written[:60]}` matches no path: {problem}. Write one such as `docs/**/*.md`.")
    return written


def _harmless(written: str) -> str:
    """Whatever a pattern matches, files that may hold secrets are never packed; one that names them is
    refused here, so that nobody thinks they are."""
    if secret_path(_pattern(written)):
        raise ValueError(f"`{written[:60]}` may hold secrets, and those are never read. Leave it out.")
    return written


def _short(most: int) -> Callable[[str], str]:
    def check(written: str) -> str:
        if len(written) > most:
            raise ValueError(f"it has {len(written)} characters. Write at most {most}.")
        return written.strip()

    return check


def _paths(check: Callable[[str], str]) -> Read[tuple[str, ...]]:
    return items(checked(text, check), most=MOST)


def _part(
    context: Mapping[str, Any] = MappingProxyType({}), system_prompt_additions: str = "", **given: Any
) -> RolePart:
    return RolePart(**given, **context, additions=system_prompt_additions)


ROLE = Shape(  # as far as it is obeyed
    _part,
    name=checked(text, own_name),
    extends=checked(text, own_name),
    description=checked(text, _short(500)),
    system_prompt_additions=checked(text, _short(LONGEST_ADDITIONS)),
    context=Shape[dict[str, Any]](
        dict,
        strategy=checked(text, own_name),
        token_budget=budget,
        always_include=_paths(_harmless),
        exclude=_paths(_pattern),
    ),
    allowed_tools=items(one_of(*ToolName)),
    gates=items(EXTRA_GATE, most=MOST),
    strengths=items(checked(text, _short(200)), most=MOST),
    engine=one_of(*EngineName),
)
ROLES = by_name(ROLE)


def packaged_roles() -> Document:
    return packaged_folder("roles")
