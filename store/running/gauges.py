"""Numbers that tell whether anything is stuck."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, select

from store import tables
from store.chat.deliveries import PARKED, WAITING
from store.chat.posts import PostState
from store.codec import seconds
from store.running import totals
from store.running.jobs import JobState
from store.streams.ledger import WAITS

_D, _P, _J, _S = tables.deliveries, tables.posts, tables.jobs, tables.snapshots


def measure(db: Connection, at: datetime) -> dict[str, tuple[str, float]]:
    """Name, what it means, and its value now."""
    now = seconds(at)

    def one(question: Select[Any]) -> float:
        return float(db.execute(question).scalar() or 0)

    def age(question: Select[Any]) -> float:
        oldest = db.execute(question).scalar()
        return 0.0 if oldest is None else max(0.0, now - oldest)

    unsent = _P.c.wanted != _P.c.shown
    waiting = select(func.min(_D.c.received_at)).where(WAITING)
    parked_posts = select(func.count()).select_from(_P).where(unsent, _P.c.state == PostState.PARKED)
    parked_jobs = select(func.count()).select_from(_J).where(_J.c.state == JobState.PARKED)
    parked_deliveries = select(func.count()).select_from(_D).where(PARKED)
    oldest_post = select(func.min(_P.c.wanted_at)).where(unsent, _P.c.state != PostState.PARKED)
    return {
        "overlord_delivery_age_seconds": ("Age of the oldest delivery not settled", age(waiting)),
        "overlord_post_age_seconds": ("Age of the oldest post not delivered", age(oldest_post)),
        "overlord_parked_posts": ("Posts a platform will never take", one(parked_posts)),
        "overlord_parked_jobs": ("Jobs given up, waiting for a person", one(parked_jobs)),
        "overlord_parked_deliveries": ("Deliveries that could not be read", one(parked_deliveries)),
        "overlord_lease_takeovers": (
            "Runs of jobs that died and were taken over",
            totals.read(db, totals.LEASE_TAKEOVERS),
        ),
        "overlord_model_dollars": ("Spent on models so far", totals.read(db, totals.MODEL_DOLLARS)),
        "overlord_model_calls": ("Calls made to models so far", totals.read(db, totals.MODEL_CALLS)),
        "overlord_open_tasks": ("Tasks that have not ended", one(select(func.count()).where(_S.c.ended.is_(False)))),
        "overlord_open_decisions": (
            "Decisions waiting for a person",
            one(select(func.count()).select_from(tables.decisions).where(WAITS)),
        ),
    }
