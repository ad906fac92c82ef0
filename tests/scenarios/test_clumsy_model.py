"""A model that means well and gets the form wrong: the walk comes to its right end, and nobody has to mend form.

`make bench ARGS="--only clumsy"` walks 300 of them.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import CodeReview, Evaluation, Opinion, RiskLevel, Score
from agents.domain.planning.review import Critic, CriticSays, Custodiet, CustodietSays, Review
from tests.bench.clumsy.clumsiness import Clumsy
from tests.bench.clumsy.record import rows
from tests.bench.clumsy.stories import ROUND, STORIES, End
from tests.bench.clumsy.walking import walk, wrong_in
from tests.builders.decompositions import subtask
from tests.domain.work.test_dispatching import AT, at_work
from tests.fakes.model_server import Fails, Says

SEED = "clumsy"
pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("number", [2, 5, 12, 35])
async def test_a_walk_with_a_clumsy_model_comes_to_its_right_end(number: int, loaded: None, tmp_path: Path) -> None:
    result = await walk(number, SEED, tmp_path / "home")
    assert result.right, f"{result.story} on {result.wire}: {result.ended} {result.wrong} {result.did}\n{result.thread}"
    assert not result.wrong and not result.by_form


def test_it_errs_as_often_as_it_should_and_never_in_what_it_means() -> None:
    clumsy, asked = Clumsy(seed="a", hang=1), 4_000
    truth = {"verdict": "proceed", "issues": [], "suggestions": ["Add a test"]}
    answers = [clumsy.answer("critic", truth, "tag") for _ in range(asked)]
    plain = json.dumps({**truth, "answer_to": "tag"})
    odd = sum(isinstance(each, Says) and each.text != plain for each in answers) / asked
    assert 0.33 < odd < 0.42, "35 % of odd form and 5 % torn, of those that are answered"
    assert (
        0.02
        < sum(isinstance(each, Says | Fails) and (isinstance(each, Fails) or each.wait > 0) for each in answers) / asked
        < 0.04
    )
    torn = sum(clumsy.did[kind] for kind in ("two objects", "empty", "cut off")) / asked
    assert 0.035 < torn < 0.065
    assert {"fence", "preface", "think", "extra key", "missing optional key", "synonym"} <= clumsy.did.keys()
    again = Clumsy(seed="a", hang=1)
    assert [again.answer("critic", truth, "tag") for _ in range(asked)] == answers, "the same seed errs alike"


def test_a_minion_guesses_as_often_as_it_should_and_never_fails_three_turns_in_a_row() -> None:
    clumsy, asked, in_a_row, worst = Clumsy(seed="a", hang=1), 4_000, 0, 0
    for _ in range(asked):
        said = clumsy.turn("minion 1", (("task_complete", {"summary": "done"}),))
        alone = isinstance(said, Says) and not said.wait and all(name != "task_complete" for name, _ in said.calls)
        in_a_row = in_a_row + 1 if alone else 0
        worst = max(worst, in_a_row)
    assert worst == 2
    shares = {kind: count / asked for kind, count in clumsy.did.items()}
    assert 0.25 < shares["wrong guesses"] < 0.33 and 0.03 < shares["formatter over the tree"] < 0.06
    assert 0.03 < shares["unknown tool"] < 0.07 and 0.03 < shares["done with a failing edit"] < 0.06


def test_a_verdict_that_nobody_gave_is_seen() -> None:
    halt = next(story for story in STORIES if story.name == "halt")
    rejected = next(story for story in STORIES if story.end is End.WORK_REFUSED)
    task = at_work(subtask(1))
    review = Review(critic=CriticSays(verdict=Critic.PROCEED), custodiet=CustodietSays(verdict=Custodiet.OK))
    taken = e.DecompositionApproved(task=task.id, at=AT, number=1, review=review)
    assert wrong_in([taken], halt) == ["critic: proceed"]
    read = CodeReview(reviewer="critic", opinion=Opinion.APPROVED)
    judged = Evaluation(subtask=1, attempt=1, commit="c", tree="t", overall=Score.PASS, gates=(), reviews=(read,))
    approved = e.WorkEvaluated(task=task.id, at=AT, subtask=1, attempt=1, evaluation=judged, risk=RiskLevel.LOW)
    assert wrong_in([approved], rejected) == ["code_review: approved"]


def test_a_miss_a_wrong_verdict_and_a_run_ended_by_form_are_each_over_and_the_rest_goes_on() -> None:
    fine = {"story": "docs", "wire": "chat", "right": True, "ended": "merged", "calls": 9}
    walks = {n: {"number": n, **fine, "wrong": [], "by_form": [], "again": [], "did": {}} for n in range(100)}
    careful = {-1: {"number": -1, **fine, "calls": 8}}
    known = {**careful, **walks}
    assert [row.verdict for row in rows(known, 100, print)] == ["ok"] * 4
    assert rows(known, 300, print)[0].beside == "100 of 300 so far; run it again to go on"
    bad = {
        **walks[0],
        "right": False,
        "ended": "a person is asked",
        "wrong": ["critic: proceed"],
        "by_form": ["errors"],
    }
    some = {**known, **{n: {**bad, "number": n} for n in range(4)}}
    assert [row.verdict for row in rows(some, 100, print)] == ["over", "over", "over", "ok"]
    slow = {n: {**line, "calls": 10} for n, line in walks.items()}
    assert rows({**careful, **slow}, 100, print)[3].verdict == "over", "two calls more than a careful model needs"
    assert rows(careful, 100, print)[0].verdict == "over"


def test_a_round_has_all_stories_and_some_of_its_right_ends_are_a_no() -> None:
    ends = Counter(story.end for story in ROUND)
    assert ends.keys() == set(End) and ends[End.MERGED] / len(ROUND) < 0.8
