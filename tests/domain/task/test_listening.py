"""Wishes: which words are kept as one, of whom, and what ends or outranks them."""

import pytest

from agents.domain import events as e
from agents.domain.asking import remarks
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions import answering
from agents.domain.decisions.answering import Utterance
from agents.domain.decisions.authority import Kind, NotYours, Presser
from agents.domain.decisions.kind import Question
from agents.domain.decisions.subject import OfHead, OfRun, OfStep, Subject
from agents.domain.decisions.table import KINDS, ask
from agents.domain.planning.planning import Clarify
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.task import decide
from agents.domain.task.decide import Weighed
from agents.domain.task.fold import evolve, replay
from agents.domain.task.listening import FROM_DECISIONS
from agents.domain.task.task import Task
from agents.domain.task.wishes import ALL, LONGEST, Source, Standing, fit, for_prompt
from tests.builders.decompositions import plan, subtask
from tests.builders.planned import Planned
from tests.builders.steered import ANA, APPROVER, BO, CY, OWNER, moment
from tests.builders.wishes import wish

HEARD = Presser(person=CY)
RUN = OfRun(subtask=1, attempt=1)
STEP = OfStep(subtask=1, attempt=1, commit="c0ffee", risk=RiskLevel.LOW)
HEAD = OfHead(commit="c0ffee", risk=RiskLevel.LOW)
ABOUT: dict[Kind, Subject | None] = {
    Kind.GATE: STEP,
    Kind.CHECKS: STEP,
    Kind.ACCEPT_TESTS: STEP,
    Kind.ESCALATION: RUN,
    Kind.SCOPE: RUN,
    Kind.INTERFACE: RUN,
    Kind.MERGE: HEAD,
    Kind.OUTSIDE_REVIEW: HEAD,
    Kind.CORRECTION: None,
}


@pytest.fixture
def planned() -> Planned:
    return Planned()


def words(task: Task) -> list[str]:
    return [wish.words for wish in task.wishes]


def shown(planned: Planned) -> Task:
    planned.draft(plan(subtask(1)))
    return planned.review(Critic.PROCEED, Custodiet.OK)


def at_work(planned: Planned) -> Task:
    shown(planned)
    return planned.press(Kind.PLAN, "approve")


def test_a_clarification_outlives_a_plan_that_was_sent_back(planned: Planned) -> None:
    task = planned.draft(Clarify(question="Which database?"))
    planned.then(answering.reply(task, Utterance(text="the one in docker"), OWNER, planned.moment()))
    planned.draft()
    task = planned.review(Critic.REVISE, Custodiet.WARN, asks=True)
    assert task.plan.feedback, "what was found"
    (kept,) = task.wishes
    assert (kept.by, kept.about, kept.words) == (ANA, "Which database?", "the one in docker")
    assert kept.source is Source.CLARIFICATION


def test_every_word_on_a_plan_is_kept_with_whoever_said_it(planned: Planned) -> None:
    shown(planned)
    task = planned.press(Kind.PLAN, "changes", "leave the reset link out", by=HEARD)
    shown(planned)
    task = planned.press(Kind.PLAN, "narrow", "only the form")
    assert [(w.by, w.words, w.entitled, w.number) for w in task.wishes] == [
        (CY, "leave the reset link out", False, 1),
        (BO, "Do less: only the form", True, 2),
    ]
    assert not task.plan.feedback and task.plan.asked == 2


def test_a_remark_that_becomes_a_change_is_one_wish(planned: Planned) -> None:
    task = shown(planned)
    (remark,) = answering.reply(task, Utterance(text="no logo, please"), OWNER, planned.moment())
    assert isinstance(remark, e.RemarkMade)
    task = planned.then([remark])
    understood = remarks.Understood(intent=remarks.Intent.CHANGE, confidence=0.9)
    task = planned.then(remarks.after_remark(task, remark, understood, planned.moment()))
    assert [(wish.words, wish.source) for wish in task.wishes] == [("no logo, please", Source.PLAN)]


@pytest.mark.parametrize(
    ("said", "by", "kept"),
    [
        (Utterance(text="use tabs"), OWNER, True),
        (Utterance(text="use tabs"), APPROVER, True),
        (Utterance(text="use tabs"), HEARD, False),
        (Utterance(text="thanks!", talk=True), OWNER, False),
    ],
)
def test_remarks_of_entitled_people_are_wishes_and_talk_is_none(
    planned: Planned, said: Utterance, by: Presser, kept: bool
) -> None:
    task = at_work(planned)
    task = planned.then(answering.reply(task, said, by, planned.moment()))
    assert bool(task.wishes) is kept
    assert kept is bool(decide.to_weigh(task))


