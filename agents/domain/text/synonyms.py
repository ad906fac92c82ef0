"""What models write for a word of ours: plain synonyms alone, by the name of the enum.

A word that lets something go on stands for nothing milder than it says, and one that is not here is no answer.
Little stands for `refactor` and `spike`, for less is asked of those two. Nothing stands for a warning of the scope
guard that asks for a change: that is a field of its own, and a word in its place would be taken for a mere note.
"""

from collections.abc import Mapping

_GO = (
    *("approve", "approves", "accept", "accepted", "pass", "passed", "passes", "ok", "okay", "lgtm", "go", "go ahead"),
    *("proceed", "approved", "looks good", "looks good to me", "ship it"),
)
_STOP = ("stop", "stopped", "block", "blocked", "blocking", "halt", "halted", "reject", "rejected", "deny", "denied")
_NONE = ("cannot assess", "unable to assess", "can not assess", "no verdict", "none", "abstain", "unknown", "unclear")
_CHANGE = (
    *("changes requested", "request changes", "requests changes", "changes required", "change requested"),
    *("changes needed", "needs changes", "needs work", "needs revision", "needs fixes", "revise", "revision"),
    *("revision needed", "revision required", "revise and resubmit"),
)

SYNONYMS: Mapping[str, Mapping[str, str]] = {
    "Critic": {
        **dict.fromkeys(_GO, "proceed"),
        **dict.fromkeys(_CHANGE, "revise"),
        **dict.fromkeys(_STOP, "halt"),
        **dict.fromkeys(_NONE, "no_verdict"),
    },
    "Custodiet": {
        **dict.fromkeys((*_GO, "within scope", "in scope", "allowed"), "ok"),
        **dict.fromkeys(("warning", "warned", "caution"), "warn"),
        **dict.fromkeys(_STOP, "block"),
        **dict.fromkeys(_NONE, "no_verdict"),
    },
    "Opinion": {
        **dict.fromkeys(_GO, "approved"),
        **dict.fromkeys(_CHANGE, "changes_requested"),
        **dict.fromkeys((*_STOP, "refused"), "rejected"),
        **dict.fromkeys(_NONE, "no_verdict"),
    },
    "PositionSays": {
        **dict.fromkeys(("keeps", "maintain", "maintains", "hold", "stand", "stand by"), "keep"),
        **dict.fromkeys(("concedes", "revise", "revises", "give way", "gives way", "yield"), "concede"),
    },
    "Aspect": {
        **dict.fromkeys(("drift", "scope drift", "out of scope"), "scope"),
        **dict.fromkeys(("logical error", "logical errors", "order"), "logic"),
        **dict.fromkeys(("assumptions", "dependency", "dependencies"), "assumption"),
        **dict.fromkeys(("missing", "missing cases", "edge case", "edge cases", "cases"), "case"),
        **dict.fromkeys(("pr size", "sizing", "test", "tests"), "size"),
    },
    "PlanStatus": {
        **dict.fromkeys(("completed", "done", "ready", "plan", "planned", "ok", "success"), "COMPLETE"),
        **dict.fromkeys(("needs clarification", "clarification", "question", "refine"), "NEEDS_REFINEMENT"),
        **dict.fromkeys(("block", "cannot plan", "impossible", "refused"), "BLOCKED"),
    },
    "WorkKind": {
        **dict.fromkeys(("bug", "bugfix", "bug fix", "fixes", "hotfix", "repair", "correction"), "fix"),
        **dict.fromkeys(("feat", "features", "new feature", "enhancement", "improvement", "change"), "feature"),
        **dict.fromkeys(("refactoring", "refactors", "restructuring"), "refactor"),
        **dict.fromkeys(("doc", "documentation", "documents", "readme"), "docs"),
        **dict.fromkeys(("test", "testing", "unit tests"), "tests"),
        **dict.fromkeys(("research", "investigation", "information spike", "exploration"), "spike"),
    },
    "SubtaskSize": {
        **dict.fromkeys(("s", "xs", "tiny", "little", "extra small"), "small"),
        **dict.fromkeys(("m", "normal", "moderate", "average"), "medium"),
        **dict.fromkeys(("l", "xl", "big", "huge", "extra large"), "large"),
    },
    "Confidence": {
        **dict.fromkeys(("sure", "certain", "very high", "strong"), "high"),
        **dict.fromkeys(("med", "moderate", "average"), "medium"),
        **dict.fromkeys(("unsure", "not sure", "very low", "uncertain", "weak"), "low"),
    },
    "Edge": {
        **dict.fromkeys(
            ("block", "blocked by", "needs", "depends on", "requires", "after", "hard"),
            "blocks",
        ),
        **dict.fromkeys(("inform", "informed by", "soft", "note"), "informs"),
    },
    # of supervisors: what is called important is no harm yet, which alone stops work
    "DirectiveType": {
        **dict.fromkeys(("function", "feature", "fix", "bug", "design", "approach", "architecture"), "functional"),
        **dict.fromkeys(("clean up", "clean-up", "style", "refactor", "refactoring", "formatting"), "cleanup"),
    },
    "Priority": {
        **dict.fromkeys(("blocker", "urgent", "severe", "p0", "harmful"), "critical"),
        **dict.fromkeys(("high", "important", "medium", "moderate", "med", "major", "p1", "p2"), "normal"),
        **dict.fromkeys(("minor", "trivial", "nice to have", "optional", "p3"), "low"),
    },
    "Category": {
        **dict.fromkeys(("lessons", "lesson learned", "lessons learned", "gotcha", "gotchas", "pattern"), "lesson"),
        **dict.fromkeys(("domain knowledge", "domain fact", "fact", "business", "glossary"), "domain"),
    },
    "Verdict": {
        **dict.fromkeys(("on track", "no drift", "ok", "good", "in line"), "aligned"),
        **dict.fromkeys(("minor", "drift", "slight drift", "minor divergence"), "minor_drift"),
        **dict.fromkeys(("major", "diverged", "divergence", "major drift", "off track"), "major_divergence"),
    },
    "Addressed": {
        **dict.fromkeys(("subtask", "create a task", "new task", "do it", "create task"), "task"),
        **dict.fromkeys(("handled", "done", "already done", "covered"), "already_handled"),
        **dict.fromkeys(("ask", "person", "human", "unclear", "out of scope", "escalated"), "escalate"),
    },
    "Route": {
        **dict.fromkeys(("change request", "request", "code change", "feature request"), "change"),
        **dict.fromkeys(("code question", "ask"), "question"),
        **dict.fromkeys(("status", "about the task"), "about_task"),
        **dict.fromkeys(("comment", "answer"), "remark"),
        **dict.fromkeys(("none", "ignore", "chat", "smalltalk", "small talk", "greeting"), "nothing"),
        **dict.fromkeys(("command", "steering"), "steer"),
    },
    "Act": {
        **dict.fromkeys(("pause", "halt", "hold", "wait", "stop task", "stop the task", "pause task"), "stop"),
        **dict.fromkeys(("continue", "go on", "unpause", "restart", "resume task", "resume the task"), "resume"),
        **dict.fromkeys(("abort", "drop", "withdraw", "cancel task", "cancel the task"), "cancel"),
        **dict.fromkeys(("try again", "rerun", "again", "retry task"), "retry"),
        **dict.fromkeys(("postpone", "later", "backburner", "defer"), "snooze"),
        **dict.fromkeys(("list", "list tasks"), "tasks"),
        **dict.fromkeys(("what needs me", "inbox", "needs me"), "for_me"),
        **dict.fromkeys(("stop queue", "stop the queue", "pause queue"), "pause_queue"),
        **dict.fromkeys(("continue queue", "resume queue"), "resume_queue"),
    },
    "Intent": {
        **dict.fromkeys(("change request", "request change", "request changes", "modify", "modification"), "change"),
        **dict.fromkeys(("ask", "code question"), "question"),
        **dict.fromkeys(("steer", "control"), "command"),
        **dict.fromkeys(("approval", "approved", "consent"), "approve"),
        **dict.fromkeys(("progress", "about task"), "status"),
        **dict.fromkeys(("reason", "reasons", "explanation"), "why"),
        **dict.fromkeys(("price", "costs", "money", "budget"), "cost"),
        **dict.fromkeys(("none", "nothing", "remark", "comment", "small talk", "smalltalk", "chat"), "other"),
    },
}
