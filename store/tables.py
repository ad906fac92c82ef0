"""Most tables; those of people, acts, notes and skills have modules of their own. Times are seconds since 1970, UTC."""

from typing import Any

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    event,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")


def _table(name: str, *parts: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *parts, **options)


def _required(kind: type[TypeEngine[Any]], *names: str, default: str | None = None) -> list[Column[Any]]:
    """Columns that are never null."""
    return [Column(name, kind, nullable=False, server_default=default) for name in names]


def _lease() -> list[Column[Any]]:
    """Who holds a row, until when, and how often it was tried; see leases.py."""
    return [
        *_required(String, "lease_owner", default=""),
        *_required(Double, "lease_until", default="0"),
        *_required(Integer, "fence", "attempts", default="0"),
    ]


events = _table(
    "events",
    Column("seq", _Number, primary_key=True, autoincrement=True),
    Column("stream", String, nullable=False),  # of a task, "T-14", or of a project, "P-shop"
    Column("version", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("actor", String, nullable=False),  # an account, or "overlord" for what follows by rule
    Column("delivery", String, nullable=False),  # what caused it: a delivery's key, a job, a timer
    Column("at", Double, nullable=False),
    *_required(String, "prev_hash", "hash"),
    UniqueConstraint("stream", "version", name="a_task_moves_one_fact_at_a_time"),
    sqlite_autoincrement=True,
)

# Tasks whose facts were moved into a file, which the last of their hashes vouches for.
archived = _table(
    "archived",
    Column("stream", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),  # never given to another task
    Column("versions", Integer, nullable=False),  # how many facts it had
    Column("head", String, nullable=False),  # hash of the last
    Column("at", Double, nullable=False),
)

# Prose of facts, which hold its hash. It can be removed; facts cannot.
words = _table(
    "words",
    Column("stream", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("text", Text, nullable=False),  # a JSON list
    Column("removed", Boolean, nullable=False, server_default="0"),  # some of it was, at the request of its author
    PrimaryKeyConstraint("stream", "version"),
)
WORDS_OF_FACT = (words.c.stream == events.c.stream) & (words.c.version == events.c.version)  # for an outer join

snapshots = _table(
    "snapshots",
    Column("stream", String, primary_key=True),
    Column("number", Integer, nullable=True, unique=True),  # of a task; projects have none
    Column("version", Integer, nullable=False),
    Column("hash", String, nullable=False),
    Column("body", Text, nullable=False),  # the task or project, by its first `saved` facts
    Column("ended", Boolean, nullable=True),  # projects do not end
    Column("saved", Integer, nullable=False),
    Index("tasks_under_way", "ended", "number"),
)

# What lists and searches need of each task, small enough to be gone through; made from the facts.
listings = _table(
    "listings",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("task", String, nullable=False, unique=True),
    Column("owner", String, nullable=False, index=True),  # person
    Column("channel", String, nullable=False),
    Column("direct", Boolean, nullable=False),
    Column("words", Text, nullable=False),  # id, project and request, in one case
)

cursors = _table("cursors", Column("reader", String, primary_key=True), Column("seq", _Number, nullable=False))

decisions = _table(
    "decisions",
    Column("id", String, primary_key=True),
    Column("task", String, nullable=False, index=True),  # in whose thread it is asked
    *_required(String, "kind", "state"),
    Column("body", Text, nullable=False),
    Column("opened_at", Double, nullable=False),
    # The delivery that decided it; empty only where time decided. It must be one we really received.
    Column("delivery", String, ForeignKey("deliveries.key"), nullable=True),
    # What a right to decide it depends on, beside its kind: whom it is put to, and its task's owner and channel.
    *_required(String, "put_to", "owner", "channel", default=""),
    Column("stream", String, nullable=False, server_default=""),  # whose facts tell of it: its task's, or a project's
    Index("decisions_by_delivery", "delivery"),  # a delivery that decided something is never removed
)

timers = _table(
    "timers",
    Column("id", String, primary_key=True),
    Column("stream", String, nullable=False),
    Column("due", Double, nullable=False, index=True),
)

jobs = _table(
    "jobs",
    Column("id", String, nullable=False),  # not indexed: it follows from the key, and what is unfinished is few
    Column("seq", _Number, nullable=False),  # of the fact that asked for it
    *_required(String, "stream", "flow", "state"),
    Column("not_before", Double, nullable=False),
    *_lease(),
    Column("problem", Text, nullable=False, server_default=""),
    Column("lane", String, nullable=False, server_default=""),  # the project, for what only so many may do at once
    PrimaryKeyConstraint("seq", "flow"),
    Index("jobs_to_run", "state", "not_before"),
)

pauses = _table(  # of the queue: a row while it is paused
    "pauses",
    Column("queue", String, primary_key=True),
    *_required(String, "by", "delivery"),  # by: person
    Column("at", Double, nullable=False),
)

deliveries = _table(
    "deliveries",
    Column("seq", _Number, primary_key=True, autoincrement=True),
    Column("key", String, nullable=False, unique=True),
    Column("also", String, nullable=True, unique=True),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
    *_required(String, "account", "channel", "thread", "state"),
    Column("outcome", Text, nullable=False, server_default=""),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("received_at", Double, nullable=False),
    Column("settled_at", Double, nullable=True),
    Index("deliveries_of_account", "account", "received_at"),
    Index("deliveries_of_channel", "channel", "received_at"),
)

posts = _table(
    "posts",
    Column("id", _Number, primary_key=True, autoincrement=True),  # the order within a thread
    *_required(String, "key", "thread"),
    Column("act", String, nullable=False),  # post, whisper, seen
    Column("target", String, nullable=False, server_default=""),  # whisper: the account; seen: the message
    Column("body", Text, nullable=False),
    Column("wanted", String, nullable=False),  # hash of body
    Column("shown", String, nullable=False, server_default=""),  # hash of what the platform last took
    Column("message", String, nullable=False, server_default=""),  # the platform's id
    Column("state", String, nullable=False),  # waiting, sending, sent, parked
    Column("not_before", Double, nullable=False),
    *_lease(),
    Column("unsure_since", Double, nullable=True),
    Column("wanted_at", Double, nullable=False),
    Column("problem", Text, nullable=False, server_default=""),
    UniqueConstraint("key", "thread", name="one_message_a_key"),
    Index("posts_by_message", "thread", "message"),
)

# As text, which both databases read alike: an Index that names PostgreSQL loads all of its dialect at every start.
QUESTIONS = (
    "CREATE INDEX decisions_to_make ON decisions (kind, put_to, owner, channel) "
    "WHERE state = 'open' AND kind <> 'controls'"
)
for _indexed, _index in (
    (deliveries, "CREATE INDEX deliveries_to_settle ON deliveries (seq) WHERE state = 'received'"),
    (deliveries, "CREATE INDEX deliveries_parked ON deliveries (seq) WHERE state = 'parked'"),
    (decisions, QUESTIONS),
    (posts, "CREATE INDEX posts_to_send ON posts (id) WHERE wanted <> shown"),
):
    event.listen(_indexed, "after_create", DDL(_index))  # type: ignore[no-untyped-call]

threads = _table(
    "threads",
    Column("thread", String, primary_key=True),
    Column("channel", String, nullable=False),
    Column("task", String, nullable=True, index=True),
    Column("starter", String, nullable=False),  # account
    Column("mentioners", Text, nullable=False, server_default="[]"),  # accounts that mentioned the bot here
    Column("elsewhere", Boolean, nullable=False),  # another person was addressed since the bot was
    Column("changed_at", Double, nullable=False),
    Index("threads_of_channel", "channel", "changed_at"),
)

# Our own copy of what was said in threads (histories of platforms are cut); for the console it is the original.
messages = _table(
    "messages",
    Column("id", _Number, primary_key=True, autoincrement=True),
    *_required(String, "thread", "message"),
    Column("key", String, nullable=False, server_default=""),  # of the bot's post
    Column("by", String, nullable=False, server_default=""),  # account; empty for the bot
    Column("only_for", String, nullable=False, server_default=""),  # account
    *_required(Text, "text", "card", default=""),
    Column("at", Double, nullable=False),
    Column("edited_at", Double, nullable=True),
    Column("seen", Boolean, nullable=False, server_default="0"),
    UniqueConstraint("thread", "message", name="one_copy_a_message"),
    Index("messages_by_key", "thread", "key"),
)

# Every step that was asked of a model: one row, however many calls it took.
calls = _table(
    "calls",
    Column("id", String, primary_key=True),  # derived from the job and the step
    Column("task", String, nullable=False),  # empty: no task has come of it yet
    Column("channel", String, nullable=False),
    Column("day", String, nullable=False),  # of UTC
    *_required(String, "question", "role"),
    Column("model", String, nullable=False),  # the one that was asked last
    Column("state", String, nullable=False),  # reserved, done, failed
    Column("answer", Text, nullable=False, server_default=""),
    *_required(Double, "cost", "reserved"),
    *_required(Integer, "tokens_in", "tokens_out", "cached_tokens"),
    Column("seconds", Double, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("degraded", Text, nullable=False, server_default=""),
    Column("warned", String, nullable=False, server_default=""),  # the budget that it took over its warning mark
    Column("warned_limit", Double, nullable=True),
    Column("warned_spent", Double, nullable=True),
    Column("problem", Text, nullable=False, server_default=""),
    Column("at", Double, nullable=False),
    *_required(String, "job", "step", "error", default=""),  # error: the class of what went wrong last
    Column("told", Text, nullable=False, server_default=""),  # JSON: how much of what it took facts say
    Index("calls_of_task", "task", "cost", "reserved"),  # what a budget is summed up from, and nothing else
    Index("calls_of_day", "day", "channel", "cost", "reserved"),
    Index("calls_that_warned", "warned"),
)

# What a minion and its tools said, a row a turn; a run goes on from here after a crash, an answer or a stop.
turns = _table(
    "turns",
    Column("run", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("body", Text, nullable=False),
    Column("at", Double, nullable=False),
)

breakers = _table(
    "breakers",
    Column("name", String, primary_key=True),  # a model, or a step behind `step:`
    Column("body", Text, nullable=False),
)

# Pull requests of the local forge; those of GitHub are remembered there.
pulls = _table(
    "pulls",
    Column("key", String, primary_key=True),
    Column("project", String, nullable=False),
    Column("number", Integer, nullable=False),
    *_required(String, "branch", "base", "head"),
    *_required(Text, "title", "body"),
    Column("state", String, nullable=False),  # draft, open, merged
    Column("was", String, nullable=False, server_default=""),  # where the base stood when the merge was made
    Column("merge", String, nullable=False, server_default=""),  # commit
    Column("at", Double, nullable=False),
    UniqueConstraint("project", "number", name="one_pull_a_number"),
)

# Nothing is written here any more; earlier versions did, and it is forgotten with its task.
pull_comments = _table(
    "pull_comments",
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("project", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("key", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Double, nullable=False),
    UniqueConstraint("project", "number", "key", name="one_comment_a_key"),
)

# What a provider asked us to leave alone: platform, then what to leave alone.
waits = _table(
    "waits",
    Column("scope", String, primary_key=True),
    Column("until", Double, nullable=False),
    Column("asked", Double, nullable=False),  # seconds
)

# Sums over tables that only grow, kept as they grow: nobody goes through all there ever was to read one.
MODEL_DOLLARS, MODEL_CALLS, LEASE_TAKEOVERS = "model_dollars", "model_calls", "lease_takeovers"
totals = _table("totals", Column("name", String, primary_key=True), Column("value", Double, nullable=False))

schema = _table("schema_version", Column("version", Integer, primary_key=True))

evaluations = _table(  # what was judged, one row a judgement; made from the facts, and never changed
    "evaluations",
    Column("task", String, nullable=False),
    *_required(Integer, "subtask", "attempt"),
    Column("judgement", Integer, nullable=False),  # of this attempt: 2 where a step for the whole refused it, too
    Column("repo", String, nullable=False),
    Column("pr_number", Integer, nullable=False),  # 0: none was open yet
    *_required(String, "commit", "test_score", "lint_score"),
    Column("review_score", String, nullable=False),  # empty: nobody read it, or without a verdict
    Column("overall", String, nullable=False),
    Column("feedback", Text, nullable=False),
    Column("revision_number", Integer, nullable=False),  # 0: the first attempt
    Column("risk", String, nullable=False),
    *_required(Double, "cost", "at"),
    PrimaryKeyConstraint("task", "subtask", "attempt", "judgement"),
)

runs = _table(  # every run of a minion, planner or reviewer; made from the facts
    "runs",
    *_required(String, "task", "step"),  # step: of the workflow
    *_required(Integer, "subtask", "attempt"),  # subtask: 0 for the whole task
    *_required(String, "role", "engine", "model", "task_type", "workflow", "error"),
    Column("success", Boolean, nullable=True),  # NULL: it is under way, or was not judged
    *_required(Integer, "retries", "calls", "tokens_in", "tokens_out", "cached_tokens"),
    *_required(Double, "cost", "seconds", "at"),
    Column("since", Double, nullable=True),  # when the part began that is under way
    PrimaryKeyConstraint("task", "step", "subtask", "attempt", "role"),
)

proposals = _table(  # what the system suggested and what became of it; made from the facts
    "proposals",
    Column("id", String, primary_key=True),
    *_required(String, "type", "estimated_impact", "risk", "status", "project"),
    *_required(Text, "title", "proposed_action", "rationale", "related_tasks", "related_issues"),  # three are JSON
    Column("likeness", String, nullable=False, index=True),  # the same for near-duplicates
    *(Column(name, Double, nullable=name == "resolved_at") for name in ("created_at", "resolved_at")),
    Column("task", String, nullable=False, index=True),  # that gave rise to it
    *(Column(name, String, nullable=True) for name in ("account", "carried_out_by")),  # account: of whoever decided
    Column("decision", String, ForeignKey("decisions.id"), nullable=True),  # by which it was decided
    *_required(Text, "reason", "revises", default=""),  # revises: the skill that is to be better
    Column("stream", String, nullable=False, server_default=""),  # whose facts tell of it
    CheckConstraint("status = 'pending' OR decision IS NOT NULL", name="a_person_decided_on_it"),
    Index("proposals_by_status", "status", "created_at"),
)
