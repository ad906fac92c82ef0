"""How a plan and the argument about it read: marks of kinds, what stops a plan, unknown principles, one sentence."""

from dataclasses import replace

import pytest

from agents.domain.planning.debating import disagreement
from agents.domain.planning.decomposition import PlanPhase, Subtask
from agents.domain.planning.review import (
    Argument,
    Citation,
    Critic,
    CriticSays,
    Custodiet,
    CustodietSays,
    Debate,
    Finding,
    Position,
    Review,
    Round,
    Side,
)
from agents.domain.planning.work_kind import WorkKind
from bot.cards.approved_plan import details
from bot.cards.plan import after_in_words, kind_in_words, plan_rows, subtask_table
from bot.cards.planning.argument import argument_rows
from bot.cards.reasons import put
from bot.cards.scene import Bill
from tests.builders.decompositions import plan, spike, subtask
from tests.builders.planned import Planned

OK = CustodietSays(verdict=Custodiet.OK)


def rows(review: Review) -> list[tuple[str, str]]:
    return [(row.label, row.value) for row in argument_rows(review)]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"kind": WorkKind.FIX}, "fix"),
        ({"kind": WorkKind.REFACTOR, "changes_tests": True}, "refactor, changes existing tests"),
        ({"assumed": ("kind", "size")}, "feature (assumed from its files)"),
        ({"assumed": ("size",)}, "feature"),
    ],
)
def test_a_kind_in_words(changed: dict[str, object], words: str) -> None:
    assert kind_in_words(subtask(1, **changed)) == words
    assert any(line.startswith(f"Kind: {words}; medium; confidence") for line in details(subtask(1, **changed)))


def test_what_comes_first_is_said_as_after() -> None:
    assert [after_in_words(each) for each in (subtask(1), subtask(2, 1), subtask(4, 1, 2, 3))] == [
        "",
        "after 1",
        "after 1, 2 and 3",
    ]


def test_the_table_of_subtasks_has_no_row_for_what_code_added() -> None:
    planned = Planned()
    planned.draft(plan(spike(1), subtask(2, 1, kind=WorkKind.FIX)))
    assert subtask_table(planned.task.plan.draft) == [
        ("1", "part 1", "spike", "medium", "medium", ""),
        ("2", "part 2", "fix", "medium", "medium", "after 1"),
    ]
    assert subtask_table(None) == []


def test_phases_and_what_was_read_are_on_the_card() -> None:
    planned = Planned()
    made = plan(subtask(1), subtask(2, 1, phase=2, role="implementer"))
    phases = (PlanPhase(number=1, title="Storage", interfaces=("Store.get(code)",)), PlanPhase(number=2, title="Use"))
    planned.draft(replace(made, phases=phases, read=("README.md",)))
    shown = {row.label: row.value for row in plan_rows(planned.task, Bill())}
    assert shown["Phase 1"] == "Storage; agreed on: Store.get(code)" and shown["Phase 2"] == "Use"
    assert shown["Planner read"] == "README.md"
    assert shown["T-1.2"].endswith("after 1 · confidence medium · phase 2")


def test_a_change_of_kind_is_a_change_for_whoever_read_the_version_before() -> None:
    def drafted(**more: object) -> Subtask:
        return subtask(1, **more)

    planned = Planned()
    planned.draft(plan(drafted()))
    planned.then([])
    before = planned.task.plan.draft
    changed = replace(planned.task.plan, previous=before, draft=plan(drafted(changes_tests=True)))
    shown = {row.label: row.value for row in plan_rows(replace(planned.task, plan=changed), Bill())}
    assert shown["T-1.1"].startswith("Changed: part 1 · feature, changes existing tests")


def test_a_stop_of_the_critic_names_all_that_is_needed() -> None:
    issue = Finding(what="It deletes data", fix="Archive it", principle=Citation(id="A3", title="destroy nothing"))
    said = rows(Review(critic=CriticSays(verdict=Critic.HALT, issues=(issue,)), custodiet=OK))
    assert said == [
        ("Critic", "stops it: It deletes data"),
        ("Principle", "A3 destroy nothing"),
        ("To resolve it", "Archive it"),
        ("Scope guard", "within the request"),
    ]
    bare = rows(Review(critic=CriticSays(verdict=Critic.HALT), custodiet=OK))
    assert bare[:3] == [
        ("Critic", "stops it"),
        ("Principle", "none cited"),
        ("To resolve it", "say what should change"),
    ]


def test_an_issue_has_its_fix_and_a_principle_that_nobody_knows_is_noted() -> None:
    issue = Finding(what="No dashboard was asked for", fix="leave it out", principle=Citation(id="A1", title="x"))
    said = rows(
        Review(critic=CriticSays(verdict=Critic.REVISE, issues=(issue,)), custodiet=OK, unknown=("A99", "be nice"))
    )
    assert said[0] == ("Critic", "asks for changes: No dashboard was asked for (A1) → leave it out")
    assert said[-1] == ("Cited", "A99, be nice: no such principle, so it was left out")


@pytest.mark.parametrize(
    ("critic", "guard", "said"),
    [
        ("They differ on the archive", "", "They differ on the archive."),
        ("", "They differ on the archive!", "They differ on the archive."),
        ("One. Two.", "They differ on the archive.", "They differ on the archive."),
        ("One. Two.", "word " * 41, "The critic says: it grows; the scope guard says: it was asked for."),
        ("", " ", "The critic says: it grows; the scope guard says: it was asked for."),
    ],
)
def test_the_core_of_a_debate_is_one_sentence(critic: str, guard: str, said: str) -> None:
    held = Review(critic=CriticSays(verdict=Critic.REVISE), custodiet=OK)
    one = Argument(side=Side.CRITIC, position=Position.MAINTAIN, point="it grows", tension=critic)
    other = Argument(side=Side.CUSTODIET, position=Position.MAINTAIN, point="it was asked for", tension=guard)
    held_debate = Debate(began=held, now=held, rounds=(Round(number=1, critic=one, custodiet=other),))
    assert put(disagreement(held_debate)) == said
