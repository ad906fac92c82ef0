"""Feature files: a feature with its phases, components and interfaces as YAML, which becomes a plan."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from agents.catalog.roles.project_roles import told_at
from agents.catalog.validation import Model, Odd, did_you_mean, matching, read_all
from agents.catalog.yaml import BadYaml, Where, parse_yaml
from agents.domain.errors import OverlordError
from agents.domain.phases.phase import InterfaceDraft, InterfaceForm, StartAfter
from agents.domain.planning.decomposition import Decomposition, Need, PlanPhase, Subtask, cycle_in
from agents.domain.planning.plan_faults import Fault, find_faults
from agents.domain.planning.plan_reading import kind_of
from agents.domain.planning.work_kind import HOURS, Confidence, SubtaskSize, WorkKind, minutes_to_review
from agents.domain.text.sanitize import Between, one_line

FORMS = {
    "typescript_interface": InterfaceForm.TYPESCRIPT,
    "ts": InterfaceForm.TYPESCRIPT,
    "jsonschema": InterfaceForm.JSON_SCHEMA,
    "python": InterfaceForm.PYTHON,
    "protocol": InterfaceForm.PYTHON,
}

Id = Annotated[
    str, matching(r"[A-Za-z][A-Za-z0-9_-]{0,59}", "`{}` cannot be used as an id. Use letters, digits, _ and -.")
]
Words = Annotated[str, Field(max_length=300)]


def _one_or_more(written: object) -> object:
    """One name may stand without a list, and nothing for none."""
    return () if written is None else (written,) if isinstance(written, str) else written


def _form(written: object) -> object:
    return FORMS.get(written.casefold(), written.casefold()) if isinstance(written, str) else written


def _some(written: tuple[Any, ...]) -> tuple[Any, ...]:
    if not written:
        raise ValueError("it is empty. Write at least one.")
    return written


def _titled(written: str) -> str:
    if not written.strip():
        raise ValueError("it is empty. Say in one sentence what will be true at the end.")
    return written


def _filled(written: str) -> str:
    if not written.strip():
        raise ValueError("it is empty. Write the text of the interface, indented below `definition: |`.")
    return written


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenInterface:
    name: Id = ""
    type: Annotated[InterfaceForm, BeforeValidator(_form)] | None = None
    definition: Annotated[str, Field(max_length=6_000), AfterValidator(_filled)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenComponent:
    id: Id = ""
    title: Annotated[str, Field(max_length=120)] = ""
    why: Words = ""
    test: Words = ""
    files: Annotated[
        tuple[Annotated[str, Field(max_length=250)], ...], Field(max_length=60), BeforeValidator(_one_or_more)
    ] = ()
    depends_on: Annotated[
        tuple[Annotated[str, Field(max_length=130)], ...], Field(max_length=60), BeforeValidator(_one_or_more)
    ] = ()
    role: Annotated[str, Field(max_length=60)] = ""
    kind: WorkKind | None = None
    size: SubtaskSize = SubtaskSize.MEDIUM
    changes_tests: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPhase:
    id: Id = ""
    title: Annotated[str, Field(max_length=120)] = ""
    sequence: Annotated[int, Between(1, 20)] | None = None
    start_after: StartAfter = StartAfter.PHASES
    components: Annotated[tuple[WrittenComponent, ...], Field(max_length=60), AfterValidator(_some)] = ()
    interfaces: Annotated[tuple[WrittenInterface, ...], Field(max_length=20)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFeature:
    id: Id = ""
    title: Annotated[str, Field(max_length=300), AfterValidator(_titled)] = ""
    why: Words = ""
    phases: Annotated[tuple[WrittenPhase, ...], Field(max_length=20), AfterValidator(_some)] = ()
    external: Annotated[tuple[Words, ...], Field(max_length=200)] = ()  # packages that are no component


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFile:
    """Whatever is required has a default here: what is missing is told with all else that is wrong."""

    feature: WrittenFeature = field(default_factory=WrittenFeature)


FEATURE: Model[FeatureFile] = Model(FeatureFile)


class BadFeature(OverlordError):
    """All that is wrong with a file, a line each."""

    def __init__(self, told: tuple[str, ...]) -> None:
        self.told = told
        super().__init__(
            "The feature file cannot be the plan:\n" + "\n".join(told), next_step="Mend it, and start again."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A file as it was read. `components`: full name and place of each, by its number in the plan."""

    plan: Decomposition
    components: dict[int, tuple[str, Where]]
    external: tuple[str, ...]


