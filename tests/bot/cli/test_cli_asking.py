"""`overlord ask` and `overlord tasks start`, as a person types them."""

from pathlib import Path

from tests.builders.shell import Shell
from tests.builders.started import up


def test_a_question_is_answered_while_the_program_runs_and_a_task_is_begun(tmp_path: Path) -> None:
    """Without a model it answers what a script has, says so of all else, and pretends nothing."""
    shell = Shell(tmp_path)
    begun = shell.run("tasks", "start", "do", "something", "odd")
    assert "T-1 is begun" in begun.out
    with up(shell):
        answer = shell.run("ask", "how", "are", "links", "stored?")
        other = shell.run("ask", "who", "wrote", "it?")
    assert "shortlinks/store.py:37-41" in answer.out and "Cost: $0.00" in answer.out
    assert "No model is configured" in other.out
    assert [task["state"] for task in shell.run("tasks", "--all", "--json").json if task["id"] == "T-2"] == ["answered"]
