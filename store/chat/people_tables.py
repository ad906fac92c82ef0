"""People, the accounts that are one person, and how somebody signs in to the console."""

from sqlalchemy import Column, Double, ForeignKey, String, Table, Text

from store.tables import metadata

people = Table(
    "people",
    metadata,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("merged_into", String, nullable=False, server_default="", index=True),
)

accounts = Table(
    "accounts",
    metadata,
    Column("account", String, primary_key=True),
    Column("person", String, ForeignKey("people.id"), nullable=False, index=True),
)

tokens = Table(
    "tokens",
    metadata,
    Column("login", String, primary_key=True),
    Column("hash", String, nullable=False, unique=True),
    Column("issued_at", Double, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("key", String, primary_key=True),  # the SHA-256 of the cookie
    Column("login", String, nullable=False, index=True),
    Column("began_at", Double, nullable=False),
    Column("until", Double, nullable=False),
    Column("address", String, nullable=False, server_default=""),
    Column("agent", String, nullable=False, server_default=""),  # what the browser calls itself
)

links = Table(
    "links",
    metadata,
    Column("hash", String, primary_key=True),
    Column("account", String, nullable=False),
    Column("thread", String, nullable=False, server_default=""),  # the direct message in which it was asked for
    Column("until", Double, nullable=False),
)

link_requests = Table(  # two accounts that are asked whether they are one person
    "link_requests",
    metadata,
    Column("id", String, primary_key=True),
    Column("state", String, nullable=False),
    Column("until", Double, nullable=False),
    Column("body", Text, nullable=False),
)
