"""How a task begins to move: its project, a request that its author edits, jobs that were given up, wishes weighed."""

from dataclasses import replace
from typing import Any

import pytest

from agents.domain import events as e
from agents.domain.asking.meaning import SURE
from agents.domain.decisions.authority import ChannelPolicy, Kind, Presser
from agents.domain.decisions.kind import Facts
from agents.domain.decisions.subject import OfWish
from agents.domain.events import Event
from agents.domain.ids import ProposalId, TaskId, Thread
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.reason import Reason, Why
from agents.domain.task import decide
from agents.domain.task.decide import Guess, Weighed, Wording
from agents.domain.task.facts import Mandate, Origin
from agents.domain.task.fold import replay
from agents.domain.task.task import Task, TaskState
from agents.domain.task.wishes import Source, Wish
from tests.builders.planned import Planned
from tests.builders.steered import ANA, CY, NOW, OWNER, asked, moment
from tests.builders.working import Working

BOTH = ("api", "web")
MANDATE = Mandate(proposal=ProposalId("p"), title="t", project="web", task=TaskId("T-9"), thread=Thread("c:1"))
ISSUE = Origin(key="k", project="web", number=7, url="u", by="bo", heard=True)


def fresh(**request: Any) -> Task:
    """A task that nobody chose a project for."""
    task = replay(asked(projects=())[:1])
    return replace(task, request=replace(task.request, **request))


def chosen(task: Task, guess: Guess | None = None, channel: str = "") -> tuple[str, object] | None:
    """The project and why; None: a person is asked."""
    made = decide.choose_project(task, BOTH, moment(channel=ChannelPolicy(project=channel)), guess)
    if isinstance(made[0], e.DecisionOpened):
        assert made[0].decision.kind is Kind.PROJECT and [o.label for o in made[0].decision.options] == list(BOTH)
        return None
    assert isinstance(made[0], e.ProjectChosen) and made[0].by is None
    return made[0].project, made[0].why


def test_an_issue_and_a_proposal_bring_their_project_whatever_the_words_say() -> None:
    assert chosen(fresh(text="the api", origin=ISSUE)) == ("web", Reason(code=Why.ISSUE_OF_PROJECT))
    assert chosen(fresh(text="the api", mandate=MANDATE)) == ("web", Reason(code=Why.PROPOSAL_OF_PROJECT))


def test_of_a_project_that_is_gone_an_issue_goes_by_its_words_and_a_proposal_asks() -> None:
    proposed, opened = replace(MANDATE, project="gone"), replace(ISSUE, project="gone")
    assert chosen(fresh(text="the api", origin=opened)) == ("api", Reason(code=Why.NAMED_PROJECT))
    assert chosen(fresh(text="the api", mandate=proposed)) is None
    assert chosen(fresh(text="the api", mandate=proposed, origin=opened)) is None


def test_what_a_model_is_sure_of_counts_after_all_rules() -> None:
    likely = Guess(project="web", confidence=SURE)
    assert chosen(fresh(), likely) == ("web", Reason(code=Why.LIKELY_PROJECT))
    assert chosen(fresh(text="in the api"), likely) == ("api", Reason(code=Why.NAMED_PROJECT))
    assert chosen(fresh(text="in the api"), likely, channel="web") == ("web", Reason(code=Why.CHANNELS_PROJECT))
    assert chosen(fresh(), likely.model_copy(update={"confidence": SURE - 0.01})) is None
    assert chosen(fresh(), likely.model_copy(update={"project": "gone"})) is None
    assert chosen(fresh()) is None


def test_nobody_is_asked_twice_and_an_outsiders_issue_waits_for_a_person() -> None:
    outside = fresh(origin=replace(ISSUE, heard=False))
    [intake] = decide.choose_project(outside, BOTH, moment())
    assert isinstance(intake, e.DecisionOpened) and intake.decision.kind is Kind.INTAKE
    assert decide.choose_project(replace(outside, open=(intake.decision,)), BOTH, moment()) == []
    assert chosen(replace(outside, vouched=True)) == ("web", Reason(code=Why.ISSUE_OF_PROJECT))
    assert decide.choose_project(replace(fresh(), state=TaskState.CANCELLED), BOTH, moment()) == []
    assert decide.choose_project(replace(fresh(), project=""), BOTH, moment()) == [], "none is configured"


def corrected(planned: Planned, text: str, by: Presser = OWNER, **more: str) -> Facts:
    return decide.correct(planned.task, Wording(text=text, hidden=2, **more), by, planned.moment())