def read_feature(name: str, body: bytes | str) -> Feature:
    """The plan that a file holds, without what code adds to each. Raises BadFeature."""
    feature, told = check_feature(name, body)
    if feature is None or told:
        raise BadFeature(told)
    return feature


def check_feature(name: str, body: bytes | str) -> tuple[Feature | None, tuple[str, ...]]:
    """What it holds, if that is a plan, and all that is wrong with it: each with its line and what to write."""
    try:
        document = parse_yaml(body, name=name)
    except BadYaml as problem:
        return None, (str(problem),)
    faults = list[Odd]()
    file: FeatureFile | None = read_all(document.data, FEATURE, faults)
    feature: Feature | None = None
    if file is None and not faults:
        faults.append((("feature",), "it is missing", "Write `feature:` and below it `id`, `title` and `phases`."))
    if file is not None:
        reading, told = _Reading(feature=file.feature), {where for where, _, _ in faults}
        found = [odd for odd in reading.odd() if all(where[: len(odd[0])] != odd[0] for where in told)]
        if not found and 0 < len(reading.components) == _components_in(document.data):
            places = {reading.numbers[full]: (full, where) for full, _, _, where in reading.components}
            feature = Feature(plan=reading.plan, components=places, external=file.feature.external)
            found = [*reading.faults(reading.plan)]
        faults += found
    return feature, tuple(dict.fromkeys(told_at(document, each) for each in faults))


def _components_in(data: Any) -> int:
    """As they are written: where some could not be read, the rest is no plan."""
    phases = data["feature"].get("phases") if isinstance(data.get("feature"), dict) else None
    here = [phase.get("components") for phase in phases if isinstance(phase, dict)] if isinstance(phases, list) else []
    return sum(len(each) for each in here if isinstance(each, list))


