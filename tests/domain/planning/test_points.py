"""Which points of the reviewers go on into the work when a plan is approved, and to whom they are told."""

from agents.domain.planning.points import LONGEST, MOST, points_for, points_of
from agents.domain.planning.review import Advice, Critic, CriticSays, Custodiet, CustodietSays, Finding, Point, Review

ISSUE = Finding(what="No test for a race", fix="Add one", subtask=2)
ADVICE = Advice(specialist="security", concerns=("It tells which accounts exist",), suggestions=("One message",))
GO = CriticSays(verdict=Critic.PROCEED, issues=(ISSUE,), assumptions=("one process",))
NOTE = CustodietSays(verdict=Custodiet.WARN, issue="It grows", suggestion="Leave it out")


def test_what_was_shown_with_an_approved_plan_goes_on() -> None:
    made = points_of(Review(critic=GO, custodiet=NOTE, advice=(ADVICE,)))
    assert made == (
        Point(by="critic", what="No test for a race", fix="Add one", subtask=2),
        Point(by="critic", what="untested: one process"),
        Point(by="custodiet", what="It grows", fix="Leave it out"),
        Point(by="security", what="It tells which accounts exist"),
        Point(by="security", what="One message"),
    )


def test_what_a_person_overruled_does_not() -> None:
    """They went on as proposed though one of the two asked for a change."""
    wants = CriticSays(verdict=Critic.REVISE, issues=(ISSUE,), changes=("Add a test",))
    assert points_of(Review(critic=wants, custodiet=CustodietSays(verdict=Custodiet.OK))) == ()
    asks = CustodietSays(verdict=Custodiet.WARN, issue="It grows", asks_for_change=True)
    assert points_of(Review(critic=CriticSays(verdict=Critic.PROCEED), custodiet=asks)) == ()
    assert points_of(None) == ()


def test_a_point_about_one_subtask_is_told_there_and_to_who_judges_the_whole() -> None:
    points = (Point(by="critic", what="a", fix="b", subtask=2), Point(by="data", what="c"))
    assert points_for(points, 1) == ["data: c"]
    assert points_for(points, 2) == points_for(points, 0) == ["critic: a Suggested: b", "data: c"]


def test_a_flood_of_points_is_cut() -> None:
    many = CriticSays(verdict=Critic.PROCEED, issues=tuple(Finding(what="x" * 900) for _ in range(40)))
    made = points_of(Review(critic=many, custodiet=CustodietSays(verdict=Custodiet.OK)))
    assert len(made) == MOST and all(len(point.what) <= LONGEST for point in made)
