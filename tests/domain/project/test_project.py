"""What a project remembers: proposals that wait, until each is decided on by itself."""

import pytest

from agents.domain import events as e
from agents.domain.errors import IllegalMove
from agents.domain.ids import PersonId, project_id
from agents.domain.project.project import Project, begin, evolve
from tests.builders.proposals import AT, TASK, proposal_of

SHOP, ANA = project_id("shop"), PersonId("ana")
FIRST, SECOND = proposal_of("There is no compiler"), proposal_of("There is no linter")


def waiting(project: Project) -> list[str]:
    return [each.proposal.title for each in project.proposals]


@pytest.fixture
def project() -> Project:
    made = [e.ProposalMade(task=TASK, project=SHOP, at=AT, proposal=each) for each in (FIRST, SECOND)]
    return evolve(begin(made[0]), made[1])


def test_a_decision_takes_away_the_proposal_that_it_is_about_alone(project: Project) -> None:
    assert waiting(project) == [FIRST.title, SECOND.title] and project.name == "shop"
    approved = e.ProposalApproved(task=TASK, project=SHOP, at=AT, proposal=SECOND.id, by=ANA)
    assert waiting(evolve(project, approved)) == [FIRST.title]
    rejected = e.ProposalRejected(task=TASK, project=SHOP, at=AT, proposal=FIRST.id, by=ANA, reason="no")
    assert waiting(evolve(project, rejected)) == [SECOND.title]
    assert waiting(evolve(evolve(project, approved), rejected)) == []


def test_what_is_about_a_task_is_no_fact_about_a_project(project: Project) -> None:
    with pytest.raises(IllegalMove, match="TaskCancelled is no fact about a project"):
        evolve(project, e.TaskCancelled(task=TASK, at=AT, by=ANA, reason="enough"))


def test_what_is_known_of_its_ground_is_the_last_that_was_found_out(project: Project) -> None:
    about = {"task": TASK, "project": SHOP, "at": AT}
    said = e.SetupProposed(**about, clue="c", commands=("make deps",), files=("Makefile",), why="it says so")  # type: ignore[arg-type]
    proposed = evolve(project, said).proposed
    assert proposed and (proposed.clue, proposed.commands, proposed.files, proposed.why) == (
        "c",
        ("make deps",),
        ("Makefile",),
        "it says so",
    )
    allowed = [e.SetupAllowed(**about, consent=each, commands=(each,), by=ANA) for each in ("a", "b", "a")]  # type: ignore[arg-type]
    for fact in allowed:
        project = evolve(project, fact)
    assert project.consents == ("b", "a"), "each once, the latest last"


def test_how_models_did_at_control_questions_is_remembered(project: Project) -> None:
    for missed in (True, False):
        project = evolve(
            project, e.ReviewerTried(task=TASK, project=SHOP, at=AT, model="m", question="q", missed=missed)
        )
    assert [(each.model, each.missed) for each in project.tried] == [("m", (True, False))]
