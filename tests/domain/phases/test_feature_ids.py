"""When phases begin, and what they are called."""

from dataclasses import replace

from agents.catalog.forms.feature_files import read_feature
from agents.catalog.library import load_catalog
from agents.domain.ids import TaskId
from agents.domain.phases.feature_ids import component_ids, phase_id
from agents.domain.phases.phase import StartAfter
from agents.domain.planning.decomposition import Decomposition, PlanPhase, with_closing
from agents.domain.planning.opening import with_opening, without_early_starts
from agents.domain.planning.plan_faults import faults
from tests.builders.decompositions import subtask

TASK = TaskId("T-14")
WORKFLOWS = load_catalog().workflows
LOCKING, USUAL = WORKFLOWS["enterprise"], WORKFLOWS["default"]


def plan_of(*phases: PlanPhase) -> Decomposition:
    """Two in the first phase, two in the second, of which the last waits for the first of all; one in the third."""
    steps = (
        subtask(1, files=("a.py",)),
        subtask(2, files=("b.py",)),
        subtask(3, files=("c.py",), phase=2),
        subtask(4, 1, files=("d.py",), phase=2),
        subtask(5, files=("e.py",), phase=3),
    )
    return with_closing(Decomposition(goal="It works", subtasks=steps, phases=phases))


EARLY = PlanPhase(number=2, title="Pages", start_after=StartAfter.INTERFACES)


def test_phases_wait_for_each_other() -> None:
    assert plan_of().blocking()[3] == (1, 2)


def test_a_phase_may_begin_as_soon_as_interfaces_are_locked() -> None:
    plan = with_opening(without_early_starts(plan_of(EARLY), LOCKING), LOCKING)
    waits = {number: set(needs) for number, needs in plan.blocking().items()}
    assert plan.subtasks[0].opening
    assert waits[4] == {1} and waits[5] == {1, 2}, "the interfaces, and what it names itself"
    assert waits[6] == {1, 2, 3, 4, 5}, "the next phase waits for all before it, as ever"
    assert plan.order()[1] == [2, 3, 4]


def test_where_nobody_writes_interfaces_it_waits_and_people_are_told() -> None:
    plan = without_early_starts(plan_of(EARLY), USUAL)
    assert set(plan.blocking()[3]) == {1, 2}
    assert "Phase 2 was to begin as soon as interfaces are locked" in plan.issues[0].what


def test_phases_that_overlap_must_not_write_one_file() -> None:
    clash = plan_of(EARLY)
    clash = replace(clash, subtasks=tuple(replace(s, files=("a.py",)) if s.number == 3 else s for s in clash.subtasks))
    assert any("writes a.py as subtask 1 does" in each for each in faults(clash))
    apart = replace(clash, phases=(replace(EARLY, start_after=StartAfter.PHASES),))
    assert not any("writes a.py" in each for each in faults(apart))


def test_components_and_phases_have_ids_of_their_own_beside_ours() -> None:
    plan = with_opening(plan_of(EARLY), LOCKING)
    assert component_ids(plan, TASK) == {
        2: "T14-PH1-C1",
        3: "T14-PH1-C2",
        4: "T14-PH2-C1",
        5: "T14-PH2-C2",
        6: "T14-PH3-C1",
    }, "what code added before and after is none"
    named = read_feature(
        "x", "feature: {id: P1T5, title: x, phases: [{id: a, sequence: 4, components: [{id: b, files: a.py}]}]}"
    ).plan
    assert component_ids(named, TASK) == {1: "P1T5-PH1-C1"} and phase_id(named, TASK, 1) == "P1T5-PH1"
