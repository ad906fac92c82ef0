"""Proposals as a table: made from the facts in their own transaction, so that they can be listed and told apart."""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from agents.domain import events as e
from agents.domain.decisions.authority import Kind
from agents.domain.errors import IllegalMove
from agents.domain.ids import ProposalId, StreamId
from agents.domain.learning import proposal as domain
from agents.domain.learning.proposal import Listed, Proposal, ProposalStatus
from agents.domain.task.facts import Mandate, Request
from store import tables
from store.codec import Cause, from_row, moment, seconds, shape
from store.sql import TransactionPart
from store.upcasts import upcast_decisions

_P = tables.proposals
DECIDES = (Kind.PROPOSAL, Kind.DIRECTIVES)  # a directive that is to be a task of its own is approved as a proposal
_AS_JSON = ("rationale", "related_tasks", "related_issues")
COMPARED = 200  # proposals whose words a new one is compared with
DONE = ProposalStatus.IMPLEMENTED
STATUS: dict[type[e.Event], ProposalStatus] = {
    e.ProposalApproved: ProposalStatus.APPROVED,
    e.ProposalRejected: ProposalStatus.REJECTED,
}


class Proposals(TransactionPart):
    def is_known(self, proposal: Proposal) -> bool:
        """Whether one like it is open, under way or turned down. What was done and came again may be proposed anew."""
        stands = _P.c.status.in_([each for each in ProposalStatus if each is not DONE])
        same = select(_P.c.id).where(_P.c.likeness == proposal.likeness, stands).limit(1)
        if self._db.execute(same).first() is not None:
            return True
        signature = proposal.rationale.signature
        if signature is None or not signature.is_told_in_words:
            return False
        newest = select(_P).where(stands, _P.c.project == proposal.project).order_by(_P.c.created_at.desc())
        return any(domain.is_like(proposal, each.proposal) for each in self._listed(newest.limit(COMPARED)))

    def all(self, *, pending: bool, limit: int = 1000) -> list[Listed]:
        """Oldest first."""
        wanted = select(_P).order_by(_P.c.created_at, _P.c.id).limit(limit)
        return self._listed(wanted.where(_P.c.status == ProposalStatus.PENDING) if pending else wanted)

    def newest(self, most: int) -> list[Listed]:
        return self._listed(select(_P).order_by(_P.c.created_at.desc(), _P.c.id).limit(most))

    def to_carry_out(self, limit: int = 20) -> list[Listed]:
        """Approved, and no task has come of it yet."""
        approved = (_P.c.status == ProposalStatus.APPROVED, _P.c.carried_out_by.is_(None))
        return self._listed(select(_P).where(*approved).order_by(_P.c.created_at, _P.c.id).limit(limit))

    def _listed(self, wanted: Select[Any]) -> list[Listed]:
        return [_listed(row) for row in self._db.execute(wanted)]


def write(db: Connection, mandate: Mandate | None, fact: e.Event, cause: Cause) -> bool:
    """Called by the log alone, as a fact is appended. Says whether it is about a proposal.

    `mandate`: the proposal that the task of this fact carries out.
    """
    match fact:
        case e.ProposalMade(proposal=made):
            db.execute(insert(_P).values({**_row(made), "task": fact.task, "stream": fact.stream}))
        case e.ProposalApproved():
            _change(db, fact.proposal, STATUS[type(fact)], fact, account=cause.actor)
        case e.ProposalRejected(reason=reason):
            _change(db, fact.proposal, STATUS[type(fact)], fact, account=cause.actor, reason=reason)
        case e.TaskRequested(request=Request(mandate=Mandate(proposal=id))):
            db.execute(update(_P).where(_P.c.id == id).values(carried_out_by=fact.task))
        case e.Merged() if mandate:
            _change(db, mandate.proposal, DONE, fact)
        case _:
            return False
    return True


def replay(facts: Sequence[e.Event]) -> dict[ProposalId, Proposal]:
    """Proposals as the facts of one stream leave them."""
    found: dict[ProposalId, Proposal] = {}
    for fact in facts:
        match fact:
            case e.ProposalMade(proposal=made):
                found[made.id] = made
            case e.ProposalApproved() | e.ProposalRejected():
                found[fact.proposal] = domain.move(found[fact.proposal], STATUS[type(fact)], fact.at)
    return found


def rewrite(db: Connection, facts: Sequence[e.Event]) -> None:
    """What the facts of one stream say of its proposals, but for how they stand."""
    for proposal in replay(facts).values():
        said = {name: value for name, value in _row(proposal).items() if name not in ("id", "status", "resolved_at")}
        db.execute(update(_P).where(_P.c.id == proposal.id).values(said))


def of_stream(db: Connection, stream: StreamId) -> list[Listed]:
    return [_listed(row) for row in db.execute(select(_P).where(_P.c.stream == stream))]


def _change(db: Connection, id: ProposalId, to: ProposalStatus, fact: e.Event, **more: str) -> None:
    listed = _listed(db.execute(select(_P).where(_P.c.id == id)).one())
    known = listed.proposal
    if to in STATUS.values():
        more |= {"decision": _decided_on(db, listed)}
    now = _row(domain.move(known, to, fact.at))
    db.execute(update(_P).where(_P.c.id == id).values({**now, **more}))


def _row(proposal: Proposal) -> dict[str, object]:
    plain: dict[str, object] = shape(Proposal).dump_python(proposal, mode="json")
    plain |= {name: json.dumps(plain[name], ensure_ascii=False) for name in _AS_JSON}
    resolved = seconds(proposal.resolved_at) if proposal.resolved_at else None
    return plain | {"created_at": seconds(proposal.created_at), "resolved_at": resolved}


def _listed(row: Row[Any]) -> Listed:
    own = {field.name: getattr(row, field.name) for field in fields(Proposal)}
    own |= {name: json.loads(own[name]) for name in _AS_JSON}
    own |= {name: moment(own[name]) for name in ("created_at", "resolved_at") if own[name] is not None}
    return from_row(Listed, row, proposal=shape(Proposal).validate_python(own))


def _decided_on(db: Connection, listed: Listed) -> str:
    """The decision of a person that moves it on; without one nothing does."""
    d = tables.decisions
    made = (d.c.task == listed.task, d.c.kind.in_(DECIDES), d.c.state == "decided", d.c.delivery.is_not(None))
    of_this = d.c.body.contains(listed.proposal.id, autoescape=True)
    found = db.execute(select(d.c.id).where(*made, of_this).order_by(d.c.opened_at.desc()).limit(1)).scalar()
    if found is None:
        what = f"Nobody has decided on “{listed.proposal.title}”"
        raise IllegalMove(what, next_step="See `overlord proposals list`.")
    return str(found)


def name_deciders(db: Connection) -> None:
    """Of proposals that were decided on before the decision was named beside them."""
    d = tables.decisions
    decided = (d.c.kind.in_(DECIDES), d.c.state == "decided", d.c.delivery.is_not(None))
    for id, body in db.execute(select(d.c.id, d.c.body).where(*decided).order_by(d.c.opened_at.desc())).all():
        subject = json.loads(upcast_decisions(body)).get("subject") or {}
        about = [subject["proposal"]] if subject.get("proposal") else subject.get("directives", [])
        db.execute(update(_P).where(_P.c.id.in_(about), _P.c.decision.is_(None)).values(decision=id))
