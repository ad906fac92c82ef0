"""Sums that are kept as they grow: nobody goes through all there ever was to read one."""

from functools import lru_cache

from sqlalchemy import Connection, select

from store import tables
from store.dialect import insert_into
from store.statements import Prepared

MODEL_DOLLARS, MODEL_CALLS, LEASE_TAKEOVERS = "model_dollars", "model_calls", "lease_takeovers"
_T = tables.totals


def add(db: Connection, name: str, amount: float) -> None:
    _adding(db.dialect.name).run(db, {"name": name, "value": amount})


def read(db: Connection, name: str) -> float:
    return float(db.execute(select(_T.c.value).where(_T.c.name == name)).scalar() or 0)


@lru_cache
def _adding(dialect: str) -> Prepared:
    made = insert_into(dialect, _T)
    return Prepared(
        made.on_conflict_do_update(index_elements=["name"], set_={"value": _T.c.value + made.excluded.value})
    )
