"""Names for things. Apart from tasks, which are numbered, an id is derived from what caused the thing."""

import base64
import hashlib
import uuid
from typing import NewType, TypeGuard

TaskId = NewType("TaskId", str)  # "T-14"
ProjectId = NewType("ProjectId", str)  # "P-shop": the stream of the project `shop`
StreamId = TaskId | ProjectId
DecisionId = NewType("DecisionId", str)  # 22 characters, base64url
ProposalId = NewType("ProposalId", str)  # 22 characters, base64url
PersonId = NewType("PersonId", str)  # 22 characters, base64url
Account = NewType("Account", str)  # "cli:ana": where people are known, then the id that is vouched for there
Thread = NewType("Thread", str)  # "console:general:41": surface, then whatever the surface needs to find it again

_ROOT = uuid.uuid5(uuid.NAMESPACE_DNS, "overlord").bytes


def derive_id(*cause: str) -> str:
    """The same cause gives the same 22 characters, so a step that is replayed names the same things."""
    made = bytearray(hashlib.sha1(_ROOT + "\x1f".join(cause).encode(), usedforsecurity=False).digest()[:16])
    made[6] = made[6] & 0x0F | 0x50  # a UUID of version 5, made here because uuid5 takes thrice as long
    made[8] = made[8] & 0x3F | 0x80
    return base64.urlsafe_b64encode(made)[:22].decode()


def project_id(name: str) -> ProjectId:
    return ProjectId(f"P-{name}")


def stream_id(written: str) -> StreamId:
    return ProjectId(written) if written.startswith("P-") else TaskId(written)


def is_project(stream: StreamId) -> TypeGuard[ProjectId]:
    return stream.startswith("P-")


def fingerprint(*parts: str) -> str:
    """A hash of what a person was shown."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]


def surface_of(address: str) -> str:
    """Which platform an account or a thread belongs to."""
    return address.partition(":")[0]