@dataclass(kw_only=True)
class _Reading:
    """A component's full name has its phase before it; a name without one means its own phase first."""

    feature: WrittenFeature

    @cached_property
    def order(self) -> list[int]:
        """Where the phases stand in the file, as they are done: by `sequence`, or else in their order there."""
        phases = self.feature.phases
        return sorted(range(len(phases)), key=lambda at: (phases[at].sequence or at + 1, at))

    @cached_property
    def components(self) -> list[tuple[str, WrittenComponent, int, Where]]:
        """Full name, component, number of its phase, and where it stands."""
        return [
            (
                f"{self.feature.phases[at].id}.{each.id}",
                each,
                number,
                ("feature", "phases", at, "components", place),
            )
            for number, at in enumerate(self.order, 1)
            for place, each in enumerate(self.feature.phases[at].components)
        ]

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {full: number for number, (full, *_) in enumerate(self.components, 1)}

    def find(self, named: str, phase: str) -> str:
        """The full name of what a component waits for; empty: there is none, or it could be several."""
        if named in self.numbers:
            return named
        if f"{phase}.{named}" in self.numbers:
            return f"{phase}.{named}"
        others = [full for full in self.numbers if full.partition(".")[2] == named]
        return others[0] if len(others) == 1 else ""

    def odd(self) -> Iterator[Odd]:
        yield from self._missing()
        yield from self._twice()
        needs = dict[int, list[int]]()
        for full, each, number, where in self.components:
            needs[self.numbers[full]] = []
            for at, named in enumerate(each.depends_on):
                place = (*where, "depends_on", at)
                found = self.find(named, full.partition(".")[0])
                if not found:
                    yield place, f"there is no component `{named[:60]}`", self._near(named)
                    continue
                later = self.components[self.numbers[found] - 1][2]
                if later > number:
                    step = "Move one of them into the other's phase, or change `sequence`."
                    yield place, f"`{found}` is in a later phase, so it cannot be done before this", step
                needs[self.numbers[full]].append(self.numbers[found])
        if circle := cycle_in(needs):
            names = [self.components[number - 1][0] for number in circle]
            step = "Take one of them out of `depends_on`."
            where = self.components[circle[0] - 1][3]
            yield (*where, "depends_on"), f"components wait for each other: {' → '.join(names)}", step

    def _near(self, named: str) -> str:
        names = {full.partition(".")[2] for full in self.numbers} if "." not in named else set(self.numbers)
        return did_you_mean(named, names)

    def _missing(self) -> Iterator[Odd]:
        for where, thing, names in self._things():
            for name in names:
                if getattr(thing, name) in ("", (), None):
                    yield (*where, name), "it is missing", f"Add `{name}: …`."

    def _things(self) -> Iterator[tuple[Where, object, tuple[str, ...]]]:
        """Whatever has something that it cannot do without."""
        yield ("feature",), self.feature, ("id", "title", "phases")
        for at, phase in enumerate(self.feature.phases):
            here: Where = ("feature", "phases", at)
            yield here, phase, ("id", "components")
            yield from (((*here, "components", n), each, ("id",)) for n, each in enumerate(phase.components))
            parts = ("name", "type", "definition")
            yield from (((*here, "interfaces", n), each, parts) for n, each in enumerate(phase.interfaces))

    def _twice(self) -> Iterator[Odd]:
        phases = self.feature.phases
        for what, values in (("id", [each.id for each in phases]), ("sequence", [each.sequence for each in phases])):
            for at, value in enumerate(values):
                if value and value in values[:at]:
                    yield ("feature", "phases", at, what), f"another phase has `{value}`", "Write one that is its own."
        for number, phase in enumerate(phases):
            for kind, names in (
                ("components", [each.id for each in phase.components]),
                ("interfaces", [each.name for each in phase.interfaces]),
            ):
                for at, name in enumerate(names):
                    if name and name in names[:at]:
                        key = "id" if kind == "components" else "name"
                        place = ("feature", "phases", number, kind, at, key)
                        yield place, f"another one of this phase is called `{name}`", "Write a name of its own."

    @cached_property
    def plan(self) -> Decomposition:
        phases = tuple(self._phase(number, self.feature.phases[at]) for number, at in enumerate(self.order, 1))
        subtasks = tuple(self._subtask(*each) for each in self.components)
        return Decomposition(
            goal=self.feature.title,
            summary=self.feature.why,
            subtasks=subtasks,
            phases=phases,
            feature=self.feature.id,
        )

    def _phase(self, number: int, phase: WrittenPhase) -> PlanPhase:
        drafts = (
            InterfaceDraft(name=each.name, form=each.type, definition=each.definition)
            for each in phase.interfaces
            if each.type
        )
        title = phase.title or in_words(phase.id)
        return PlanPhase(number=number, title=title, name=phase.id, start_after=phase.start_after, drafts=tuple(drafts))

    def _subtask(self, full: str, each: WrittenComponent, phase: int, where: Where) -> Subtask:
        """What a file leaves out is filled in, and people see that it was."""
        own = full.partition(".")[0]
        needs = dict.fromkeys(self.numbers[self.find(named, own)] for named in each.depends_on)
        missing = {"kind": each.kind is None, "why": not each.why, "test": not each.test}
        return Subtask(
            number=self.numbers[full],
            title=each.title or in_words(each.id),
            why=each.why or f"The feature needs it: {one_line(self.feature.title, 200)}",
            test=each.test or "tests of its own, which the host runs with the project's",
            kind=each.kind or kind_of(None, each.files),
            changes_tests=each.changes_tests,
            role=each.role,
            files=each.files,
            size=each.size,
            hours=HOURS[each.size],
            review_minutes=minutes_to_review(each.size, len(each.files)),
            confidence=Confidence.MEDIUM,
            needs=tuple(Need(number=number) for number in needs),
            phase=phase,
            assumed=tuple(name for name, is_missing in missing.items() if is_missing),
        )

    def faults(self, plan: Decomposition) -> tuple[Odd, ...]:
        """What would be wrong with it as a plan, at the place of the component that it is about."""
        return tuple(self._fault(each, plan) for each in find_faults(plan))

    def _fault(self, fault: Fault, plan: Decomposition) -> Odd:
        what, _, step = fault.text.partition(": ")
        step = f"{step[:1].upper()}{step[1:]}." if step else "Change it."
        said = set(re.findall(r"\b[Ss]ubtask (\d{1,9})\b", what))
        for subtask in (each for each in plan.subtasks if str(each.number) in said):
            named = f"`{self.components[subtask.number - 1][0]}`"
            what = what.replace(f"Subtask {subtask.number} ({subtask.title})", named)
            what = re.sub(rf"\b[Ss]ubtask {subtask.number}\b", named, what)
        if not fault.number:
            return ("feature",), what, step
        key = "depends_on" if fault.field == "after" else fault.field
        where = self.components[fault.number - 1][3]
        return (*where, key) if key in ("files", "depends_on", "role", "kind") else where, what, step


def in_words(id: str) -> str:
    """`user_model` as “User model”."""
    plain = id.replace("_", " ").replace("-", " ").strip()
    return plain[:1].upper() + plain[1:]
