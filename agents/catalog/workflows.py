"""The workflow as YAML: manifests/workflows/default.yaml, with what overlord.yaml says about its steps laid over."""

from typing import Any

from agents.catalog.contexts import own_name
from agents.catalog.documents import Document, read_packaged
from agents.catalog.reading import Read, Shape, checked, flag, text, whole
from agents.domain.models.failure import POLICIES
from agents.domain.workflow.workflow import ORDER, Step, Workflow, step_of
from manifests import packaged

MOST_RETRIES = 5  # each is paid for
MOST_READERS = 2  # there are two models that read finished work: critic and custodiet


def _policy(written: str) -> str:
    if written not in POLICIES:
        raise ValueError(f"there is no retry policy `{written[:60]}`. Write one of {', '.join(POLICIES)}.")
    return written


_role = checked(text, own_name)
_retries = whole(0, MOST_RETRIES)
_retry_policy = checked(text, _policy)

# Which attributes are obeyed at which step; all others are refused.
OBEYED: dict[str, dict[str, Read[object]]] = {
    "plan": {"role": _role, "max_retries": _retries, "retry_policy": _retry_policy},
    "plan_review": {"human_approval": flag, "retry_policy": _retry_policy},
    "implement": {"role": _role, "max_retries": _retries, "retry_policy": _retry_policy},
    "test": {},
    "review": {"role": _role, "parallel": whole(1, MOST_READERS), "retry_policy": _retry_policy},
    "commit": {},
}


def _step(name: str) -> Shape[Step]:
    follows = (*ORDER, "")[ORDER.index(name) + 1]

    def following(written: str) -> str:
        if written != follows:
            raise ValueError(
                f"`{written[:60]}` does not follow `{name}`. Write `next: {follows}`: steps have one order."
            )
        return written

    def made(next: str = follows, **given: Any) -> Step:
        return step_of(name, **given)

    rest: dict[str, Read[object]] = {"next": checked(text, following)} if follows else {}
    return Shape(made, **OBEYED[name], **rest)


def _workflow(name: str, steps: tuple[Step, ...], description: str = "") -> Workflow:
    return Workflow(name=name, steps=steps)


def _steps(**given: Step) -> tuple[Step, ...]:
    return tuple(given[name] for name in ORDER)


WORKFLOW = Shape(
    _workflow,
    ("name", "steps"),
    name=checked(text, own_name),
    description=text,
    steps=Shape(_steps, ORDER, **{name: _step(name) for name in ORDER}),
)


def packaged_workflow() -> Document:
    return read_packaged(packaged("workflows", "default.yaml"))
