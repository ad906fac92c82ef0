"""Facts as earlier versions wrote them, in the shape that this one reads. What is stored, and so its hash, stays."""

import json
from collections.abc import Callable
from typing import Any

Body = dict[str, Any]


def upcast(kind: str, body: str) -> str:
    change = UPCASTS.get(kind)
    return json.dumps(change(json.loads(body))) if change else body


def _gather_request(fact: Body) -> Body:
    """Up to version 15 the request's parts lay flat in the fact."""
    if not isinstance(fact["request"], str):
        return fact
    parts = {name: value for name, value in fact.items() if name not in ("task", "request")}
    return {"task": fact["task"], "at": fact["at"], "request": {"text": fact["request"], **parts}}


UPCASTS: dict[str, Callable[[Body], Body]] = {"TaskRequested": _gather_request}
