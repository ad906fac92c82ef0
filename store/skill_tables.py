"""Skills on their way from a draft to a merged file, and how the tasks fared that used one; made from the facts.

A row says `approved` or `merged` only beside the decision of a person: the database itself refuses it otherwise.
"""

from sqlalchemy import Boolean, CheckConstraint, Column, Double, ForeignKey, Index, Integer, String, Table, Text

from store.tables import metadata

skills = Table(
    "skills",
    metadata,
    Column("task", String, primary_key=True),  # that makes it
    *(Column(name, String, nullable=False) for name in ("project", "name", "state", "revises")),
    Column("draft", Integer, nullable=False),  # its number
    Column("spec", Text, nullable=False),  # JSON
    Column("decision", String, ForeignKey("decisions.id"), nullable=True),  # that approved it
    Column("merge", String, ForeignKey("decisions.id"), nullable=True),  # that let it in
    Column("at", Double, nullable=False),
    CheckConstraint("state IN ('draft', 'rejected') OR decision IS NOT NULL", name="a_person_approved_it"),
    CheckConstraint("state <> 'merged' OR merge IS NOT NULL", name="a_person_merged_it"),
    Index("skills_of_project", "project", "name"),
)

skill_uses = Table(
    "skill_uses",
    metadata,
    *(Column(name, String, primary_key=True) for name in ("task", "skill")),
    Column("project", String, nullable=False),
    Column("passed", Boolean, nullable=False),  # whether what the task did was merged
    Column("at", Double, nullable=False),
    Index("uses_of_skill", "project", "skill", "at"),
)