@pytest.mark.parametrize(("kind", "value"), FROM_DECISIONS)
def test_what_is_written_into_a_form_is_kept(planned: Planned, kind: Kind, value: str) -> None:
    """On the subtask that it is about, or on the task; from the fact of the decision, as earlier versions wrote it."""
    task = at_work(planned)
    assert value in tuple(KINDS[kind].options or ())
    (opened,) = ask(task, Question(kind=kind, subject=ABOUT[kind], text="do more"), planned.moment())
    assert isinstance(opened, e.DecisionOpened)
    letter = next(option.letter for option in opened.decision.options if option.value == value)
    about = {"task": task.id, "at": moment().at, "decision": opened.decision.id, "option": letter}
    task = planned.then([opened, e.DecisionMade(**about, by=(ANA,), words="call it sign in")])  # type: ignore[arg-type]
    (kept,) = task.wishes
    expected = "do more" if kind is Kind.CORRECTION else "call it sign in"
    assert kept.words.endswith(expected) and kept.by == ANA
    assert kept.subtask == (1 if ABOUT[kind] in (RUN, STEP) else None)


def test_an_answer_of_a_person_is_kept_and_a_default_is_not(planned: Planned) -> None:
    task = at_work(planned)
    begun = task.work.on(1)
    about = {"task": task.id, "at": moment().at, "subtask": 1, "attempt": 1}
    ready = e.SubtaskReady(**about, scope=begun.scope)  # type: ignore[arg-type]
    started = e.MinionStarted(**about, branch="b", base="", engine="")  # type: ignore[arg-type]
    asked = e.MinionAsked(**about, commit="", question="Which hash?")  # type: ignore[arg-type]
    planned.then([ready, started, asked])
    silent = evolve(planned.task, e.MinionAnswered(**about, answer="sha256", by=()))  # type: ignore[arg-type]
    assert not silent.wishes
    answered = evolve(planned.task, e.MinionAnswered(**about, answer="argon2", by=(ANA,)))  # type: ignore[arg-type]
    (kept,) = answered.wishes
    assert (kept.subtask, kept.about, kept.words, kept.unweighed) == (1, "Which hash?", "argon2", True)


def said_at_work(planned: Planned, text: str = "no form at all") -> Task:
    task = at_work(planned)
    return planned.then(answering.reply(task, Utterance(text=text), OWNER, planned.moment()))


AGAINST = Weighed(contradicts="Subtask 1 writes the form", confidence=0.9)


def test_a_wish_against_the_plan_is_said_and_offered_to_those_who_may(planned: Planned) -> None:
    task = said_at_work(planned)
    task = planned.then(decide.weigh(task, 1, AGAINST, planned.moment()))
    (kept,) = task.wishes
    assert (kept.standing, kept.against, kept.unweighed) == (Standing.DISPUTED, AGAINST.contradicts, False)
    assert decide.weigh(task, 1, AGAINST, planned.moment()) == [], "once"
    with pytest.raises(NotYours):
        planned.press(Kind.AGAINST_PLAN, "follow", by=OWNER)
    task = planned.press(Kind.AGAINST_PLAN, "follow", by=APPROVER)
    first, chosen = task.wishes
    assert (first.standing, first.by) == (Standing.FIRST, ANA)
    assert (chosen.source, chosen.by, chosen.words, chosen.urgent) == (Source.SETTLED, BO, "no form at all", True)
    assert replay(planned.facts) == task


def test_whoever_said_it_may_keep_the_plan(planned: Planned) -> None:
    planned.then(decide.weigh(said_at_work(planned), 1, AGAINST, planned.moment()))
    task = planned.press(Kind.AGAINST_PLAN, "keep", by=OWNER)
    assert [wish.standing for wish in task.wishes] == [Standing.OVERRULED] * 2


@pytest.mark.parametrize(
    "weighed",
    [Weighed(unclear="the model is down"), Weighed(contradicts="Subtask 1", confidence=0.6)],
)
def test_what_no_model_can_tell_is_kept_and_said_so(planned: Planned, weighed: Weighed) -> None:
    task = planned.then(decide.weigh(said_at_work(planned), 1, weighed, planned.moment()))
    (kept,) = task.wishes
    assert kept.standing is Standing.HOLDS and kept.unclear and not task.of_kind(Kind.AGAINST_PLAN)


def test_a_prompt_keeps_the_newest_and_says_how_many_it_left_out() -> None:
    many = [wish("x" * LONGEST, number) for number in range(1, 6)]
    kept, left = fit(many)
    assert [each.number for each in kept] == [3, 4, 5] and left == 2 and len(kept) * LONGEST <= ALL
    told = for_prompt([wish("y" * (LONGEST + 7))], ANA)
    assert told["wishes"][0]["cut"] == 7 and told["wishes"][0]["who"] == ""  # type: ignore[index]
