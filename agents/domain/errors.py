"""Errors that a person will read. Each says what happened and what to do next."""


class OverlordError(Exception):
    """`what` happened, and a `next_step` the person can take; both are shown as they stand."""

    error = ""  # an ErrorClass, where trying again depends on it

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


class TaskArchived(OverlordError):
    def __init__(self, id: str) -> None:
        step = f"An operator can read it with `overlord tasks show {id} --archived`."
        super().__init__(f"{id} ended long ago and is archived", next_step=step)


class StaleLease(OverlordError):
    """A job tried to record after its lease went to someone else."""

    def __init__(self, job: str) -> None:
        super().__init__(f"Job {job} was taken over while it ran", next_step="Nothing: the new run goes on from here.")


class PressRefused(OverlordError):
    """A press that changes nothing. The person who pressed is told why, in private."""


class NotHeard(OverlordError):
    """Said by somebody who is not heard here. They alone are told."""


class SettingsProblem(OverlordError):
    """Settings that cannot be used; all that is wrong is said at once."""


class StepRests(OverlordError):
    """A step failed too often in a row, so it is not tried now."""


class StepFailed(OverlordError):
    """A step came to no result as often as its retry policy has it tried, so a person is asked."""


class NoAnswer(OverlordError):
    """A model gave no answer that counts, however often it was asked. `error` is the class of the last failure.

    `simpler_may_do`: it could not take or finish the question, so a smaller one may be answered. `model`: the last that
    was asked.
    """

    def __init__(
        self, what: str, *, next_step: str, error: str = "", simpler_may_do: bool = False, model: str = ""
    ) -> None:
        super().__init__(what, next_step=next_step)
        self.error = error
        self.simpler_may_do = simpler_may_do
        self.model = model


class QuestionTooLong(NoAnswer):
    """It is longer than the model takes, also with the least that must be in it."""


class BudgetReached(OverlordError):
    """A call would go over a budget, so it was not made."""

    def __init__(self, budget: str, *, limit: float, spent: float, wanted: float) -> None:
        small = "4f" if 0 < limit < 0.1 else "2f"
        super().__init__(
            f"The budget of {budget} is ${limit:.{small}}: ${spent:.{small}} is spent or promised, "
            f"and the next call may cost ${wanted:.{small}}",
            next_step="Raise the budget, or wait until it is renewed.",
        )
        self.budget = budget
        self.limit = limit
        self.spent = spent
        self.wanted = wanted
