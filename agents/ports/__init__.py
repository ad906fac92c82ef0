"""What the deciding part needs from the world. Adapters implement these; flows receive them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.domain.checks.evaluation import Change
from agents.domain.checks.risk import Risk
from agents.domain.limits import Limits
from agents.domain.workflow.workflow import DEFAULT, Workflow
from agents.ports.judging import (
    Candidate,
    Forge,
    ForgeFailed,
    Gates,
    Issues,
    Judged,
    Pull,
    PullBook,
    PullComment,
    PullRecord,
    PullRequest,
    Specialist,
    Specialists,
    Target,
    Trial,
)
from agents.ports.minions import (
    Asked,
    Brief,
    Files,
    Finished,
    GaveUp,
    Minions,
    Outcome,
    Packs,
    Progress,
    Turns,
    WantsScope,
    Watch,
)
from agents.ports.models import (
    Admitted,
    Answered,
    Ask,
    Call,
    CallBook,
    Converse,
    Keep,
    Llm,
    Owed,
    Said,
    Shape,
    Spent,
    Talker,
    Tool,
    ToolCall,
    Tried,
)
from agents.ports.projects import Artefacts, Checkout, CheckoutFailed, Checkouts, Projects, Uncommittable
from agents.ports.sandbox import EndedBy, Listener, Live, Profile, Ran, Room, Sandbox, Show, Workspace, unseen
from agents.ports.store import Clock, Decide, Store

__all__ = [
    "Admitted",
    "Answered",
    "Artefacts",
    "Ask",
    "Asked",
    "Brief",
    "Call",
    "CallBook",
    "Candidate",
    "Checkout",
    "CheckoutFailed",
    "Checkouts",
    "Clock",
    "Converse",
    "Decide",
    "EndedBy",
    "Files",
    "Finished",
    "Forge",
    "ForgeFailed",
    "Gates",
    "GaveUp",
    "Issues",
    "Judged",
    "Keep",
    "Listener",
    "Live",
    "Llm",
    "Minions",
    "Outcome",
    "Owed",
    "Packs",
    "Ports",
    "Profile",
    "Progress",
    "Projects",
    "Pull",
    "PullBook",
    "PullComment",
    "PullRecord",
    "PullRequest",
    "Ran",
    "Room",
    "Said",
    "Sandbox",
    "Shape",
    "Show",
    "Specialist",
    "Specialists",
    "Spent",
    "Store",
    "Talker",
    "Target",
    "Tool",
    "ToolCall",
    "Trial",
    "Tried",
    "Turns",
    "Uncommittable",
    "WantsScope",
    "Watch",
    "Workspace",
    "unseen",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything a flow may touch, made once in bot/app.py."""

    store: Store
    projects: Projects
    llm: Llm
    specialists: Specialists
    limits: Limits
    checkouts: Checkouts
    minions: Minions
    gates: Gates
    forge: Forge
    issues: Issues
    artefacts: Artefacts
    packs: Packs
    live: Live
    risk: Callable[[Sequence[Change], float | None], Risk]  # of a change with such a coverage
    workflow: Callable[[], Workflow] = lambda: DEFAULT  # the current one; a task may keep an older one
