"""The table of failures by their signature: what the tasks of a project met, for as long as the project is known."""

from sqlalchemy import Column, Double, Index, String, Table, Text

from store.tables import metadata

failures = Table(
    "failures",
    metadata,
    *(Column(name, String, primary_key=True) for name in ("task", "key")),  # key: of the signature
    Column("project", String, nullable=False),
    Column("signature", Text, nullable=False),  # JSON
    Column("at", Double, nullable=False),
    Index("failures_by_key", "project", "key"),
)
