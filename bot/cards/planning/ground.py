"""What is known of a project before any change, in words: checks that fail, and those that change their mind."""

from collections.abc import Sequence

from agents.domain.decisions.authority import Kind
from agents.domain.project.ground import Baseline, CheckBaseline, GroundSettled
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from bot.cards.scene import rows_of
from bot.messages import Card, Row

_NAMED = 3  # tests that are named


NO_TESTS = "no tests: not run"
_WHOLE = ("tests", "checks")  # a check's name; those of packages go on with their folder


def baseline_in_words(baseline: Baseline) -> str:
    said = [text for check in baseline.checks if (text := check_in_words(check))]
    untested = not any(check.name.partition(" ")[0] in _WHOLE for check in baseline.checks)
    passed = [] if said or not baseline.checks else ["all other checks pass" if untested else "all checks pass"]
    return cut("; ".join((*([NO_TESTS] if untested else []), *said, *passed)), 600)


def check_in_words(check: CheckBaseline) -> str:
    """Empty where there is nothing to say: it passes."""
    if check.problem:
        return f"{check.name} cannot be run: {one_line(check.problem, 200)}"
    said = []
    if check.red:
        said.append(f"{_tests(check.red)} fail{'s' if len(check.red) == 1 else ''} before the change")
    elif check.is_red:
        said.append(f"{check.name} fails before the change")
    if check.unsteady:
        said.append(f"{_tests(check.unsteady)} {'is' if len(check.unsteady) == 1 else 'are'} unsteady")
    elif check.is_unsteady:
        said.append(f"{check.name} is unsteady: it failed in {check.failed} of {check.runs} runs")
    return "; ".join(said)


def _tests(names: tuple[str, ...]) -> str:
    shown = ", ".join(one_line(name, 80) for name in names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} test{'s' if len(names) != 1 else ''} ({shown}{more})"


def ground_rows(task: Task) -> list[Row]:
    """For a plan's card: what fails already, or that nobody knows it yet; and what is odd about the repository."""
    notes = [("Repository", note) for note in task.ground.notes]
    return rows_of(("Checks before the change", _before(task)), *notes, ("Set-up", unread_in_words(task.ground.unread)))


def _before(task: Task) -> str:
    ground = task.ground
    if ground.baseline is not None:
        return baseline_in_words(ground.baseline)
    if ground.without:
        return "not known, for it goes on without set-up"
    if ground.setting_up:
        return "not known yet, for the project is being set up"
    if task.of_kind(Kind.CONSENT):
        return "not known yet, for the project is not set up"
    return "not known yet" if ground.measuring else ""


def unread_in_words(files: Sequence[str]) -> str:
    """Without a model nobody reads them; with words that a person can go on from."""
    if not files:
        return ""
    named = ", ".join(one_line(path, 80) for path in files[:_NAMED])
    return (
        f"nothing is installed: {named} may say how, but no model could read it. Write the commands under "
        "`environment: setup:` of the project, such as `setup: [make setup]`; an empty list says that none are needed"
    )


def setup_in_words(task: Task) -> str:
    """For the status card: that it runs, or how it went."""
    ground = task.ground
    if ground.setting_up:
        many = f"{ground.setting_up} command{'s' if ground.setting_up != 1 else ''}"
        return f"the project is being set up ({many}, in a sandbox); work and checks wait for it"
    if ground.seconds:
        return f"done in {ground.seconds:.0f} s"
    return "failed; its log is kept" if ground.log else ""


def setup_card(task: Task, settled: GroundSettled) -> Card:
    """Where nobody could open its log."""
    return Card(
        title=f"{task.project or 'The project'} is set up",
        text=f"Done in {settled.seconds:.0f} s. Its log is attached.",
    )
