"""Enterprise and what is made of it, walked to a merge; and a refusal with a second attempt at each step of them."""

from collections import Counter
from dataclasses import dataclass, field
from functools import partial

import pytest

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.subject import OfStep
from agents.domain.events import StepPassed, StepRefused
from agents.domain.ids import DecisionId
from agents.domain.work.work import SubtaskState
from agents.ports import Ask, Candidate, Judged, Show, show_nothing
from tests.fakes.work import ScriptedGates, ScriptedMinions, Workshop, failing
from tests.scenarios.conftest import BY_TURNS, THREE, Opened, Play, on
from tests.scenarios.plans import GO, OK, REVISE, WARN, Says, subtask
from tests.scenarios.stage import until
from tests.scenarios.test_workflow_templates import DISSENT, under
from tests.scenarios.working import APPROVED, at_work, given, wished

STAGES = BY_TURNS
STEPS = {
    "with_test_engineer": [
        *("rules", "test", "integration_tests_rules", "integration_test_gate", "review", "ci"),
    ],
    "enterprise": [
        *("rules", "interface_check", "pre_commit_lint", "pre_commit_type_check"),
        *("implement_rules", "unit_test_gate", "drift_check", "integration_tests_rules", "integration_test_gate"),
        *("security_review", "code_review", "pre_commit_lint_2", "pre_commit_type_check_2", "ci_gate"),
    ],
    "security_critical": [
        *("rules", "interface_definition_rules", "interface_check", "pre_commit_lint", "pre_commit_type_check"),
        *("implement_rules", "unit_test_gate", "drift_check", "integration_tests_rules", "integration_test_gate"),
        *("penetration_test_rules", "penetration_test_gate", "security_review", "code_review"),
        *("pre_commit_lint_2", "pre_commit_type_check_2", "ci_gate"),
    ],
}
FAMILY = tuple(STEPS)
OPENING = ("rules", "interface_definition_rules", "interface_check", "pre_commit_lint", "pre_commit_type_check")
CHECK = {  # what the gates are asked for at a step, and whose work they look at; nobody's: whoever worked last
    "rules": ("rules", ""),
    "interface_definition_rules": ("rules", "interface_definition"),
    "implement_rules": ("rules", "implement"),
    "integration_tests_rules": ("rules", "integration_tests"),
    "penetration_test_rules": ("rules", "penetration_test"),
    "test": ("project", ""),
    "interface_check": ("interfaces", ""),
    "drift_check": ("interfaces", ""),
    "unit_test_gate": ("unit", ""),
    "integration_test_gate": ("integration", ""),
    "penetration_test_gate": ("tests", ""),
    "pre_commit_lint": ("lint", ""),
    "pre_commit_type_check": ("type_check", ""),
    "pre_commit_lint_2": ("lint", ""),
    "pre_commit_type_check_2": ("type_check", ""),
    "ci": ("ci", ""),
    "ci_gate": ("ci", ""),
}
REVIEWS = {
    "review": "code_review",
    "security_review": "code_review",  # the first of them
    "code_review": "code_review.code_review",
}


@dataclass
class RefusingGates(ScriptedGates):
    """Refuses once each: the check, the subtask, and the step whose minion worked last."""

    refuses: set[tuple[str, int, str]] = field(default_factory=set)
    minions: ScriptedMinions = field(default_factory=ScriptedMinions)

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        number = int(candidate.log.partition(".")[2].partition("-")[0])
        worker = next((b.step.name for b in reversed(self.minions.briefs) if b.subtask.number == number), "")
        for key in ((candidate.check, number, worker), (candidate.check, number, "")):
            if key in self.refuses:
                self.refuses.discard(key)
                return Judged(gates=(failing(candidate.check),))
        return await super().judge(candidate, show)


async def to_merge(play: Play, thread: str) -> None:
    """Press on wherever a person is asked to look, until it is merged."""

    async def next_asked() -> Kind | None:
        kinds = [d.kind for d in (await play.task()).open]
        assert Kind.ESCALATION not in kinds and Kind.STUCK not in kinds, kinds
        return next((kind for kind in (Kind.GATE, Kind.MERGE) if kind in kinds), None)

    while await until(next_asked, "a gate or the merge", 60) is Kind.GATE:
        gate = (await play.task()).of_kind(Kind.GATE)
        assert gate and isinstance(gate.subject, OfStep)
        await play.sees("lead", thread, f"T-1.{gate.subject.subtask} passed its checks", offers="Continue")
        await play.stage.press("lead", thread, "Continue")

        asked = gate.id

        async def is_closed(asked: DecisionId = asked) -> bool:
            return all(d.id != asked for d in (await play.task()).open)

        await until(is_closed, "the press")
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")


@on("console")
@pytest.mark.parametrize("template", FAMILY)
async def test_a_template_is_walked_to_its_merge(opened: Opened, template: str) -> None:
    await walk(opened, template)


@on(*THREE[1:])
async def test_enterprise_is_walked_on_other_platforms(opened: Opened) -> None:
    await walk(opened, "enterprise")


