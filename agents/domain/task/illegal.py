"""What a person is told of a fact that cannot follow from where a task is."""

from agents.domain import events as e
from agents.domain.errors import IllegalMove
from agents.domain.events import Event
from agents.domain.ids import TaskId


def illegal(id: TaskId, state: str, event: Event, *, ended: bool) -> IllegalMove:
    said, act = _WORDS.get(state, state.replace("_", " ")), _ACTS.get(type(event), "do that")
    over = "It has ended: mention me with a new request to start again."
    return IllegalMove(
        f"{id} is {said}, so I cannot {act} now",
        next_step=over if ended else "Say `status` to see where it stands.",
    )


_WORDS: dict[str, str] = {
    "paused": "stopped already",
    "backburner": "laid aside",
    "blocked": "waiting for you",
    "awaiting_approval": "waiting for an approval",
}
_ACTS: dict[type[Event], str] = {
    e.TaskStopped: "stop it",
    e.TaskResumed: "resume it",
    e.TaskBackburnered: "lay it aside",
    e.TaskCancelled: "cancel it",
    e.PlanAccepted: "take a plan for it",
}
