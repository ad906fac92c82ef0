"""Steps of a workflow: the types there are, and one step as a task keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class StepLevel(StrEnum):
    """Whether a step is done once for the task, or for each of its subtasks."""

    TASK = "task"
    SUBTASK = "subtask"


class Predicate(StrEnum):
    """What must hold of reviewers' typed verdicts for a review to pass; all of them only add to the first."""

    ALL_APPROVED = "review.all_approved"
    SECURITY_PASSED = "security.passed"  # and nobody named a security concern


class Drafts(StrEnum):
    """When a pull request is a draft."""

    NONE = "none"
    EARLY = "early"  # opened when the rules passed on everything together, ready when all of it did
    END = "end"  # opened when all of it passed, ready when the outside review is over, or the merge is approved


Setting = bool | int | str | tuple[str, ...]  # a value under `config:`


@dataclass(frozen=True, slots=True, kw_only=True)
class StepType:
    """One kind of step. What it does is in agents/flows/steps/."""

    name: str
    level: StepLevel = StepLevel.SUBTASK  # unless the step says otherwise
    obeys: frozenset[str] = frozenset()  # attributes that mean something on it; all others are refused
    config: Mapping[str, type] = field(default_factory=dict)  # what may stand under `config:`; an enum names its values
    back: str = ""  # the attribute that says where refused work goes: on_fail or on_reject
    looks: bool = False  # at the work, by a runner of its own
    tried_whole: bool = False  # its retry policy is about all of it; else each call to a model is tried again by itself
    fixed: bool = False  # part of every workflow: it is added where a file leaves it out, and nothing disables it


_ROLE = frozenset({"role", "retry_policy", "context_scope"})
_AGAIN = frozenset({"max_retries"})
_PERSON = frozenset({"human_approval"})
_POLICY = frozenset({"retry_policy"})  # whatever can fail to come to a result

PLAN = StepType(name="plan", level=StepLevel.TASK, obeys=_ROLE | _AGAIN, fixed=True)
PLAN_REVIEW = StepType(
    name="plan_review",
    level=StepLevel.TASK,
    obeys=_PERSON | _POLICY | {"role"},
    back="on_reject",
    fixed=True,
)
WORKER = StepType(
    name="worker",
    obeys=_ROLE | _AGAIN | _PERSON | {"outputs"},
    config={
        "tdd": bool,
        "skip_edge_cases": bool,
        "add_docstrings": bool,
        "changelog": bool,
        "coverage": int,  # percent of changed lines that tests must run; the checks after it look
        "test_types": tuple,  # that it writes, such as integration or contract
        "min_tests": int,  # that it adds, each with what it tests and why
        "blind": bool,  # it works without the code that it tests
        "files": str,
    },
)
RULES = StepType(name="rules", obeys=_AGAIN | _POLICY, back="on_fail", looks=True, tried_whole=True, fixed=True)
GATE = StepType(
    name="gate",
    obeys=_AGAIN | _PERSON | _POLICY | {"command"},
    config={"check": str, "coverage": int, "remote": bool},
    back="on_fail",
    looks=True,
    tried_whole=True,
)
REVIEW = StepType(
    name="review",
    obeys=_ROLE | _AGAIN | _PERSON | {"roles", "parallel", "gate", "outputs"},
    back="on_reject",
    looks=True,
)
HUMAN = StepType(name="human", obeys=_AGAIN, back="on_reject")
JOIN = StepType(name="join", obeys=_POLICY | _PERSON, tried_whole=True, fixed=True)
PULL = StepType(
    name="pull",
    level=StepLevel.TASK,
    obeys=_POLICY,
    config={"draft": Drafts, "audit": bool},
    tried_whole=True,
    fixed=True,
)
MERGE = StepType(name="merge", level=StepLevel.TASK, obeys=_POLICY, tried_whole=True, fixed=True)

STEP_TYPES: dict[str, StepType] = {
    kind.name: kind for kind in (PLAN, PLAN_REVIEW, WORKER, RULES, GATE, REVIEW, HUMAN, JOIN, PULL, MERGE)
}


ADDED = frozenset({"files", "test_types"})  # what is said of a worker that only adds to the work of others


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One node of a resolved workflow. No defaults: what a task was approved under stays as it was written down, also
    where a later version of the program would choose otherwise."""

    name: str
    type: str  # a name in STEP_TYPES
    level: StepLevel
    next: str  # empty: the last
    back: str  # the worker that refused work goes to (from plan_review: the planner); empty: a person is asked
    roles: tuple[str, ...]  # empty: nobody's, the Overlord does it itself
    parallel: int  # how many read side by side; all must agree
    command: str
    config: dict[str, Setting]
    gate: str  # a Predicate, for a review
    outputs: tuple[str, ...]  # names under which later steps are given what it handed in
    max_retries: int  # how often it may refuse, or be done again, before a person is asked
    human_approval: bool  # of a plan: a person decides, whatever a channel's policy says
    retry_policy: str  # how often it is tried again when it fails to come to a result
    context_scope: str  # what its role reads here; empty: as the role says
    required: bool  # whoever extends the workflow may not disable it
    description: str

    @property
    def waits_for_forge(self) -> bool:
        """Whether the forge's own checks are read and waited for."""
        return bool(self.config.get("remote"))

    @property
    def only_adds(self) -> bool:
        """Whether its worker adds tests or papers to what others wrote, and so cannot mend that."""
        return self.level is StepLevel.SUBTASK and not ADDED.isdisjoint(self.config)

    @property
    def is_blind(self) -> bool:
        """Whether its worker may not see how things are made."""
        return bool(self.config.get("blind"))

    @property
    def role(self) -> str:
        return self.roles[0] if self.roles else ""

    @property
    def kind(self) -> StepType:
        return STEP_TYPES[self.type]
