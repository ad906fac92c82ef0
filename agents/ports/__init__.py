"""What the deciding part needs from the world. Adapters implement these; flows receive them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.domain.checks.evaluation import Change
from agents.domain.checks.risk import Risk
from agents.domain.limits import Limits
from agents.domain.workflow.workflow import DEFAULT, Workflow
from agents.ports.judging import (
    Candidate as Candidate,
    Forge as Forge,
    ForgeFailed as ForgeFailed,
    Gates as Gates,
    Issues as Issues,
    Judged as Judged,
    Pull as Pull,
    PullBook as PullBook,
    PullComment as PullComment,
    PullRecord as PullRecord,
    PullRequest as PullRequest,
    Specialist as Specialist,
    Specialists as Specialists,
    Target as Target,
    Trial as Trial,
)
from agents.ports.minions import (
    Asked as Asked,
    Brief as Brief,
    Files as Files,
    Finished as Finished,
    GaveUp as GaveUp,
    Minions as Minions,
    Outcome as Outcome,
    Packs,
    Progress as Progress,
    Turns as Turns,
    WantsScope as WantsScope,
    Watch as Watch,
)
from agents.ports.models import (
    Admitted as Admitted,
    Answered as Answered,
    Ask as Ask,
    Call as Call,
    CallBook as CallBook,
    Converse as Converse,
    Keep as Keep,
    Llm as Llm,
    Owed as Owed,
    Said as Said,
    Shape as Shape,
    Spent as Spent,
    Talker as Talker,
    Tool as Tool,
    ToolCall as ToolCall,
    Tried as Tried,
)
from agents.ports.projects import (
    Artefacts as Artefacts,
    Checkout as Checkout,
    CheckoutFailed as CheckoutFailed,
    Checkouts as Checkouts,
    Projects as Projects,
    Uncommittable as Uncommittable,
)
from agents.ports.sandbox import (
    EndedBy as EndedBy,
    Listener as Listener,
    Live,
    Profile as Profile,
    Ran as Ran,
    Room as Room,
    Sandbox as Sandbox,
    Show as Show,
    Workspace as Workspace,
    unseen as unseen,
)
from agents.ports.store import (
    Clock as Clock,
    Decide as Decide,
    Store,
)


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
