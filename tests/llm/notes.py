"""Notes of a sample project, as a prompt about its login is given them."""

from collections.abc import Sequence

from agents.domain.knowledge.choosing import Choice, choose_notes
from agents.domain.knowledge.document import Note, Status
from agents.domain.knowledge.note import Folder
from agents.llm.prompts import Adds, Prompts
from tests.llm.rig import SECRET, files

ERRORS = Note(
    folder=Folder.CONVENTIONS,
    slug="errors",
    title="Errors",
    status=Status.ESTABLISHED,
    rules=("Raise ShopError with what to do next, never Exception",),
    good='raise ShopError("The cart is empty", next_step="Add something.")',
    bad="return None",
    rationale="People read it.",
)
LIMITS = Note(
    folder=Folder.LESSONS,
    slug="limits",
    title="Limits of the login",
    rules=("Rate limiting counts per account, not per address",),
)
NOTES = (ERRORS, LIMITS)


def choice(*notes: Note) -> Choice:
    return choose_notes(notes, "add rate limiting to the login", lambda note: 40)


def with_notes(notes: Sequence[Note] = NOTES, left_out: tuple[tuple[str, str], ...] = ()) -> Prompts:
    async def chosen(project: str, commit: str, about: str) -> Choice:
        found = choice(*notes)
        return Choice(confirmed=found.confirmed, unconfirmed=found.unconfirmed, left_out=left_out)

    return Prompts(SECRET, files=files, adds=Adds(notes=chosen))
