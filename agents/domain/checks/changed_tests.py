"""Tests that the work changed: what each was and what it is, for a person to accept."""

from agents.domain.checks.evaluation import ChangedTest
from agents.domain.ids import fingerprint
from agents.domain.text.sanitize import cut

SHOWN_MOST = 40  # of one piece of work
TEXT_MOST = 1_200  # characters of one, before and after


def changed_test(name: str, before: str, after: str = "") -> ChangedTest:
    return ChangedTest(
        name=name,
        before=cut(before, TEXT_MOST),
        after=cut(after, TEXT_MOST),
        key=fingerprint("changed test", name, before, after),
    )
