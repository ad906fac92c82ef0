"""The graph of a workflow while it is put together: steps with their places, then every step in one checked order."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.catalog.validation import Odd, did_you_mean
from agents.catalog.workflow_drafts import Draft, stretches, wrong_attributes, wrong_shape
from agents.catalog.workflows import WorkflowSettings
from agents.catalog.yaml import Where
from agents.domain.workflow import steps as t
from agents.domain.workflow.steps import Predicate, Step, StepLevel, StepType

POLICY = {t.PLAN.name: "default", t.WORKER.name: "aggressive"}  # of calls to models; all others are conservative
RETRIES = 2
_PUT_BACK = (t.RULES, t.JOIN, t.PULL, t.MERGE)
TESTS_GO_TO = "tests/integration/"  # of a test engineer, where nothing else is said
_CHANGELOG, _TESTS = "changelog", ("tests", "project", "unit", "integration")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleKinds:
    """Roles by name, as far as they decide what a step is: those that read, and those that may not see code."""

    reviewers: frozenset[str] = frozenset()
    blind: frozenset[str] = frozenset()


NO_ROLES = RoleKinds()


class Graph:
    def __init__(self, roles: RoleKinds) -> None:
        self.roles = roles
        self.drafts: dict[str, Draft] = {}
        self.initial, self.initial_where = "", Where()
        self._hooks: list[tuple[str, Where]] = []

    def chain_in_order(self) -> None:
        """Steps of a template that extends none follow each other as they are written."""
        names = [*self.drafts, ""]
        for at, draft in enumerate(self.drafts.values()):
            if draft.next is None and "position" not in draft.said:
                draft.next = names[at + 1]

    def place(self, draft: Draft) -> Iterator[Odd]:
        """Put a step where its `position` says, once."""
        if "position" not in draft.said:
            return
        way, _, name = draft.said.pop("position").partition(" ")
        beside = self.drafts.get(name)
        if beside is None or beside is draft:
            others = [other for other in self.drafts if other != draft.name]
            yield draft.place("position"), f"there is no step `{name}`", did_you_mean(name, others)
        elif way == "after":
            draft.next = beside.next if draft.next is None else draft.next
            beside.next = draft.name
        else:
            for other in self.drafts.values():
                if other.next == name and other is not draft:
                    other.next = draft.name
            draft.next = name if draft.next is None else draft.next

    def remove(self, name: str) -> None:
        """Whatever led to the step leads to the one after it."""
        gone = self.drafts.pop(name)
        for draft in self.drafts.values():
            if draft.next == name:
                draft.next = gone.next
            for attribute in ("on_fail", "on_reject"):
                if draft.said.get(attribute) == name:
                    del draft.said[attribute]

    def before_join(self, checks: Sequence[str], where: Where) -> None:
        """Checks that run before work is joined to the task's branch."""
        self._hooks += [(check, (*where, at)) for at, check in enumerate(checks)]

    def complete(self, settings: WorkflowSettings) -> Iterator[Odd]:
        """Add what every workflow has, what hooks ask for, and a person's look where a step wants one."""
        self._free_fixed()
        self._leave_replaced()
        broken = [*self._wrong_edges()]
        yield from broken
        if broken:
            return
        self._set_levels()
        self.add_missing()
        self._blind()
        self._obey(settings)
        for check, where in self._hooks:
            self._insert_before_join(check, where)
        if settings.human_approval is not False:
            for stretch in stretches(self._in_order()[2:]):
                self._ask_person(stretch)

    def _free_fixed(self) -> None:
        """What is in every workflow and was led round is put back where it belongs."""
        order = self._in_order()
        if any(draft.next and draft.next not in self.drafts for draft in self.drafts.values()):
            return
        for name in [name for name, draft in self.drafts.items() if draft.kind in _PUT_BACK and draft not in order]:
            del self.drafts[name]

    def _leave_replaced(self) -> None:
        """Checks that the way leads round go where another layer put one of its own in their place."""
        order = self._in_order()
        if any(draft.next and draft.next not in self.drafts for draft in self.drafts.values()):
            return
        for name, draft in [*self.drafts.items()]:
            end = next((at for at, each in enumerate(order) if each.name == self._goes_on(draft, order)), 0)
            own = any(each.kind is draft.kind and each.where[:-2] != draft.where[:-2] for each in order[:end])
            if draft not in order and draft.kind in (t.GATE, t.REVIEW) and own and not draft.said.get("required"):
                self.remove(name)

    def _goes_on(self, draft: Draft, order: list[Draft]) -> str:
        """The first step of the order that a way beside it leads back to."""
        met = list[Draft]()
        while draft not in order and draft not in met:
            met.append(draft)
            draft = self.drafts.get(draft.next or "", draft)
        return draft.name

    def _set_levels(self) -> None:
        """Work before that which every subtask is for is done once; so is what comes after the handing over."""
        order = self._in_order()
        at = [draft.kind for draft in order]
        first = next((n for n, each in enumerate(order) if each.kind is t.WORKER and each.said.get("required")), 0)
        roles = [each for each in order[:first] if each.kind in (t.WORKER, t.REVIEW)]
        later = order[at.index(t.PULL) + 1 :] if t.PULL in at else []
        for draft in (*roles, *later):
            draft.said.setdefault("level", StepLevel.TASK)

    def _blind(self) -> None:
        """Whoever may not see how things are made works in a folder without it, after those who made it."""
        workers = [each for each in self._in_order() if each.kind is t.WORKER and each.level is StepLevel.SUBTASK]
        for draft in workers[1:]:
            named = (draft.said.get("role"), *(draft.said.get("roles") or ()))
            if self.roles.blind.intersection(named):
                draft.said["config"] = {"files": TESTS_GO_TO, **draft.said.get("config", {}), "blind": True}

    def _obey(self, settings: WorkflowSettings) -> None:
        """What is said of the workflow as a whole becomes what its steps say."""
        asked = [draft for draft in self._in_order() if draft.said.get("gate") == Predicate.SECURITY_PASSED]
        for draft in asked if settings.security_review is False else ():
            if not draft.said.get("required"):
                self.remove(draft.name)
        for draft in asked if settings.dual_review else ():
            draft.said["parallel"] = max(2, draft.said.get("parallel", 1))
        order = self._in_order()
        if settings.audit_trail:
            pull = next(draft for draft in order if draft.kind is t.PULL)
            pull.said["config"] = {**pull.said.get("config", {}), "audit": True}
        if settings.require_changelog and not any(_checks(draft, _CHANGELOG) for draft in order):
            join = [draft for draft in order if draft.kind is t.JOIN][-1]
            self._insert_after(join, _CHANGELOG, t.GATE)
            self.drafts[join.next or ""].said |= {"config": {"check": _CHANGELOG}, "level": StepLevel.TASK}
        _hold_to_coverage(order)

    def _ask_person(self, stretch: list[Draft]) -> None:
        """A person looks before the work is joined, or merged, where a step wants one to."""
        wanted = any(draft.said.get("human_approval") for draft in stretch)
        last = next((at for at, draft in enumerate(stretch) if draft.kind in (t.JOIN, t.MERGE)), None)
        if wanted and last is not None and stretch[last - 1].kind is not t.HUMAN:
            self._insert_after(stretch[last - 1], "approval", t.HUMAN)
            self.drafts[stretch[last - 1].next or ""].said["level"] = stretch[last].level

    def steps(self, settings: WorkflowSettings) -> tuple[tuple[Step, ...], list[Odd]]:
        """In their order, or everything that is wrong with them."""
        order = self._in_order()
        odd = [*wrong_shape(order), *(each for draft in order for each in wrong_attributes(draft))]
        if odd:
            return (), odd
        made: list[Step] = []
        for draft in order:
            wrong, back = _back(draft, [step for step in made if _is_with(step, draft, made)])
            odd += [*wrong, *_wrong_outputs(draft, made)]
            made.append(_resolve(draft, back, made, settings))
        return tuple(made), odd

    def _wrong_edges(self) -> Iterator[Odd]:
        for draft in self.drafts.values():
            if draft.next and draft.next not in self.drafts:
                yield draft.place("next"), f"there is no step `{draft.next}`", did_you_mean(draft.next, self.drafts)
            if draft.said.get("terminal") and "next" in draft.said:
                yield draft.place("next"), "a terminal step has nothing after it", "Remove `next`, or `terminal`."
        if self.initial and self.initial not in self.drafts:
            yield self.initial_where, f"there is no step `{self.initial}`", did_you_mean(self.initial, self.drafts)
        elif self.initial and self.drafts[self.initial].kind is not t.PLAN:
            yield self.initial_where, f"`{self.initial}` is no plan", "Begin with a step of type plan."
        yield from self._wrong_way()

    def _wrong_way(self) -> Iterator[Odd]:
        """From the plan every step must be reached, once."""
        order = self._in_order()
        if not order:
            yield ("workflow",), "it has no step that plans", "Add a step `plan` with `type: plan`."
            return
        if order[-1].next in {draft.name for draft in order}:
            way = " → ".join([*(draft.name for draft in order), order[-1].next or ""])
            yield order[-1].place("next"), f"the steps go in a circle: {way}", "Use on_fail or on_reject to go back."
        left = [draft for draft in self.drafts.values() if draft not in order]
        skips = [draft.places["next"] for draft in order if "next" in draft.places]
        for draft in left:
            if draft.where[:1] == ("workflows",) and skips:
                listed = ", ".join(each.name for each in left)
                step = "Name one of them as the next; what you do not want goes under `disable:`."
                yield skips[-1], f"no step leads to {listed} any more", step
                return
            yield draft.where, f"no step leads to `{draft.name}`", "Give it a `position`, or name it as a `next`."

    def _in_order(self) -> list[Draft]:
        """From the plan along `next`; it stops before a step that was met already."""
        here = next((draft for draft in self.drafts.values() if draft.kind is t.PLAN), None)
        found: dict[str, Draft] = {}
        while here is not None and here.name not in found:
            found[here.name] = here
            here = self.drafts.get(here.next or "")
        return [*found.values()]

    def add_missing(self) -> None:
        """What every workflow has. A graph that leads nowhere is left as it is: `complete` tells what is wrong."""
        if [*self._wrong_edges()]:
            return
        order = self._in_order()
        if not any(draft.kind is t.PLAN_REVIEW for draft in order):
            self._insert_after(order[0], "plan_review", t.PLAN_REVIEW)
        for draft in order:
            after = self.drafts.get(draft.next or "")
            if draft.kind is t.WORKER and (after is None or after.kind is not t.RULES):
                self._insert_after(draft, "rules", t.RULES)
        for kind, name in ((t.JOIN, "commit"), (t.PULL, "pull"), (t.MERGE, "merge")):
            order = self._in_order()
            if any(draft.kind is kind and draft.level is kind.level for draft in order):
                continue
            level = kind.level
            last = [draft for draft in order if level is StepLevel.TASK or draft.level is level] or order
            self._insert_after(last[-1], name, kind)
        opening = stretches(self._in_order()[2:])[0]
        if any(draft.kind is t.WORKER for draft in opening) and not any(draft.kind is t.JOIN for draft in opening):
            self._insert_after(opening[-1], "commit_opening", t.JOIN)

    def _insert_after(self, draft: Draft, name: str, kind: StepType) -> None:
        if name == kind.name and name in self.drafts:
            name = f"{draft.name}_{kind.name}"
        names = itertools.chain([name], (f"{name}_{number}" for number in itertools.count(2)))
        name = next(each for each in names if each not in self.drafts)
        level = draft.level if kind.level is StepLevel.SUBTASK else kind.level
        added = Draft(name=name, where=draft.where, said={"type": kind.name, "level": level}, next=draft.next)
        self.drafts[name], draft.next = added, name

    def _insert_before_join(self, check: str, where: Where) -> None:
        """Before the person who looks at what passed, too, where there is one."""
        order = self._in_order()
        for at, join in enumerate(order):
            if join.kind is t.JOIN:
                before = next(draft for draft in reversed(order[:at]) if draft.kind is not t.HUMAN)
                self._insert_after(before, f"pre_commit_{check}", t.GATE)
                added = self.drafts[before.next or ""]
                added.said["config"], added.where, added.said["level"] = {"check": check}, where, join.level


