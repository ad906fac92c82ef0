"""Words for GitHub that can only be read: nobody is called, nothing is run, closed or fetched."""

import re

from agents.domain.text.sanitize import clean, cut, one_line
from agents.domain.work.git_names import GAP, quiet, without_skips

TITLE_MOST = 200
BODY_MOST = 60_000  # GitHub takes 65,536
_COMMAND = re.compile(r"(?m)^(?=[ \t]*/[A-Za-z])")  # bots obey lines such as /approve
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"(!)(?=\[)|(\])(?=[(:\[])")
_URL = re.compile(r"(?i)\b(https?|ftp):(?=//)(?://([^/\s?#@:]*)([/\s?#:]|$))?|\b(mailto|xmpp):|\b(www)(?=\.)")


def title(text: str) -> str:
    return one_line(quiet(without_skips(clean(text)[:BODY_MOST])), TITLE_MOST) or "Work of a minion"


def harmless(text: str, own_host: str = "") -> str:
    """Markdown that mentions nobody, closes nothing, shows no picture and links only to the forge itself."""
    text = quiet(cut(clean(text), BODY_MOST))
    for pattern, told in ((_TAG, f"<{GAP}"), (_LINK, rf"\1\2{GAP}"), (_COMMAND, GAP)):
        text = pattern.sub(told, text)
    return cut(_URL.sub(lambda found: _url(found, own_host), text), BODY_MOST)


def _url(found: re.Match[str], own_host: str) -> str:
    whole = found[0]
    if own_host and found[2] and found[2].casefold() == own_host.casefold() and found[1].casefold() == "https":
        return whole
    at = len(found[1]) + 1 if found[1] else len(whole)
    return whole[:at] + GAP + whole[at:]
