"""Notes on their way from a supervisor's guess to the repository; made from the facts.

A row says `confirmed` or `merged` only beside the decision of a person: the database itself refuses it otherwise.
"""

from sqlalchemy import CheckConstraint, Column, Double, ForeignKey, Index, String, Table, Text

from store.tables import metadata

notes = Table(
    "notes",
    metadata,
    Column("id", String, primary_key=True),  # of the change
    *(Column(name, String, nullable=False) for name in ("project", "task", "name", "state")),
    Column("change", Text, nullable=False),  # JSON
    Column("decision", String, ForeignKey("decisions.id"), nullable=True),  # that confirmed it
    Column("merge", String, ForeignKey("decisions.id"), nullable=True),  # that let it in
    Column("at", Double, nullable=False),
    CheckConstraint("state <> 'confirmed' OR decision IS NOT NULL", name="a_person_confirmed_it"),
    CheckConstraint("state <> 'merged' OR merge IS NOT NULL", name="a_person_let_it_in"),
    Index("notes_of_project", "project", "state"),
)
