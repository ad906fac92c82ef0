"""Facts and decisions as earlier versions wrote them, in the shape that this one reads.

What is stored, and so its hash, stays. Up to version 15 the request's parts lay flat in its fact; the subject of a
decision was a string, and some kinds stood for several questions. Up to version 18 a workflow was six steps whose names
said what they do. Up to version 20 subtasks of a plan had no kind and assumptions no reason (version 1 of its schema),
and what a person asked of a subtask stood among what checks had found; now it is a wish, which the decision that led to
it tells.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from agents.domain.planning.plan_reading import kind_of
from agents.domain.planning.work_kind import WorkKind, size_of

Found = dict[str, Any]

# A subtask: only those of plans have a title and then a reason.
_WITHOUT_KIND = re.compile(r'"title":"(?:[^"\\]|\\.)*","why":"(?:[^"\\]|\\.)*"(?!,"kind":)')
_SPENT = re.compile(r"and \$(?P<spent>[\d.]+) is spent")
_WISHES = (
    "A person says: ",
    "A person did not let it pass: ",
    "A person read the whole and asks for changes: ",
)
_UNPLANNED = "I could not make a plan"


def _dump(found: Found) -> str:
    """Without blanks, as it is stored: what looks at it next looks for that."""
    return json.dumps(found, separators=(",", ":"))


def upcast_event(kind: str, body: str) -> str:
    if kind == "DecisionOpened":
        return upcast_decisions(body, "decision")
    if kind == "DecompositionDrafted":
        return upcast_plans(body)
    if kind == "PlanAccepted":
        return upcast_workflow(body)
    if kind == "SubtaskReady":
        return _without_wishes(body)
    return _gather_request(body) if kind == "TaskRequested" else body


def _without_wishes(body: str) -> str:
    if '"A person ' not in body:
        return body
    fact = json.loads(body)
    fact["feedback"] = [line for line in fact.get("feedback", ()) if not line.startswith(_WISHES)]
    return _dump(fact)


def upcast_workflow(body: str, *keys: str) -> str:
    """The text with the workflow below these keys as it is written now."""
    if '"workflow":{' not in body or '"require_tests"' in body:
        return body
    found = json.loads(body)
    holder = found
    for key in keys:
        holder = holder[key]
    holder["workflow"] = _workflow(holder["workflow"])
    return _dump(found)


def _workflow(old: Found) -> Found:
    """The rules were part of `test`, and the pull request and the merge of `commit`."""
    known = {step["name"]: step for step in old["steps"]}
    names = [*_STEPS]
    retries = known["implement"]["max_retries"]
    steps = list[Found]()
    for at, name in enumerate(names):
        step = known.get(name, {})
        role = step.get("role", "")
        again = step["max_retries"] if name in ("plan", "implement") else retries
        kept = {key: value for key, value in step.items() if key not in ("role", "next", "max_retries")}
        place = {"name": name, "next": (*names, "")[at + 1], "roles": [role] if role else [], "max_retries": again}
        steps.append({**_PLAIN_STEP, **kept, **_STEPS[name], **place})
    return {"name": old["name"], "require_tests": True, "steps": steps}


def upcast_plans(body: str, *keys: str) -> str:
    """The text with the plans below these keys as they are written now. Each keeps the hash that it was approved by."""
    if not _WITHOUT_KIND.search(body):
        return body
    found = json.loads(body)
    holder = found
    for key in keys:
        holder = holder.get(key, {})
    old = {name: plan for name in ("plan", "draft", "previous") if _is_of_version_1(plan := holder.get(name))}
    holder.update({name: _plan_now(plan) for name, plan in old.items()})
    return _dump(found) if old else body


def _is_of_version_1(plan: Any) -> bool:
    return isinstance(plan, dict) and any("kind" not in subtask for subtask in plan.get("subtasks", ()))


def _plan_now(old: Found) -> Found:
    """Kind and size are derived, and marked as such: nobody approved them."""
    assumptions = [{"what": text} for text in old.get("assumptions", ())]
    subtasks = [_subtask_now(each) for each in old["subtasks"]]
    return {**old, "version": 1, "assumptions": assumptions, "subtasks": subtasks}


def _subtask_now(old: Found) -> Found:
    rest = {name: value for name, value in old.items() if name != "spike"}
    kind = WorkKind.SPIKE if old.get("spike") else kind_of(None, old.get("files", ()))
    return {**rest, "kind": kind, "size": size_of(old.get("hours", 1.0)), "assumed": ["kind", "size"]}


def upcast_decisions(body: str, key: str = "") -> str:
    """The text with the decisions at this key of it as they are written now; without a key it is one itself."""
    if '"subject":"' not in body and '"asks":"' not in body:  # a string and words there: written no more
        return body
    found = json.loads(body)
    if not key:
        return _dump(_decision(found))
    if inner := found.get(key):
        found[key] = [_decision(each) for each in inner] if isinstance(inner, list) else _decision(inner)
    return _dump(found)


def _gather_request(body: str) -> str:
    fact = json.loads(body)
    if not isinstance(fact["request"], str):
        return body
    parts = {name: value for name, value in fact.items() if name not in ("task", "request")}
    return _dump({"task": fact["task"], "at": fact["at"], "request": {"text": fact["request"], **parts}})


def _decision(old: Found) -> Found:
    subject, version = old.get("subject", ""), old.get("version", 0)
    if not isinstance(subject, str):
        return old
    rest = {key: value for key, value in old.items() if key not in ("subject", "version")}
    changed = {**rest, "options": [_option(each, old["kind"]) for each in old["options"]]}
    if how := _HOW.get(old["kind"].partition("_")[0]):
        return {**changed, **how({**old, "version": version}, subject)}
    return changed


def _option(old: Found, kind: str) -> Found:
    new = {key: value for key, value in old.items() if key != "asks"}
    if old.get("asks"):
        new["needs_words"] = True
    if kind == "meant" and old["value"] != "remark":
        decision, _, letter = old["value"].partition(".")
        new |= {"value": "answer", "answers": {"decision": decision, "letter": letter}}
    return new


def _run(subject: str) -> Found:
    _, subtask, attempt = subject.split(":")[:3]
    return {"subtask": int(subtask), "attempt": int(attempt)}


def _gate(old: Found, subject: str) -> Found:
    *_, commit = subject.split(":")
    risk = old["kind"].partition("_")[2]
    return {"kind": "gate", "subject": {**_run(subject), "commit": commit, "risk": risk}}


def _merge(old: Found, subject: str) -> Found:
    return {"kind": "merge", "subject": {"commit": subject, "risk": old["kind"].partition("_")[2] or "medium"}}


def _escalation(old: Found, subject: str) -> Found:
    if not subject:
        return {"kind": "stuck", "subject": {"flow": old.get("question", "")}, "question": ""}
    if subject == "merge":
        return {"kind": "unmerged"}
    taken = any(option["value"] == "hand_in" for option in old["options"])
    return {"kind": "taken" if taken else "escalation", "subject": _run(subject)}


def _scope(old: Found, subject: str) -> Found:
    what, _, number = subject.partition(":")
    if what == "start":
        return {"kind": "start_scope", "subject": {"subtask": int(number)}}
    return {"subject": _run(subject)}


def _clarification(old: Found, subject: str) -> Found:
    if subject:
        return {"kind": "change", "subject": {"words": subject}, "question": ""}
    unplanned = old.get("question") == _UNPLANNED and any(option.get("asks") for option in old["options"])
    return {"kind": "no_plan", "question": ""} if unplanned else {}


def _plan(old: Found, subject: str) -> Found:
    return {"subject": {"hash": subject, "version": old["version"]}}


def _budget(old: Found, subject: str) -> Found:
    name, _, limit = subject.rpartition(":")
    spent = _SPENT.search(old.get("question", ""))
    return {
        "subject": {
            "budget": "" if name == f"task {old['task']}" else name,
            "limit": float(limit),
            "spent": float(spent["spent"]) if spent else float(limit),
        },
        "question": "",
    }


def _proposal(old: Found, subject: str) -> Found:
    id, _, shown = subject.partition(":")
    return {"subject": {"proposal": id, "shown": shown}}


# By the old kind, without its risk.
_HOW: dict[str, Callable[[Found, str], Found]] = {
    "gate": _gate,
    "merge": _merge,
    "escalation": _escalation,
    "scope": _scope,
    "clarification": _clarification,
    "question": lambda old, subject: {"subject": _run(subject)},
    "plan": _plan,
    "debate": _plan,
    "budget": _budget,
    "proposal": _proposal,
    "second": lambda old, subject: {"subject": {"entitled": subject == "entitled"}},
    "meant": lambda old, subject: {"subject": {"words": subject}, "question": ""},
}

_PLAIN_STEP: Found = {
    "level": "subtask",
    "back": "",
    "parallel": 1,
    "command": "",
    "config": {},
    "gate": "",
    "outputs": [],
    "human_approval": False,
    "retry_policy": "conservative",
    "context_scope": "",
    "required": False,
    "description": "",
}
_STEPS: dict[str, Found] = {
    "plan": {"type": "plan", "level": "task"},
    "plan_review": {"type": "plan_review", "level": "task", "back": "plan"},
    "implement": {"type": "worker"},
    "rules": {"type": "rules", "back": "implement"},
    "test": {"type": "gate", "back": "implement", "config": {"check": "project"}},
    "review": {"type": "review", "back": "implement", "gate": "review.all_approved"},
    "commit": {"type": "join"},
    "pull": {"type": "pull", "level": "task"},
    "merge": {"type": "merge", "level": "task"},
}
