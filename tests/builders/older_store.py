"""What takes a database back to how an earlier version left it."""

from store import tables

OLD_PROPOSALS = ", ".join(
    column.name for column in tables.proposals.columns if column.name not in ("revises", "decision")
)
TWENTY_FOURTH = (
    "ALTER TABLE proposals DROP COLUMN revises",
    # SQLite drops no column that refers to another table
    f"CREATE TABLE proposals_before AS SELECT {OLD_PROPOSALS} FROM proposals",
    "DROP TABLE proposals",
    "ALTER TABLE proposals_before RENAME TO proposals",
    "DROP TABLE skills",
    "DROP TABLE notes",
    "DROP TABLE skill_uses",
    "DROP TABLE digests",
    "DROP TABLE failures",
)
