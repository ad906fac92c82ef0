"""Names that stand for files where a role says what it reads: what they mean for a subtask."""

from collections.abc import Iterable

from agents.domain.context.strategy import Input

TARGET = "$TARGET"
IMPORTS = "$TARGET_IMPORTS"
INTERFACES = "$INTERFACE_DEFINITIONS"
PUBLIC_API = "$COMPONENT_PUBLIC_API"
INTERNALS = "$IMPLEMENTATION_INTERNALS"
DIFFERENCE = "git diff --cached"  # as people are used to write it

VARIABLES = {
    TARGET: Input.TARGETS,
    IMPORTS: Input.IMPORTS,
    INTERFACES: Input.INTERFACES,
    PUBLIC_API: Input.PUBLIC_API,
}
INCLUDED = (*VARIABLES, DIFFERENCE)
EXCLUDED = (INTERNALS,)


def patterns_of(written: Iterable[str]) -> tuple[str, ...]:
    """Without the names that stand for something."""
    return tuple(each for each in written if each not in (*INCLUDED, *EXCLUDED))
