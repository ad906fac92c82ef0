"""What people and clocks do to a task beside its questions: commands, reminders, more time, the offer of a button."""

from dataclasses import replace
from datetime import timedelta

import pytest

from agents.domain import events as e
from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions import pressing
from agents.domain.decisions.authority import ChannelPolicy, Kind, OnTimeout, Presser
from agents.domain.decisions.decision import HOLD, Decision, Refusal, Refused
from agents.domain.decisions.kind import Question
from agents.domain.decisions.pressing import Press
from agents.domain.decisions.subject import OfHead, OfStep
from agents.domain.decisions.table import ask
from agents.domain.errors import PressRefused
from agents.domain.ids import DecisionId
from agents.domain.planning.review import Critic, Custodiet
from agents.domain.task.task import TaskState
from tests.builders.planned import Planned
from tests.builders.steered import ANA, APPROVER, BO, CY, NOW, OWNER
from tests.builders.working import Working

STRANGER = Presser(person=CY)
MEDIUM = OfStep(subtask=1, attempt=1, commit="c0ffee", risk=RiskLevel.MEDIUM)


GATE = Question(kind=Kind.GATE, subject=MEDIUM, default="pass")


def gated() -> Working:
    working = Working()
    working.then(ask(working.task, GATE, working.moment()))
    return working


def gate_of(working: Working) -> Decision:
    gate = working.task.of_kind(Kind.GATE)
    assert gate and gate.due
    return gate


def test_a_clock_begins_again_only_where_silence_would_decide() -> None:
    working = gated()
    gate, moment = gate_of(working), working.moment(at=NOW + timedelta(minutes=29))
    [anew] = pressing.begin_clock_again(working.task, gate.id, moment)
    assert isinstance(anew, e.DecisionDeferred)
    assert anew.next_due == moment.at + moment.limits.within("medium_gate"), "its whole time once more"
    [until] = pressing.begin_clock_again(working.task, gate.id, moment, moment.at + timedelta(seconds=1))
    assert isinstance(until, e.DecisionDeferred) and until.next_due == moment.at + timedelta(seconds=1)
    assert pressing.begin_clock_again(working.task, gate.id, moment, moment.at) == [], "what is over gives no time"
    assert pressing.begin_clock_again(working.task, DecisionId("gone"), moment) == []
    working.ask(Kind.MERGE, OfHead(commit="c0ffee", risk=RiskLevel.LOW))
    merge = working.task.of_kind(Kind.MERGE)
    assert merge and pressing.begin_clock_again(working.task, merge.id, moment) == [], "time never merges"


def test_a_clock_that_somebody_holds_stands_still() -> None:
    working = gated()
    held = Press(decision=gate_of(working).id, letter=HOLD)
    working.then(pressing.press(working.task, held, APPROVER, working.moment()))
    gate = working.task.of_kind(Kind.GATE)
    assert gate and pressing.begin_clock_again(working.task, gate.id, working.moment()) == []
    denied = Working()
    denied.then(ask(denied.task, GATE, denied.moment(channel=ChannelPolicy(on_timeout=OnTimeout.DENY))))
    shut = denied.task.of_kind(Kind.GATE)
    assert shut
    with pytest.raises(PressRefused) as refused:
        pressing.press(denied.task, Press(decision=shut.id, letter=HOLD), APPROVER, denied.moment())
    assert isinstance(refused.value, Refused) and refused.value.why is Refusal.NO_CLOCK


def test_in_quiet_hours_a_reminder_waits_and_nothing_else() -> None:
    working = gated()
    later = NOW + timedelta(hours=3)
    gate = gate_of(working)
    assert pressing.hold_reminder(working.task, gate.id, working.moment(), later) == [], "silence decides that one"
    working.ask(Kind.MERGE, OfHead(commit="c0ffee", risk=RiskLevel.LOW))
    merge = working.task.of_kind(Kind.MERGE)
    assert merge
    [put_off] = pressing.hold_reminder(working.task, merge.id, working.moment(), later)
    assert isinstance(put_off, e.DecisionDeferred) and (put_off.decision, put_off.next_due) == (merge.id, later)
    assert pressing.hold_reminder(working.task, merge.id, working.moment(), NOW) == []
    assert pressing.hold_reminder(working.task, DecisionId("gone"), working.moment(), later) == []