def test_an_edit_of_the_request_has_it_planned_again() -> None:
    planned = Planned()
    assert corrected(planned, planned.task.request.text) == [], "nothing was changed"
    assert corrected(planned, "add logout", Presser(person=CY)) == [], "nobody else's edit counts"
    assert len(corrected(planned, planned.task.request.text, workflow="mvp")) == 2
    assert len(corrected(planned, planned.task.request.text, role="tester")) == 2
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    first, gone, again = corrected(planned, "add logout")
    assert isinstance(first, e.RequestCorrected) and (first.request, first.hidden, first.by) == ("add logout", 2, ANA)
    plan = planned.task.of_kind(Kind.PLAN)
    assert isinstance(gone, e.DecisionWithdrawn) and plan and gone.decision == plan.id
    assert isinstance(again, e.PlanChangeRequested)
    assert again.words == "The request was corrected. It was: add login"
    assert [type(fact) for fact in decide.correct(fresh(), Wording(text="x"), OWNER, moment())] == [e.RequestCorrected]


def test_an_edit_after_the_approval_is_offered_as_a_change_once() -> None:
    working = Working()
    before = working.task.request.text
    edited, asks = corrected(working, "add logout")
    assert isinstance(edited, e.RequestEdited) and isinstance(asks, e.DecisionOpened)
    assert (asks.decision.kind, asks.decision.question, asks.decision.evidence) == (
        Kind.CORRECTION, "add logout", (before,),
    )  # fmt: skip
    task = working.then([edited, asks])
    assert task.request.text == before, "what was approved stays what is worked on"
    assert corrected(working, "add logout") == []
    _, stale, other = corrected(working, "add logout, too")
    assert isinstance(stale, e.DecisionWithdrawn) and isinstance(other, e.DecisionOpened)
    assert stale.decision == asks.decision.id
    assert [type(fact) for fact in corrected(working, before)] == [e.RequestEdited, e.DecisionWithdrawn], "taken back"


def parked(working: Planned, flow: str, **more: Any) -> Facts:
    fact = e.JobParked(task=working.task.id, at=NOW, job="j", flow=flow, problem="no answer", kept="all", **more)
    return decide.park(working.task, fact, working.moment())


@pytest.mark.parametrize(
    ("flow", "more", "options"),
    [
        ("run_minion", {}, ["retry", "cancel"]),
        ("decompose", {}, ["retry", "outline", "cancel"]),
        ("decompose", {"overflow": True}, ["retry", "less", "outline", "cancel"]),
    ],
)
def test_a_job_that_was_given_up_asks_its_owner_what_to_do(
    flow: str, more: dict[str, bool], options: list[str]
) -> None:
    working = Working()
    first, asks = parked(working, flow, **more)
    assert isinstance(first, e.JobParked) and isinstance(asks, e.DecisionOpened)
    assert asks.decision.evidence == ("no answer", "all")
    assert [option.value for option in asks.decision.options] == options
    working.task = replace(working.task, state=TaskState.DONE)
    assert parked(working, flow) == []


def weighed(said: Weighed) -> list[Event]:
    working = Working()
    wish = Wish(number=1, by=ANA, at=NOW, words="in red", source=Source.REMARK, unweighed=True)
    working.task = replace(working.task, wishes=(wish,))
    return decide.weigh(working.task, 1, said, working.moment())


def test_a_wish_that_contradicts_the_plan_is_put_to_a_person() -> None:
    told, asks = weighed(Weighed(contradicts="x" * 400, confidence=SURE))
    assert isinstance(told, e.WishWeighed) and (len(told.contradicts), told.unclear) == (300, "")
    assert isinstance(asks, e.DecisionOpened) and asks.decision.kind is Kind.AGAINST_PLAN
    assert (asks.decision.question, asks.decision.subject) == ("in red", OfWish(wish=1))
    assert asks.decision.evidence == (told.contradicts,)


@pytest.mark.parametrize(
    ("said", "unclear"),
    [
        (Weighed(contradicts="x", confidence=SURE - 0.01), Reason(code=Why.UNSURE_MODEL)),
        (Weighed(contradicts="x", confidence=SURE, unclear="no answer"), "no answer"),
        (Weighed(confidence=SURE), ""),
    ],
)
def test_what_is_not_sure_or_no_contradiction_is_only_said(said: Weighed, unclear: object) -> None:
    [told] = weighed(said)
    assert isinstance(told, e.WishWeighed) and (told.contradicts, told.unclear) == ("", unclear)
    [cut] = weighed(Weighed(unclear="y" * 400))
    assert isinstance(cut, e.WishWeighed) and len(str(cut.unclear)) == 300
