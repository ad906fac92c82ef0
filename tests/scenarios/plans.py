"""What scripted planners and reviewers say in these scenarios."""

from typing import Any

Says = dict[str, Any]


def subtask(title: str, *needs: int, **changes: Any) -> Says:
    given: Says = {
        "title": title,
        "why": f"without it nobody could {title.lower()}",
        "files": [],
        "hours": 1.0,
        "review_minutes": 5,
        "confidence": "high",
        "test": f"{title} works",
        "needs": [{"number": number} for number in needs],
    }
    return {**given, **changes}


def plan(*titles: str, **changes: Any) -> Says:
    """A plan whose subtasks follow one another."""
    steps = [subtask(title, *([number] if number else [])) for number, title in enumerate(titles)]
    return {"status": "COMPLETE", "goal": "Logging in works", "subtasks": steps, **changes}


GO: Says = {"verdict": "proceed"}
REVISE: Says = {"verdict": "revise", "issues": ["Nothing is tested"], "changes": ["Add a test"]}
OK: Says = {"verdict": "ok"}
WARN: Says = {
    "verdict": "warn",
    "issue": "It stores passwords",
    "principle": "keep no secrets",
    "suggestion": "Store hashes",
    "asks_for_change": True,
}
BLOCK: Says = {
    "verdict": "block",
    "issue": "It needs the administrator's key",
    "principle": "take no right nobody gave",
    "suggestion": "Ask for an account of its own",
}
KEEPS: Says = {"position": "maintain", "point": "It was asked for", "evidence": ["add a login page"]}


def means(intent: str, confidence: float = 0.95) -> Says:
    return {"intent": intent, "confidence": confidence}
