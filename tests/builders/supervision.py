"""Facts of supervision, and answers of supervisors, for the tests about them."""

from datetime import UTC, datetime
from typing import Any

from agents.domain.ids import TaskId, project_id
from agents.domain.knowledge.note import Folder, NoteChange, Supervisor
from agents.domain.supervision.directive import Directive, DirectiveType, Priority
from agents.domain.supervision.facts import Occasion, Signal, SupervisorRan, SupervisorsCalled, WorkCounted

AT, TASK, SHOP = datetime(2026, 3, 2, tzinfo=UTC), TaskId("T-1"), project_id("shop")
CODE_STYLE, DESIGN, INTERNALISER = Supervisor.CODE_STYLE, Supervisor.DESIGN, Supervisor.INTERNALISER

STYLE_SAYS: dict[str, Any] = {
    "conventions_updated": [
        {"name": "errors", "title": "Errors", "rules": ["Raise ShopError, never a bare Exception"], "rationale": "one"}
    ],
    "directives": [
        {
            "type": "cleanup",
            "description": "Use one name for the logger",
            "files": ["src/app.py", "gone.py"],
            "priority": "low",
        },
        {"type": "cleanup", "description": "Sort the imports of the form", "files": ["src/app.py"], "priority": "low"},
    ],
    "summary": "Names of loggers differ.",
}
DESIGN_SAYS: dict[str, Any] = {"design_updates": [], "directives": [], "summary": "It is built as designed."}
KEEPS: dict[str, Any] = {
    "knowledge_items": [{"category": "lesson", "content": "The store drops empty names", "source_task": "1"}],
    "summary": "One lesson.",
}
SILENT: dict[str, dict[str, Any]] = {
    "code_style": {"summary": "Nothing."},
    "design": {"summary": "Nothing."},
    "internaliser": {"summary": "Nothing."},
}


def counted(signal: Signal = Signal.DONE) -> WorkCounted:
    return WorkCounted(task=TASK, project=SHOP, at=AT, signal=signal)


def called(*supervisors: Supervisor, call: str = "c", cap: int = 10, age: int = 15) -> SupervisorsCalled:
    return SupervisorsCalled(
        task=TASK, project=SHOP, at=AT, call=call, supervisors=supervisors, occasion=Occasion.INTERVAL,
        cleanup_cap=cap, cleanup_age=age,
    )  # fmt: skip


def directive(
    words: str, *, type: DirectiveType = DirectiveType.CLEANUP, priority: Priority = Priority.NORMAL, **more: Any
) -> Directive:
    source = CODE_STYLE if type is DirectiveType.CLEANUP else DESIGN
    return Directive(id=words, type=type, source=source, description=words, priority=priority, task=TASK, **more)


def note(slug: str, folder: Folder = Folder.CONVENTIONS, by: Supervisor = CODE_STYLE) -> NoteChange:
    return NoteChange(folder=folder, slug=slug, title=slug, rules=("Do it",), by=by, task=TASK)


def ran(by: Supervisor = CODE_STYLE, **more: Any) -> SupervisorRan:
    return SupervisorRan(task=TASK, project=SHOP, at=AT, call="c", by=by, summary="seen", **more)
