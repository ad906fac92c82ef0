"""The audit trail in words: who did and decided what, each with its hash."""

from datetime import UTC, datetime

from agents.domain import events as e
from agents.domain.ids import PersonId, TaskId
from agents.ports import History
from bot.cards.work.audit import audit_text
from tests.llm.rig import task

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


def test_each_fact_is_a_line_with_its_time_and_hash() -> None:
    stopped = e.TaskStopped(task=TaskId("T-1"), at=AT, by=PersonId("ana"))
    history = History(facts=[("a" * 64, stopped)])
    head, line = audit_text(task(), history).splitlines()
    assert head.startswith("T-1: 1 facts") and line.startswith(f"2026-05-01 12:00:00 {'a' * 16} ")
    assert line.endswith("Stopped the task")
