"""Whether a role fits a subtask that a planner names it for."""

from agents.domain.checks.scope import matches
from agents.domain.context.kinds_of_files import is_internal
from agents.domain.context.variables import INTERNALS, patterns_of
from agents.domain.planning.decomposition import Subtask
from agents.domain.text.sanitize import clean, cut
from agents.domain.workflow.roles import Role


def why_unfit(role: Role, subtask: Subtask) -> str:
    """Why it cannot do the work; empty: it can."""
    if not subtask.spike and not role.writes:
        return f"the role {role.name} writes nothing"
    blind = INTERNALS in role.context.exclude
    for path in subtask.files:
        if (blind and is_internal(path)) or any(matches(path, each) for each in patterns_of(role.context.exclude)):
            return f"the role {role.name} does not read {cut(clean(path), 100)}"
    return ""
