"""What came of the runs of each role, counted over all tasks that are kept."""

from sqlalchemy import create_engine, insert

from store import tables
from store.streams.runs import RoleRecord, by_role

ROW = {
    **dict.fromkeys(("engine", "model", "task_type", "workflow", "error"), ""),
    **dict.fromkeys(("retries", "calls", "tokens_in", "tokens_out", "cached_tokens"), 0),
    **{"task": "T-1", "step": "implement", "cost": 0.25, "seconds": 60.0, "at": 0.0, "since": None},
}


def test_runs_are_counted_by_their_role_and_how_they_ended() -> None:
    engine = create_engine("sqlite://")
    tables.runs.create(engine)
    ends = [("trader", True), ("trader", False), ("trader", None), ("reviewer", True)]
    rows = [{**ROW, "subtask": at, "attempt": 1, "role": role, "success": end} for at, (role, end) in enumerate(ends)]
    with engine.begin() as db:
        db.execute(insert(tables.runs), rows)
        found = by_role(db)
    assert found["trader"] == RoleRecord(runs=3, well=1, failed=1, cost=0.75, seconds=180.0)
    assert found["reviewer"] == RoleRecord(runs=1, well=1, cost=0.25, seconds=60.0)
