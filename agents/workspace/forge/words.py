"""Words for commits and for GitHub that can only be read: nobody is called, nothing is run, closed or fetched."""

import re

from agents.domain.text import clean, cut, one_line

TITLE_MOST = 200
BODY_MOST = 60_000  # GitHub takes 65,536
_GAP = "\u200b"  # seen by nobody, and enough to make plain text of what comes after

_SKIPS = re.compile(
    r"\[\s*(?:skip[ -]*(?:ci|actions)|(?:ci|actions)[ -]*skip|no[ -]*ci|skip[ -]*travis|skip[ -]*netlify)\s*\]"
    r"|\*\*\*\s*NO_CI\s*\*\*\*|skip-checks\s*:\s*true",
    re.I,
)
_TRAILER = re.compile(r"(?m)^(?=[A-Za-z0-9][A-Za-z0-9-]*:[ \t])")
_COMMAND = re.compile(r"(?m)^(?=[ \t]*/[A-Za-z])")  # bots obey lines such as /approve
_MENTION = re.compile(r"@(?=[A-Za-z0-9])")
_NUMBER = re.compile(r"(?i)(#|\bGH-)(?=\d)")
_CLOSES = re.compile(  # every repeat has its end, so that no text makes it slow
    r"(?i)\b(clos|fix|resolv)(?=(?:e|ed|es|s)?\b\s{0,9}:?\s{0,9}(?:#|\bGH-|https?:|[\w.-]{1,99}/[\w.-]{1,99}#))"
)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"(!)(?=\[)|(\])(?=[(:\[])")
_URL = re.compile(r"(?i)\b(https?|ftp):(?=//)(?://([^/\s?#@:]*)([/\s?#:]|$))?|\b(mailto|xmpp):|\b(www)(?=\.)")


def commit_message(text: str) -> str:
    """Attack 50: no word that tells CI to look away, that closes an issue or calls somebody, no line that signs it."""
    plain = _TRAILER.sub("> ", _quiet(_SKIPS.sub("", cut(clean(text), BODY_MOST)).strip()))
    first, _, rest = plain.partition("\n")
    head, told = one_line(first, TITLE_MOST) or "Merge", rest.strip()
    return f"{head}\n\n{cut(told, BODY_MOST)}\n" if told else f"{head}\n"


def title(text: str) -> str:
    return one_line(_quiet(_SKIPS.sub("", clean(text)[:BODY_MOST])), TITLE_MOST) or "Work of a minion"


def harmless(text: str, own_host: str = "") -> str:
    """Markdown that mentions nobody, closes nothing, shows no picture and links only to the forge itself."""
    text = _quiet(cut(clean(text), BODY_MOST))
    for pattern, told in ((_TAG, f"<{_GAP}"), (_LINK, rf"\1\2{_GAP}"), (_COMMAND, _GAP)):
        text = pattern.sub(told, text)
    return cut(_URL.sub(lambda found: _url(found, own_host), text), BODY_MOST)


def _quiet(text: str) -> str:
    """GitHub reads these in commits as well: what closes issues, mentions people, refers to numbers."""
    for pattern, told in ((_CLOSES, rf"\1{_GAP}"), (_MENTION, f"@{_GAP}"), (_NUMBER, rf"\1{_GAP}")):
        text = pattern.sub(told, text)
    return text


def _url(found: re.Match[str], own_host: str) -> str:
    whole = found[0]
    if own_host and found[2] and found[2].casefold() == own_host.casefold() and found[1].casefold() == "https":
        return whole
    at = len(found[1]) + 1 if found[1] else len(whole)
    return whole[:at] + _GAP + whole[at:]