def _checks(draft: Draft, *names: str) -> bool:
    return draft.kind is t.GATE and draft.said.get("config", {}).get("check") in names


def _hold_to_coverage(order: list[Draft]) -> None:
    """How much a worker's tests must run, the first check after it looks at that runs them."""
    wanted: object = None
    for draft in order:
        config = draft.said.get("config", {})
        if draft.kind is t.WORKER:
            wanted = config.get("coverage")
        elif wanted is not None and (_checks(draft, *_TESTS) or draft.said.get("command")):
            draft.said["config"] = {"coverage": wanted, **config}
            wanted = None


def _wrong_outputs(draft: Draft, before: list[Step]) -> Iterator[Odd]:
    """One name is one step's: whoever reads it must know whose words they are."""
    taken = {name: step.name for step in before for name in step.outputs}
    for name in draft.said.get("outputs", ()):
        if name in taken:
            what = f"`{name}` is what `{taken[name]}` hands in already"
            yield draft.place("outputs"), what, "Give it another name."


def _is_with(step: Step, draft: Draft, made: list[Step]) -> bool:
    """Whether the same subtask goes through both: what the opening one made is joined before the others begin."""
    begun = draft.level is StepLevel.SUBTASK or any(each.level is StepLevel.SUBTASK for each in made)
    return not begun or step.level is StepLevel.SUBTASK


