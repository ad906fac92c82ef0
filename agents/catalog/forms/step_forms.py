"""Steps of workflows as other tools write them: other names for types, gates and settings, and steps without a type."""

from collections.abc import Collection, Mapping
from typing import Any

from agents.domain.workflow import steps as t
from agents.domain.workflow.steps import Drafts, Predicate

TYPE_NAMES = {"orchestrator_gate": t.GATE.name, "human_gate": t.HUMAN.name}
# A verdict is a typed value: whatever words stand here, none is looked for in what a reviewer writes.
GATE_NAMES = {
    "BOTH_APPROVED": Predicate.ALL_APPROVED,
    "REVIEW_STATUS: APPROVED": Predicate.ALL_APPROVED,
    "structured_json_only": Predicate.ALL_APPROVED,
    "BOTH_PASSED": Predicate.SECURITY_PASSED,
    "SECURITY_STATUS: PASSED": Predicate.SECURITY_PASSED,
}
CONFIG_NAMES = {"unit_test_coverage": "coverage", "min_tests_per_component": "min_tests"}
_COMMIT, _PULL = "git commit", "gh pr create"
# What a plan hands in anyway, and what the change log says.
_OF_THE_PLAN = {"plan", "changelog_entry", "task_breakdown", "file_targets"}


def in_our_words(written: Any) -> Any:
    """`retry_policy: {max_attempts: 3, on_failure: ask_human}` says how often a step is done, not by which policy."""
    if not isinstance(written, dict):
        return written
    if isinstance(command := written.get("command"), str):  # a line that goes on is one line to the shell, too
        written = {**written, "command": command.replace("\\\n", " ").strip()}
    written = _typed(written)
    policy = written.get("retry_policy")
    if not isinstance(policy, dict):
        return written
    rest = {name: value for name, value in written.items() if name != "retry_policy"}
    attempts, end = policy.get("max_attempts"), policy.get("on_failure", "ask_human")
    if (
        type(attempts) is not int
        or attempts < 1
        or end != "ask_human"
        or policy.keys() - {"max_attempts", "on_failure"}
    ):
        raise ValueError(
            "this `retry_policy` cannot be used. Write the name of a policy, or "
            "`{max_attempts: 3, on_failure: ask_human}`."
        )
    return {"max_retries": attempts - 1, **rest}


def _typed(written: dict[str, Any]) -> dict[str, Any]:
    """`gate_type: orchestrator` says that we run it, and no worker: so does the type of a gate."""
    if "gate_type" not in written:
        return written
    name, rest = written["gate_type"], {key: value for key, value in written.items() if key != "gate_type"}
    made = TYPE_NAMES.get(f"{name}_gate") if isinstance(name, str) else None
    if made is None:
        raise ValueError("this `gate_type` cannot be used. Write `orchestrator` or `human`, or a `type` of ours.")
    if rest.get("type", made) not in (made, f"{name}_gate"):
        raise ValueError("`gate_type` and `type` do not say the same. Write `type` alone.")
    return {**rest, "type": made}


def named_as_ours(written: Any) -> Any:
    """Settings of a step under the names that we have for them."""
    if not isinstance(written, Mapping):
        return written
    return {CONFIG_NAMES.get(str(name), name): value for name, value in written.items()}


def as_ours(name: str, written: Mapping[str, Any], there: str | None, reviewers: Collection[str]) -> dict[str, Any]:
    """A step with its type. `there`: the type that it has in the workflow below; None: it is new."""
    made = dict(written)
    if made.get("type") == t.GATE.name:
        _of_the_host(made, name, there)
    if there is None and "type" not in made and (guess := _guess(name, made, reviewers)):
        made["type"] = guess
    kind = str(made.get("type", there))
    if kind == t.PLAN.name and _OF_THE_PLAN.issuperset(made.get("outputs", ())):
        made.pop("outputs", None)
    if kind == t.PLAN_REVIEW.name and made.get("gate") == Predicate.ALL_APPROVED:
        del made["gate"]  # it is what lets a plan pass, whatever stands here
    return made


def _of_the_host(made: dict[str, Any], name: str, there: str | None) -> None:
    """Commits and pull requests are made by steps of their own, never by a command in the gate sandbox."""
    command = " ".join(str(made.get("command", "")).split())
    if command in ("", _COMMIT) and t.JOIN.name in (there, {"commit": t.JOIN.name}.get(name)):
        made["type"] = t.JOIN.name
    elif command.startswith(_PULL):
        made["type"] = t.PULL.name
        made["config"] = {"draft": Drafts.END.value} if "--draft" in command.split() else {}
        made.pop("outputs", None)
    else:
        return
    made.pop("command", None)


def _guess(name: str, made: Mapping[str, Any], reviewers: Collection[str]) -> str:
    """What a step is that does not say so; empty: nobody knows. Roles that read do so where nothing is handed in."""
    if name in (t.PLAN.name, t.PLAN_REVIEW.name):
        return name
    if "command" in made:
        return t.GATE.name
    if "gate" in made or len(made.get("roles") or ()) > 1:
        return t.REVIEW.name
    named = {*([made["role"]] if made.get("role") else ()), *(made.get("roles") or ())}
    if named and named <= {*reviewers} and "position" in made and not made.keys() & {"outputs", "config"}:
        return t.REVIEW.name
    return t.WORKER.name if made.keys() & {"role", "roles"} else ""
