"""What a person is told of each supervisor's run."""

from agents.domain.supervision.directive import DirectiveType
from agents.domain.supervision.facts import SupervisorSkipped
from agents.domain.supervision.reporting import report_of
from tests.builders.supervision import AT, CODE_STYLE, SHOP, TASK, directive, note, ran


def test_a_run_is_told_with_what_it_asks_for() -> None:
    functional = directive("store it elsewhere", type=DirectiveType.FUNCTIONAL)
    told = report_of(ran(directives=(functional, directive("a"), directive("b")), notes=(note("errors"),), cost=0.2))
    assert (told.by, told.summary, told.skipped) == (CODE_STYLE, "seen", "")
    assert (told.functional, told.cleanup, told.notes, told.cost) == (1, 2, 1, 0.2)


def test_one_that_gave_no_answer_is_told_with_the_reason() -> None:
    told = report_of(SupervisorSkipped(task=TASK, project=SHOP, at=AT, call="c", by=CODE_STYLE, why="no answer"))
    assert (told.by, told.skipped, told.functional, told.cleanup) == (CODE_STYLE, "no answer", 0, 0)
