"""Errors that a person will read. Each says what happened and what to do next."""


class OverlordError(Exception):
    """`what` happened, and a `next_step` the person can take; both are shown as they stand."""

    def __init__(self, what: str, *, next_step: str) -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.what}. {self.next_step}"


class IllegalMove(OverlordError):
    """A fact cannot follow from the state the task is in."""


class NoSuchTask(OverlordError):
    def __init__(self, id: str) -> None:
        super().__init__(f"There is no task {id}", next_step="Say `tasks` to see the ones there are.")


class StaleLease(OverlordError):
    """A job tried to record after its lease went to someone else."""

    def __init__(self, job: str) -> None:
        super().__init__(f"Job {job} was taken over while it ran", next_step="Nothing: the new run goes on from here.")


class PressRefused(OverlordError):
    """A press that changes nothing. The person who pressed is told why, in private."""


class SettingsProblem(OverlordError):
    """Settings that cannot be used; all that is wrong is said at once."""
