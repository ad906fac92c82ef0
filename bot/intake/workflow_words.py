"""The workflow and the role that somebody chooses with a request: “add a page, use open_source”, “role=careful”."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from difflib import get_close_matches

from agents.catalog.library import Catalog
from agents.catalog.validation import did_you_mean
from agents.domain.errors import OverlordError

_NAME = r"`?(?P<name>[a-z][a-z0-9_-]{0,59})`?"
_OTHER = _NAME.replace("name", "other")
_BEGINS, _ENDS = r"(?:^|(?<=[\s,;.(\[]))", r"(?=$|[\s,;.)\]])"
# What can only mean a workflow: a name that nobody knows is told.
_PLAIN = (
    rf"{_BEGINS}(?:--)?workflow={_NAME}{_ENDS}",
    rf"{_BEGINS}--workflow\s+{_NAME}{_ENDS}",
    rf"(?:\A|(?<=\n))[ \t(]*workflow\s*:\s*{_NAME}\s*[,;.)]*(?=\s|\Z)",
    rf"(?:[,;.(]\s*|\n[ \t]*)workflow\s*:\s*{_NAME}\s*[.)]*\s*\Z",
)
# What may mean something else: it counts with a name that is known, or nearly.
_LIKELY = (
    rf"\b(?:use|using|with|under|follow)\s+(?:the\s+)?(?:workflow\s+{_NAME}|{_OTHER}\s+workflow)\b",
    rf"\A\s*use\s+{_NAME}\s*(?:[:,;.\n]|\Z)",
    rf"(?:[,;.(–—]\s*|\n[ \t]*|\band\s*)(?:please\s+)?use\s+{_NAME}\s*(?:please)?[.)!]*\s*\Z",
)
_UNDERSCORED = r"(?<!\s)\s+use\s+`?(?P<name>[a-z][a-z0-9-]*_[a-z0-9_-]+)`?[.!]*\s*\Z"
_NEAR = 0.6
_LEFT_OVER, _LEFT_WORD = " \t\r\n\f\v\xa0,;:([–—-", 8  # what stood beside a choice, at the end of the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    text: str  # without the words that chose
    workflow: str = ""
    role: str = ""


def read_choices(text: str, catalog: Callable[[], Catalog]) -> ReadRequest:
    """Both. Raises OverlordError as each of them does."""
    read = read_workflow(text, lambda: catalog().workflows)
    left, chosen = read.text, list[str]()
    for pattern in (each.replace("workflow", "role") for each in _PLAIN[:2]):
        while match := re.search(pattern, left, re.IGNORECASE):
            chosen.append(_require(match["name"].casefold(), catalog().roles, "role"))
            left = f"{left[: match.start()]} {left[match.end() :]}"
    if len(set(chosen)) > 1:
        raise OverlordError(f"You name two roles, {' and '.join(dict.fromkeys(chosen))}", next_step="Name one.")
    if not chosen:
        return read
    if not (tidy := _tidy(left)):
        step = f"Say what you want as well: `add a login page, role={chosen[0]}`."
        raise OverlordError(f"You name the role {chosen[0]}, and nothing to do", next_step=step)
    return replace(read, text=tidy, role=chosen[0])


def read_workflow(text: str, known: Callable[[], Collection[str]]) -> ReadRequest:
    """`known`: names of workflows, read only where the words may name one. Raises OverlordError for one that is not
    there, and where nothing is left to do."""
    left, chosen = text, list[str]()
    for pattern in _PLAIN:
        while match := re.search(pattern, left, re.IGNORECASE):
            chosen.append(_require(match["name"].casefold(), known()))
            left = f"{left[: match.start()]} {left[match.end() :]}"
    for pattern in (*_LIKELY, _UNDERSCORED):
        while (match := re.search(pattern, left, re.IGNORECASE)) and (name := _likely(match, known())):
            chosen.append(_require(name, known()))
            left = f"{left[: match.start()]} {left[match.end() :]}"
    if len(set(chosen)) > 1:
        raise OverlordError(f"You name two workflows, {' and '.join(dict.fromkeys(chosen))}", next_step="Name one.")
    if not chosen:
        return ReadRequest(text=text)
    tidy = _tidy(left)
    if not tidy:
        step = f"Say what you want as well: `add a login page, use {chosen[0]}`."
        raise OverlordError(f"You name the workflow {chosen[0]}, and nothing to do", next_step=step)
    return ReadRequest(text=tidy, workflow=chosen[0])


def _likely(match: re.Match[str], known: Collection[str]) -> str:
    """The name, if it is one or nearly; words such as “use the checkout workflow” stay what they are."""
    found = (match.groupdict().get("name") or match.groupdict().get("other") or "").casefold()
    explicit = "workflow" in match[0].casefold()
    near = explicit and get_close_matches(found, known, n=1, cutoff=_NEAR)
    return found if found in known or near else ""


def _require(name: str, known: Collection[str], what: str = "workflow") -> str:
    if name not in known:
        step = f"{did_you_mean(name, known)} Say the request again with a name that I know."
        raise OverlordError(f"There is no {what} `{name}`", next_step=step)
    return name


def _tidy(text: str) -> str:
    lines = (re.sub(r"[ \t]{2,}", " ", line).rstrip() for line in text.splitlines())
    joined = "\n".join(lines).strip()
    joined = joined.rstrip(_LEFT_OVER)
    if word := re.search(r"\b(?:and|please)\Z", joined[-_LEFT_WORD:], re.IGNORECASE):
        joined = joined[: len(joined) - len(word[0])].rstrip(_LEFT_OVER)
    return re.sub(r"\A[\s,;:.)\]–—-]*(?:(?:and|to|then)\s+)?", "", joined, flags=re.IGNORECASE)
