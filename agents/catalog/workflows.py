"""Workflows as YAML: the templates in manifests/workflows/, and what overlord.yaml adds to them or changes in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, Strict

from agents.catalog.forms.step_forms import GATE_NAMES, TYPE_NAMES, in_our_words, named_as_ours
from agents.catalog.validation import Model, Name, Named, Title, add_names, did_you_mean
from agents.domain.checks.evaluation import Command
from agents.domain.text.sanitize import Between
from agents.domain.workflow.steps import STEP_TYPES, Predicate, Setting, StepLevel

MOST_RETRIES = 5  # each is paid for
MOST_READERS = 2  # there are two models that read finished work: critic and custodiet
MOST_STEPS = 50


def _step_type(written: str) -> str:
    found = TYPE_NAMES.get(written, written)
    if found not in STEP_TYPES:
        raise ValueError(f"there is no step type `{written[:60]}`. {did_you_mean(written, STEP_TYPES)}")
    return found


def _predicate(written: str) -> str:
    found = GATE_NAMES.get(written, written)
    if found not in [*Predicate]:
        raise ValueError(f"`{written[:60]}` is no gate of a review. Write one of {', '.join(Predicate)}.")
    return str(found)


def _position(written: str) -> str:
    where, _, name = written.partition(" ")
    if where not in ("after", "before") or not name.isidentifier():
        raise ValueError(f"`{written[:60]}` is no place. Write `after` or `before` and the name of a step.")
    return written


def _readers(written: object) -> object:
    """`parallel: true` is short for two."""
    return MOST_READERS if written is True else 1 if written is False else written


def _true(written: bool) -> bool:
    if not written:
        raise ValueError("work is always handed over. Remove it.")
    return written


Flag = Annotated[bool, Strict()]
Retries = Annotated[int, Between(0, MOST_RETRIES)]
_Names = Annotated[tuple[Name, ...], Field(max_length=10)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPart:
    """A step as it is written: what is not said is as in the workflow it extends. Every attribute can be absent."""

    name: Title = ""
    type: Annotated[str, AfterValidator(_step_type)] | None = None
    level: StepLevel | None = None
    description: Annotated[str, Field(max_length=500)] | None = None
    next: Name | None = None
    position: Annotated[str, AfterValidator(_position)] | None = None
    terminal: Flag | None = None
    required: Flag | None = None
    role: Name | None = None
    roles: _Names | None = None
    parallel: Annotated[int, Between(1, MOST_READERS), BeforeValidator(_readers)] | None = None
    command: Command | None = None
    config: Annotated[Mapping[Name, Setting], BeforeValidator(named_as_ours)] | None = None
    gate: Annotated[str, AfterValidator(_predicate)] | None = None
    outputs: _Names | None = None
    on_fail: Name | None = None
    on_reject: Name | None = None
    max_retries: Retries | None = None
    human_approval: Flag | None = None
    retry_policy: Name | None = None
    context_scope: Name | None = None


WrittenStep = Annotated[StepPart, BeforeValidator(in_our_words)]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowSettings:
    """For all steps of a workflow."""

    require_tests: Flag | None = None  # whether minions are told to add tests; existing ones are always run
    parallel_reviews: Flag | None = None  # false: one reader, whatever a step says
    human_approval: Flag | None = None  # false: no approvals beside those that risk and policy ask for
    security_review: Flag | None = None  # false: without reviews that ask for `security.passed`
    dual_review: Flag | None = None  # true: two read wherever `security.passed` is asked for, whatever else is said
    audit_trail: Flag | None = None  # true: who did and decided what is kept as one document, and linked at the merge
    require_changelog: Flag | None = None  # true: everything together must add to the change log
    auto_pr: Annotated[Flag, AfterValidator(_true)] | None = None  # work is always handed over


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    pre_commit: _Names = ()  # checks of the project that run before work is joined to the task's branch


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowPart:
    """A template, or what overlord.yaml lays over one."""

    name: Title = ""
    extends: Annotated[str, Field(max_length=60)] = ""
    description: Annotated[str, Field(max_length=500)] = ""
    initial_step: Name = ""
    settings: WorkflowSettings = field(default_factory=WorkflowSettings)
    hooks: Hooks = field(default_factory=Hooks)
    steps: Annotated[Named[WrittenStep], Field(max_length=MOST_STEPS)] = field(default_factory=dict)
    disable: _Names = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenWorkflow(WorkflowPart):
    """What overlord.yaml says under `workflow:`: which template, and what is different here."""

    template: str = "default"
    on_request: Annotated[tuple[str, ...], Field(max_length=MOST_STEPS)] | None = None  # what a request may choose
    overrides: Annotated[Named[WrittenStep], Field(max_length=MOST_STEPS)] = field(default_factory=dict)


def _template_name(written: str) -> str:
    if not written.removeprefix("_").isidentifier() or not written.islower():
        raise ValueError(f"`{written[:60]}` cannot be used as a name. Use small letters, digits and underscores.")
    return written


TemplateName = Annotated[str, AfterValidator(_template_name)]  # one that begins with _ is only there to be extended
WorkflowsByName = Annotated[Mapping[TemplateName, WorkflowPart], BeforeValidator(add_names)]
TEMPLATES: Model[Mapping[str, WorkflowPart]] = Model(WorkflowsByName)
WORKFLOW: Model[WorkflowPart] = Model(WorkflowPart)
CHOSEN: Model[ChosenWorkflow] = Model(ChosenWorkflow)