def test_silence_passes_reminds_or_expires_and_nothing_before_its_time() -> None:
    working = gated()
    gate = gate_of(working)
    assert gate.due
    assert pressing.when_due(working.task, gate.id, working.moment(at=gate.due - timedelta(seconds=1))) == []
    assert pressing.when_due(working.task, DecisionId("gone"), working.moment(at=gate.due)) == []
    made = pressing.when_due(working.task, gate.id, working.moment(at=gate.due))[0]
    assert isinstance(made, e.DecisionMade) and made.by == (), "nobody decided it"
    working.then(pressing.ask_to_cancel(working.task, OWNER, "", working.moment()))
    cancel = working.task.of_kind(Kind.CANCEL)
    assert cancel and cancel.due
    [gone] = pressing.when_due(working.task, cancel.id, working.moment(at=cancel.due))
    assert isinstance(gone, e.DecisionExpired) and gone.decision == cancel.id


def test_reminders_end_and_one_that_came_late_brings_the_next_no_sooner() -> None:
    planned = Planned()
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    plan = planned.task.of_kind(Kind.PLAN)
    assert plan and plan.due
    late = planned.moment(at=plan.due + timedelta(hours=5))
    [reminded] = pressing.when_due(planned.task, plan.id, late)
    assert isinstance(reminded, e.DecisionReminded) and reminded.number == 1
    assert reminded.next_due == late.at + late.limits.within("reminder")
    planned.then([reminded])
    again = planned.task.of_kind(Kind.PLAN)
    assert again and again.reminders == 1 and again.due == reminded.next_due


def test_only_whoever_may_is_offered_the_button() -> None:
    planned = Planned()
    with pytest.raises(PressRefused) as nothing:
        pressing.offer_approval(planned.task, APPROVER, "", planned.moment())
    assert isinstance(nothing.value, Refused) and nothing.value.why is Refusal.NO_APPROVAL
    planned.draft()
    planned.review(Critic.PROCEED, Custodiet.OK)
    plan = planned.task.of_kind(Kind.PLAN)
    [offered] = pressing.offer_approval(planned.task, APPROVER, "", planned.moment())
    assert isinstance(offered, e.ApprovalOffered) and plan and (offered.decision, offered.by) == (plan.id, BO)
    with pytest.raises(PressRefused):
        pressing.offer_approval(planned.task, STRANGER, "", planned.moment())


def test_a_task_is_stopped_snoozed_muted_and_cancelled_by_whoever_may() -> None:
    planned = Planned()
    for steer in (pressing.stop, pressing.backburner, pressing.ask_to_cancel, pressing.mute(True)):
        with pytest.raises(PressRefused, match="not_yours"):
            steer(planned.task, STRANGER, "", planned.moment())
    paused = planned.then(pressing.stop(planned.task, OWNER, "", planned.moment()))
    stopped = paused.of_kind(Kind.STOPPED)
    assert paused.state is TaskState.PAUSED and stopped
    assert [option.value for option in stopped.options] == ["resume", "cancel"], "there is no work to go on alone with"
    snoozed = planned.then(pressing.backburner(planned.task, OWNER, "", planned.moment()))
    assert snoozed.state is TaskState.BACKBURNER and snoozed.of_kind(Kind.STOPPED) is None
    [muted] = pressing.mute(True)(planned.task, OWNER, "", planned.moment())
    assert isinstance(muted, e.TaskMuted) and muted.muted and muted.by == ANA
    resumed = planned.then(pressing.take("resume")(planned.task, OWNER, "", planned.moment()))
    assert resumed.state is TaskState.DECOMPOSING
    planned.then(pressing.ask_to_cancel(planned.task, OWNER, " we have one ", planned.moment()))
    with pytest.raises(PressRefused) as twice:
        pressing.ask_to_cancel(planned.task, OWNER, "", planned.moment())
    assert isinstance(twice.value, Refused) and twice.value.why is Refusal.ASKED
    ended = replace(planned.task, state=TaskState.DONE, open=())
    with pytest.raises(PressRefused) as over:
        pressing.ask_to_cancel(ended, OWNER, "", planned.moment())
    assert isinstance(over.value, Refused) and over.value.why is Refusal.ENDED
    with pytest.raises(PressRefused) as none:
        pressing.take("resume")(ended, OWNER, "", planned.moment())
    assert isinstance(none.value, Refused) and none.value.why is Refusal.NOTHING