def _back(draft: Draft, before: list[Step]) -> tuple[list[Odd], str]:
    """Where refused work goes: the nearest worker before it, unless the step names another."""
    if not draft.kind.back:
        return [], ""
    wanted = t.PLAN if draft.kind is t.PLAN_REVIEW else t.WORKER
    able = [step for step in before if step.type == wanted.name]
    workers = [step.name for step in able]
    named = draft.said.get(draft.kind.back)
    if named is None or named in workers:
        # whoever only adds to the work, as tests, cannot mend it; but what is found right after is about what was added
        whole = [step.name for step in able if not step.only_adds]
        own = draft.kind is t.RULES and before[-1].type == t.WORKER.name
        return [], named or next(iter((workers if own else whole or workers)[-1:]), "")
    where = draft.place(draft.kind.back)
    step = f"Write one of {', '.join(workers)}." if workers else "Remove it: no worker comes before this step."
    return [(where, f"`{named}` is no {wanted.name} before it", step)], ""


def _resolve(draft: Draft, back: str, before: list[Step], settings: WorkflowSettings) -> Step:
    said, kind = draft.said, draft.kind
    roles = tuple(said.get("roles") or ([said["role"]] if said.get("role") else []))
    retries = next((step.max_retries for step in before if step.name == back), RETRIES)
    parallel = max(said.get("parallel", 1), len(roles), 1)
    single = settings.parallel_reviews is False and not (
        settings.dual_review and said.get("gate") == Predicate.SECURITY_PASSED
    )
    return Step(
        name=draft.name,
        type=kind.name,
        level=draft.level,
        next=draft.next or "",
        back=back,
        roles=roles[:1] if single else roles,
        parallel=1 if single else parallel,
        command=said.get("command", ""),
        config=dict(said.get("config", {})),
        gate=said.get("gate", Predicate.ALL_APPROVED.value) if kind is t.REVIEW else "",
        outputs=tuple(said.get("outputs", ())),
        max_retries=said.get("max_retries", retries),
        human_approval=kind is t.PLAN_REVIEW and bool(said.get("human_approval")),
        retry_policy=said.get("retry_policy", POLICY.get(kind.name, "conservative")),
        context_scope=said.get("context_scope", ""),
        required=bool(said.get("required")),
        description=said.get("description", ""),
    )
