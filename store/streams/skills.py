"""Skills as tables: how far each draft has come, and how the tasks fared that used one. Made from the facts alone."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, case, func, insert, select, update

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.errors import IllegalMove
from agents.domain.skills.drafting import state_of
from agents.domain.skills.fared import LATEST, Fared
from agents.domain.skills.registry import SkillRow
from agents.domain.skills.spec import SKILL_MOVES, SkillSpec, SkillState
from agents.domain.task.task import Task
from store import tables
from store.codec import dump, from_row, moment, seconds, shape
from store.skill_tables import skill_uses as _U, skills as _S
from store.sql import TransactionPart, upsert

_DECIDED_BY = {SkillState.APPROVED: Kind.SKILL_DRAFT, SkillState.MERGED: Kind.MERGE}


class SkillTables(TransactionPart):
    def all(self, *, open_only: bool = False, limit: int = 1000) -> list[SkillRow]:
        """Drafts and what became of them, the oldest first."""
        wanted = select(_S).order_by(_S.c.at, _S.c.task).limit(limit)
        return self._read(wanted.where(_S.c.state == SkillState.DRAFT) if open_only else wanted)

    def newest(self, most: int) -> list[SkillRow]:
        return self._read(select(_S).order_by(_S.c.at.desc(), _S.c.task).limit(most))

    def _read(self, wanted: Select[Any]) -> list[SkillRow]:
        return [
            from_row(
                SkillRow,
                row,
                state=SkillState(row.state),
                spec=shape(SkillSpec).validate_json(row.spec),
                at=moment(row.at),
            )
            for row in self._db.execute(wanted)
        ]

    def evolved_names(self) -> set[tuple[str, str]]:
        """Project and name of those that came of a draft."""
        wanted = select(_S.c.project, _S.c.name).where(_S.c.state == SkillState.MERGED)
        return {(project, name) for project, name in self._db.execute(wanted)}

    def outcomes(self) -> dict[tuple[str, str], Fared]:
        """By project and skill: of all tasks that have ended."""
        merged = func.sum(case((_U.c.passed, 1), else_=0))
        rows = self._db.execute(
            select(_U.c.project, _U.c.skill, func.count(), merged).group_by(_U.c.project, _U.c.skill)
        )
        return {(project, skill): Fared(tasks=tasks, passed=int(passed)) for project, skill, tasks, passed in rows}

    def too_seldom(self, task: Task) -> dict[str, Fared]:
        """Of the skills that this task used, those with which the last few tasks seldom came to a merge."""
        fared = {name: self._lately(task, name) for name in used_in(task)}
        return {name: each for name, each in fared.items() if each.is_low}

    def _lately(self, task: Task, name: str) -> Fared:
        same = (_U.c.project == (task.project or ""), _U.c.skill == name, _U.c.task != task.id)
        last = self._db.execute(select(_U.c.passed).where(*same).order_by(_U.c.at.desc()).limit(LATEST)).scalars().all()
        return Fared(tasks=len(last), passed=sum(map(bool, last)))


def write(db: Connection, task: Task, at: datetime) -> bool:
    """Called by the log alone, after facts were added to a task. Says whether a skill came further."""
    if task.has_ended:
        for name in used_in(task):
            row = {"task": task.id, "skill": name, "project": task.project or ""}
            passed = task.state.value == "done"
            upsert(db, _U, {**row, "passed": passed, "at": seconds(at)})
    if task.skill is None or not task.skill.number:
        return False
    return _write_draft(db, task, at)


def agrees(db: Connection, task: Task) -> bool:
    """Whether the row of a task's skill says what its facts say."""
    row = db.execute(select(_S).where(_S.c.task == task.id)).one_or_none()
    if row is None or task.skill is None or not task.skill.number:
        return row is None or task.skill is None
    return (row.state, row.name, row.draft) == (state_of(task), task.skill.spec.name, task.skill.number)


def rewrite(db: Connection, task: Task) -> None:
    """With the words that are left of its draft."""
    if task.skill and task.skill.number:
        row = {"name": task.skill.spec.name, "spec": dump(task.skill.spec)}
        db.execute(update(_S).where(_S.c.task == task.id).values(row))


def used_in(task: Task) -> Sequence[str]:
    if task.plan.rehearsal:
        return ()
    return tuple(dict.fromkeys(name for work in task.work.subtasks for name in work.skills))


def _write_draft(db: Connection, task: Task, at: datetime) -> bool:
    assert task.skill is not None
    skill, state = task.skill, state_of(task)
    row = {"name": skill.spec.name, "draft": skill.number, "spec": dump(skill.spec), "revises": skill.revises}
    known = db.execute(select(_S).where(_S.c.task == task.id)).one_or_none()
    if known is None:
        first = {"task": task.id, "project": task.project or "", "state": SkillState.DRAFT, "at": seconds(at)}
        db.execute(insert(_S).values({**row, **first}))
        return True
    for to in _path(SkillState(known.state), state):
        more = {_COLUMN[to]: _decision(db, task, _DECIDED_BY[to])} if to in _DECIDED_BY else {}
        db.execute(update(_S).where(_S.c.task == task.id).values({**row, **more, "state": to}))
    if state == known.state:
        db.execute(update(_S).where(_S.c.task == task.id).values(row))
    return True


_COLUMN = {SkillState.APPROVED: "decision", SkillState.MERGED: "merge"}


def _path(start: SkillState, to: SkillState) -> Sequence[SkillState]:
    """The legal moves from one state to another; several facts may have come at once."""
    if start is to:
        return ()
    ways: list[tuple[SkillState, ...]] = [(start,)]
    for way in ways:
        for step in sorted(SKILL_MOVES[way[-1]]):
            if step is to:
                return (*way[1:], step)
            if step not in way:
                ways.append((*way, step))
    raise IllegalMove(f"A skill that is {start} cannot become {to}", next_step="See `overlord skills drafts --all`.")


def _decision(db: Connection, task: Task, kind: Kind) -> str | None:
    """The last of its kind that a person made, with a delivery that we really received. None: the row is refused."""
    d = tables.decisions
    rules = [kind.value, *(f"{kind}_{risk}" for risk in RiskLevel)]  # it is stored by the rule that it is decided by
    made = (d.c.task == task.id, d.c.kind.in_(rules), d.c.state == "decided", d.c.delivery.is_not(None))
    return db.execute(select(d.c.id).where(*made).order_by(d.c.opened_at.desc()).limit(1)).scalar()
