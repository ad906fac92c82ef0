"""Principles that verdicts cite: by id or title, those for a plan's tags, and what becomes of one that nobody knows."""

import pytest

from agents.catalog.policies import packaged_principles
from agents.domain.planning.points import Principle, find_principle, hold_against, relevant
from agents.domain.planning.review import Citation, Critic, CriticSays, Custodiet, CustodietSays, Finding, Review

KNOWN = (
    Principle(id="A1", title="stay within what was asked for"),
    Principle(id="A12", title="keep no secrets", domains=frozenset({"security"})),
)


@pytest.mark.parametrize(
    ("cited", "id"),
    [
        ("A1", "A1"),
        ("a1", "A1"),
        ("[A1]", "A1"),
        ("A1: stay within", "A1"),
        ("A12 keep no secrets", "A12"),
        ("Stay within  what was asked for.", "A1"),
        ("A2", ""),
        ("A123", ""),
        ("P", ""),
        ("", ""),
        ("do what you like", ""),
    ],
)
def test_a_principle_is_found_by_its_id_or_its_title(cited: str, id: str) -> None:
    found = find_principle(cited, KNOWN)
    assert (found.id if found else "") == id


@pytest.mark.parametrize("cited", ["conventions/errors", "[conventions/errors] Errors", "Conventions/Errors: raise"])
def test_a_projects_own_note_is_cited_by_its_name(cited: str) -> None:
    note = Principle(id="conventions/errors", title="Errors of the shop")
    assert find_principle(cited, (*KNOWN, note)) == note
    assert find_principle(cited, KNOWN) is None


def test_only_those_for_the_plan_are_shown() -> None:
    assert relevant(KNOWN, ()) == KNOWN[:1] and relevant(KNOWN, {"security"}) == KNOWN


def test_a_citation_that_nobody_knows_is_dropped_and_noted() -> None:
    issues = (Finding(what="a", principle=Citation(title="A1")), Finding(what="b", principle=Citation(title="A99")))
    guard = CustodietSays(verdict=Custodiet.WARN, issue="c", principle=Citation(title="KEEP NO SECRETS"))
    held = hold_against(Review(critic=CriticSays(verdict=Critic.REVISE, issues=issues), custodiet=guard), KNOWN)
    assert [str(issue.principle) for issue in held.critic.issues] == ["A1 stay within what was asked for", ""]
    assert held.custodiet.principle == Citation(id="A12", title="keep no secrets") and held.unknown == ("A99",)
    assert [issue.what for issue in held.critic.issues] == ["a", "b"], "the issue itself stays"
    none = Review(critic=CriticSays(verdict=Critic.PROCEED), custodiet=CustodietSays(verdict=Custodiet.OK))
    assert hold_against(none, KNOWN) == none


def test_those_that_come_with_the_program_have_ids_of_their_own() -> None:
    ours = packaged_principles()
    assert len({each.id for each in ours}) == len({each.title for each in ours}) == len(ours) >= 5
    assert all(each.means for each in ours) and relevant(ours, ()), "some are for every plan"