async def walk(opened: Opened, template: str) -> None:
    work = Workshop()
    play, thread = await at_work(opened, given(work, under(template)))
    await to_merge(play, thread)
    task = await play.task()
    assert task.plan.workflow and task.plan.workflow.name == template
    passed = {fact.event.step for fact in await play.log() if isinstance(fact.event, StepPassed)}
    assert [step for step in STEPS[template] if step not in passed] == [], "every step was done"
    worked = [(brief.subtask.number, brief.step.name, brief.step.role) for brief in work.minions.briefs]
    first = task.work.subtasks[0].number
    if template != "with_test_engineer":
        assert (first, "interface_definition", "tech_lead") in worked and task.plan.subtask(first).opening
    assert worked[-1][1:] in {("integration_tests", "test_engineer"), ("penetration_test", "security_auditor")}
    assert len(work.forge.merged) == 1
    trail = work.artefacts.kept.get("T-1.audit", "")
    assert bool(trail) is (template == "security_critical")
    if trail:
        assert "security review passed" in trail and "under the workflow security_critical" in trail


def refusals(template: str) -> list[tuple[str, int]]:
    """Each step once, with the subtask that it refuses: at most two of each subtask."""
    whole = [step for step in STEPS[template] if step in ("ci", "ci_gate")]
    before = [step for step in STEPS[template] if step in OPENING and template != "with_test_engineer"]
    rest = [step for step in STEPS[template] if step not in (*whole, *before)]
    first = 2 if before else 1
    ordinary = [(step, first + at // 2) for at, step in enumerate(rest)]
    last = max(number for _, number in ordinary) + 1
    return [*((step, 1) for step in before), *ordinary, *((step, last) for step in whole)]


@pytest.mark.parametrize("template", FAMILY)
async def test_what_each_step_refuses_is_done_again_and_merged(opened: Opened, template: str) -> None:
    wanted = refusals(template)
    minions = ScriptedMinions()
    keys = {(CHECK[step][0], number, CHECK[step][1]) for step, number in wanted if step in CHECK}
    work = Workshop(minions=minions, gates=RefusingGates(refuses=keys, minions=minions))
    against = {f"{REVIEWS[step]}:critic:{number}" for step, number in wanted if step in REVIEWS}

    async def read(asked: Ask) -> Says:
        said = asked.step.rpartition(":")[0]
        if said in against:
            against.discard(said)
            return DISSENT
        return APPROVED

    opening = template != "with_test_engineer"
    parts = sorted({number for step, number in wanted if step not in ("ci", "ci_gate")} - ({1} if opening else set()))
    plan: Says = {
        "status": "COMPLETE",
        "goal": "Logging in works",
        "subtasks": [subtask(f"Part {number}", files=[f"part_{number}.py"]) for number in parts],
    }
    slow = (
        ("threat_modeling", "interface_definition")
        if "penetration_test_gate" in STEPS[template]
        else ("interface_definition",)
    )
    overrides = ", ".join(f"{step}: {{{{max_retries: 5}}}}" for step in slow)
    config = (
        under(template) if not opening else f"workflow: {{{{template: {template}, overrides: {{{{{overrides}}}}}}}}}\n"
    )
    scene = given(work, config, decompose=plan, code_review=read)
    play, thread = await at_work(opened, scene)
    await to_merge(play, thread)
    refused = Counter(
        (fact.event.step, fact.event.subtask) for fact in await play.log() if isinstance(fact.event, StepRefused)
    )
    assert refused == Counter(wanted)
    assert {each.state for each in (await play.task()).work.subtasks} == {SubtaskState.DONE}


async def gate_of(play: Play, other: DecisionId | None = None) -> DecisionId | None:
    """The open question about a step, where it is another one than that."""
    gate = (await play.task()).of_kind(Kind.GATE)
    return gate.id if gate and gate.id != other else None


@on("console")
async def test_what_people_refuse_goes_back_to_whoever_can_mend_it(opened: Opened) -> None:
    """The plan, the interfaces, a subtask and the whole: each is sent back once."""
    said = {"critic": [REVISE], "custodiet": [WARN]}

    async def read(asked: Ask) -> Says:
        return (said[asked.question] or [{"critic": GO, "custodiet": OK}[asked.question]]).pop()

    work = Workshop()
    play = await opened(given(work, under("enterprise"), critic=read, custodiet=read))
    thread = await play.stage.say("ana", "add a login page", mention=True)
    await play.sees("ana", thread, "please look at the plan, version 2")
    await play.stage.press("lead", thread, "Approve plan")
    for number in (1, 2):
        await play.sees("lead", thread, f"T-1.{number} passed its checks", offers="Ask for a fix")
        asked = await until(partial(gate_of, play), "the first question")
        await play.stage.press("lead", thread, "Ask for a fix", words=f"say more in {number}")
        await until(partial(gate_of, play, asked), "the second question", 60)
        await play.sees("lead", thread, f"T-1.{number} passed its checks", offers="Continue")
        await play.stage.press("lead", thread, "Continue")
    await play.sees("lead", thread, "T-1.3 passed its checks", offers="Continue")
    await play.stage.press("lead", thread, "Continue")
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.stage.press("lead", thread, "Request changes", words="say more in all")
    await to_merge(play, thread)
    worked = [(brief.subtask.number, brief.step.name) for brief in work.minions.briefs]
    both = ["implement", "integration_tests"]
    assert worked[:2] == [(1, "interface_definition")] * 2
    assert worked[2:6] == [(2, step) for step in (*both, *both)]
    assert worked[6:] == [(3, step) for step in ("integration_tests", *both)]
    fixed = [brief for brief in work.minions.briefs if wished(brief)]
    assert [(brief.subtask.number, brief.step.name) for brief in fixed][:2] == [(1, worked[1][1]), (2, "implement")]
