"""What a project's own files may not say of a role: they add and narrow, and never give a right or choose who works."""

from collections.abc import Iterator

from agents.domain.workflow.roles import Base, Role, RolePart

Odd = tuple[tuple[str, ...], str, str]  # the field, what is wrong, where it may stand
_OWNER = "It may stand under `roles:` in overlord.yaml."
_CHOICES = {
    "engine": "a project's own file may not choose an engine",
    "model": "a project's own file may not choose a model",
    "flags": "a project's own file may not say how an engine is called",
    "template": "a project's own file may not choose the instructions of a role",
}


def own_project_may_not(part: RolePart, parent: Role) -> Iterator[Odd]:
    for name, what in _CHOICES.items():
        if getattr(part, name):
            yield (name,), what, _OWNER
    if part.additions and parent.base is Base.REVIEWER:
        what = "reviewers take no guidance from the project whose work they judge"
        yield ("system_prompt_additions",), what, _OWNER
    if part.offered and not parent.offered:
        yield ("offered",), "a project's own file may not give a role to planners", _OWNER
    yield from _odd_reading(part, parent)
    yield from _odd_config(part, parent)
    known = {tool.name for tool in parent.tools}
    for name in part.tools:
        if name in known:
            yield ("tools", name), "a project's own file may not say what a tool that is there runs", _OWNER


def _odd_reading(part: RolePart, parent: Role) -> Iterator[Odd]:
    if part.token_budget and part.token_budget > parent.context.budget:
        what = f"a project's own file may only lower what `{parent.name}` reads, {parent.context.budget} tokens"
        yield ("context", "token_budget"), what, _OWNER
    if part.strategy and parent.name == part.name and part.strategy != parent.strategy:
        what = f"a project's own file may not change how `{parent.name}` reads"
        yield ("context", "strategy"), what, _OWNER
    if part.git_diff is False:
        yield ("context", "git_diff"), "a project's own file may not take away what a role reads", _OWNER


def _odd_config(part: RolePart, parent: Role) -> Iterator[Odd]:
    for name, value in part.config.items():
        now = parent.config.get(name)
        if now is None or (isinstance(now, tuple) and isinstance(value, tuple)):
            continue
        numbers = isinstance(now, int | float) and isinstance(value, int | float) and not isinstance(now, bool)
        if value != now and not (numbers and value > now):  # type: ignore[operator]  # both are numbers then
            said = ", ".join(now) if isinstance(now, tuple) else now
            yield ("config", name), f"`{name}` is {said} already, and a project's own file may only raise it", _OWNER
