"""The table of what operators and admins changed of the settings, and what became of it."""

from sqlalchemy import Column, Double, Index, String, Table, Text

from store.tables import metadata

acts = Table(
    "acts",
    metadata,
    Column("key", String, primary_key=True),  # of the delivery that asked for it
    *(Column(name, String, nullable=False) for name in ("actor", "thread", "state")),  # actor: account
    *(Column(name, Text, nullable=False) for name in ("words", "outcome")),
    Column("at", Double, nullable=False),
    Index("acts_by_state", "state"),
)
