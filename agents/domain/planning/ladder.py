"""How a plan came about where the usual way was closed: from less to read, or as an outline that code wrote."""

from collections.abc import Sequence

from agents.domain.planning.decomposition import MAX_HOURS, MAX_REVIEW_MINUTES, Confidence, Decomposition, Subtask
from agents.domain.text.sanitize import cut, one_line

TODO = "TODO: "


def outline(request: str, heed: Sequence[str] = ()) -> Decomposition:
    """The request as one subtask. What a person has to say is marked; what they said already is in it."""
    said = f"; heed: {cut('; '.join(heed), 200)}" if heed else ""
    only = Subtask(
        number=1,
        title=one_line(request, 100),
        why=f"it is what was asked for{said}",
        hours=MAX_HOURS,
        review_minutes=MAX_REVIEW_MINUTES,
        confidence=Confidence.LOW,
        test=f"{TODO}say which command or which case shows that it works",
    )
    missing = (
        "split it, if it is more than one pull request",
        "name the files that may be written; you are asked before anything starts",
        "say which command or which case shows that it works",
    )
    return Decomposition(
        goal=one_line(request, 200),
        subtasks=(only,),
        summary="A one-step plan that no model had a part in.",
        assumptions=tuple(f"{TODO}{each}" for each in missing),
    )
