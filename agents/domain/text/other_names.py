"""What models call a field of ours, and what they write where there is nothing to write, or for a number."""

import re
from collections.abc import Mapping

# A whole text, in small letters, that says that there is nothing. That nothing changed, or has a test, is a finding.
_SAID = (
    r"(?: (?:(?:were|was|are|is) )?(?:found|identified|noted|needed|required|detected|seen|raised|observed|spotted))?"
)
_FAULTS = (
    r"(?:(?:further|other|obvious|new|major|known|security) )*"
    r"(?:issues?|concerns?|risks?|problems?|objections?|vulnerabilit(?:y|ies))"
)
_HERE = r"(?: (?:in|with|for|by)(?: (?:this|the|that|these|my))?(?: [a-z]+){0,2})?"
NOTHING = re.compile(
    rf"null|n/a|na|nothing{_SAID}|not applicable|none{_SAID}{_HERE}"
    rf"|no (?:changes|suggestions|assumptions|comments){_SAID}"
    rf"|(?:i (?:see|found|have) |there (?:are|is|were) )?no {_FAULTS}{_SAID}{_HERE}"
)
PLACES = ("file", "path", "filename", "filepath", "location")
# What models call the one text of an object where a bare text is wanted.
TEXTS = (
    "text",
    "what",
    "description",
    "issue",
    "concern",
    "suggestion",
    "change",
    "message",
    "point",
    "name",
    "title",
    "comment",
    "details",
    "problem",
)
# What models call a field of ours, where they leave out the name that they were shown.
ALSO: Mapping[str, tuple[str, ...]] = {
    "what": ("issue", "problem", "description", "text", "concern", "risk", "assumption", "title"),
    "fix": ("suggestion", "suggested_fix", "solution"),
    "number": ("order", "id", "subtask"),
    "why": ("reason", "rationale", "purpose", "description"),
    "title": ("name", "summary", "subject"),
    "goal": ("objective", "aim"),
    "subtasks": ("steps", "tasks", "items"),
    "files": ("paths", "filepaths", "filestochange", "filestomodify", "file"),
    "needs": ("dependson", "dependencies", "blockedby", "requires", "after"),
    "test": ("tests", "verification", "testplan", "howtotest", "acceptance", "acceptancecriteria"),
    "hours": ("estimate", "estimatedhours", "effort"),
    "mitigation": ("action", "response", "whatisdoneaboutit"),
}
# Other names under which a verdict stands. A verdict is never taken from there; one that says otherwise is heard.
ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "verdict": ("status", "decision", "ruling", "finalverdict"),
    "status": ("verdict", "decision", "opinion", "finalstatus"),
}
# How sure somebody is who was asked for a number up to one; what is less than this table says is less.
SURE_IN_WORDS: Mapping[str, float] = {
    **dict.fromkeys(("certain", "very high", "absolute"), 0.95),
    **dict.fromkeys(("high", "sure", "confident", "quite sure"), 0.85),
    **dict.fromkeys(("medium", "moderate", "fair", "fairly sure"), 0.5),
    **dict.fromkeys(("low", "very low", "unsure", "not sure", "none"), 0.2),
}
