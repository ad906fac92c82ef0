"""What somebody asks for becomes a request: its words, what they choose with it, and a plan that it brings along."""

from collections.abc import Callable
from datetime import datetime

from agents.catalog.forms.feature_files import read_feature
from agents.catalog.library import Catalog
from agents.domain.errors import OverlordError
from agents.domain.ids import PersonId
from agents.domain.task.facts import Request
from agents.domain.text.sanitize import clean
from bot.intake.workflow_words import ReadRequest, read_choices
from bot.messages import Labelled, Mandated, Said

REQUEST_MOST = 16_000
FILE = "the feature file"


def read_request(
    text: str,
    said: Said | Labelled | Mandated,
    by: PersonId,
    at: datetime,
    catalog: Callable[[], Catalog],
) -> Request:
    """Raises OverlordError where it is too long, chooses what is not there, or brings a plan that cannot be used."""
    brought = clean(said.plan) if isinstance(said, Said) else ""
    if len(text) + len(brought) > REQUEST_MOST:
        raise OverlordError(
            f"That request has {len(text) + len(brought):,} characters; I read at most {REQUEST_MOST:,}",
            next_step="Say what you want in a few sentences, and name the files that hold the rest.",
        )
    chosen = isinstance(said, Said)  # an issue's words choose nothing
    read = read_choices(text, catalog) if chosen else ReadRequest(text=text)
    plan = read_feature(FILE, brought).plan if brought else None
    return Request(
        text=read.text,
        workflow=read.workflow,
        role=read.role,
        by=by,
        thread=said.thread,
        channel=said.channel,
        at=at,
        hidden=said.hidden,
        origin=said.origin if isinstance(said, Labelled) else None,
        direct=isinstance(said, Said | Mandated) and said.direct,
        mandate=said.mandate if isinstance(said, Mandated) else None,
        delivery=said.key,
        plan=plan,
        file=brought.strip(),
    )
