"""What a role is told beside the usual: its own words, its template, its settings; and what a project says of it."""

from collections.abc import Mapping
from functools import lru_cache

from agents.domain.workflow.roles import Role, Setting
from agents.llm.rendering import BadTemplate, Fence, given_text, packaged_text
from manifests import packaged_path

FOLDER = "roles"  # of our own templates, in manifests/prompts
_NO_FENCE = Fence("data")


def instructions(role: Role, templates: Mapping[str, str]) -> str:
    """`templates`: those of packs and of the user, over ours. Raises BadTemplate."""
    parts = (role.additions, _template(role, templates), _settings(role.config))
    return "\n\n".join(part for part in parts if part)


def with_guidance(role: Role, templates: Mapping[str, str], fence: Fence) -> str:
    """The same, and below it the words of the project, which order nobody about."""
    said = {"role": role.name, "said": role.guidance}
    fenced = packaged_text("_role_guidance", said, fence) if role.guidance else ""
    return "\n\n".join(part for part in (instructions(role, templates), fenced) if part)


def _template(role: Role, templates: Mapping[str, str]) -> str:
    if not role.template:
        return ""
    values: dict[str, object] = {"role": role.name, "description": role.description, "config": dict(role.config)}
    if own := templates.get(role.template):
        return given_text(own, values, _NO_FENCE)
    if role.template not in template_names():
        raise BadTemplate(f"There is no template `{role.template}`", next_step="Put it back, or name another one.")
    return packaged_text(f"{FOLDER}/{role.template}", values, _NO_FENCE)


def _settings(config: Mapping[str, Setting]) -> str:
    """A line each, in words."""
    lines = [f"- {name.replace('_', ' ')}: {_in_words(value)}" for name, value in config.items()]
    return "\n".join(("Settings of this role:", *lines)) if lines else ""


def _in_words(value: Setting) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


@lru_cache(maxsize=1)
def template_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in packaged_path("prompts", FOLDER).glob("*.j2")))
