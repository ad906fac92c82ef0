"""Faults that are planted for control questions: one in a plan, one line in a diff, and always the same for a key."""

from agents.domain.planning.planted import LINES, STEPS, plant_in_diff, plant_in_plan
from tests.builders.decompositions import plan, subtask

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,4 @@\n def f():\n+    if a:\n+\n+        return 1\n-    return 2"


def test_one_line_is_added_beside_one_that_was_added_as_deep_as_that() -> None:
    for key in map(str, range(20)):
        lines = plant_in_diff(DIFF, key).split("\n")
        [at] = [at for at, line in enumerate(lines) if line[1:].strip() in LINES]
        assert lines[:at] + lines[at + 1 :] == DIFF.split("\n"), "nothing else is changed"
        before, planted = lines[at - 1], lines[at]
        assert before.startswith("+") and not before.startswith("+++") and before[1:].strip(), "after an added line"
        assert planted[0] == "+" and planted[1:].index(planted.strip("+ ")) == before[1:].index(before.strip("+ "))
    assert len({plant_in_diff(DIFF, str(key)) for key in range(20)}) > 2, "another key, another place"
    assert plant_in_diff("+x = 1", "k").startswith("+x = 1\n+"), "at the very top, too"


def test_where_nothing_was_added_nothing_is_planted() -> None:
    assert plant_in_diff("--- a/x.py\n+++ b/x.py\n+\n+  \n-    return 2", "key") == ""


def test_a_plan_has_one_subtask_more_that_nobody_asked_for() -> None:
    drafted = plan(subtask(1), subtask(2, 1, phase=2))
    planted = plant_in_plan(drafted, "key")
    *before, added = planted.steps
    assert [step.title for step in before] == [step.title for step in drafted.steps]
    assert added.number == 3 and added.blocked_by == (2,) and added.phase == 2
    assert added.title in {step.title for step in STEPS} and planted.closing
