"""What a channel's page says to somebody who has not begun: what to ask for, about which code, and what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

SUGGESTIONS = (
    "@overlord add rate limiting to the public API",
    "@overlord the nightly report is empty on Mondays, find out why",
)
NO_MODEL = (
    "No model is set up, so nothing can be planned for your projects yet. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, "
    "start Ollama, or name one: overlord models set primary NAME. `overlord doctor` says which one serves and why."
)


@dataclass(slots=True, kw_only=True)
class Opening:
    """It may still change: the page is there before it is known what can be asked for."""

    suggestions: Sequence[str] = SUGGESTIONS
    about: str = ""  # what the code is, where it is the sample
    notice: str = ""  # why a request would lead nowhere

    def fill(self, *, sample: str, offers: Sequence[str], rehearses: bool) -> None:
        """`sample`: its folder, where it is the project. `offers`: requests that the offline model can play."""
        self.about = _about_sample(sample, rehearses) if sample else ""
        self.notice = NO_MODEL if rehearses and not sample else ""
        self.suggestions = () if self.notice else tuple(offers) or SUGGESTIONS


def _about_sample(folder: str, rehearses: bool) -> str:
    played = (
        " No model is set up, so a script plays planner, reviewers and minions for the requests below; sandbox, checks "
        "and git are real. Each one starts from the first commit, on a branch of its own once main has moved."
    )
    return (
        f"You have named no project yet, so this is about the sample: shortlinks, a small Python program that shortens "
        f"links, in {folder}. Play with it.{played if rehearses else ''} To name your own: overlord init in its folder."
    )
