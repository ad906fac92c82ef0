"""`overlord proposals` as a person meets it: a real store, exit codes and words."""

import asyncio
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from agents.domain.decisions.kind import Moment
from agents.domain.decisions.table import open_questions
from agents.domain.learning import proposing
from agents.domain.learning.proposal import Proposal
from store.codec import Cause
from store.database import Database
from store.transaction import Transaction
from tests.builders.proposals import AT, TASK, proposal_of
from tests.builders.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    made.ask("add login")
    return made


def propose(shell: Shell, title: str) -> str:
    """As a job does that found something worth a proposal."""
    proposal = proposal_of(title)
    with closing(Database(f"sqlite:///{shell.home / 'overlord.db'}")) as database:
        asyncio.run(database.write(partial(_recorded, proposal)))
    return proposal.id


def _recorded(proposal: Proposal, tx: Transaction) -> None:
    task, moment = tx.log.task(TASK), Moment(at=AT, cause="job:1")
    facts = open_questions(task, proposing.propose(task, proposal, moment), moment)
    tx.log.append(TASK, facts, Cause(actor="overlord", delivery="job:1"))


def test_where_nothing_was_proposed_it_says_so(shell: Shell) -> None:
    assert shell.run("proposals").out == "No proposal waits for a person.\n"
    assert shell.run("proposals", "list", "--json").json == []
    assert "No such proposal" in shell.run("proposals", "approve", "x", code=1).err


def test_proposals_are_listed_shown_and_rejected_with_a_reason(shell: Shell) -> None:
    id = propose(shell, "There is no compiler")
    out = shell.run("proposals").out
    assert all(words in out for words in (id[:8], "pending", "tool_fix", "high", "low", "T-1", "There is no compiler"))
    [row] = shell.run("proposals", "list", "--json").json
    assert (row["proposal"]["id"], row["proposal"]["status"], row["task"]) == (id, "pending", "T-1")
    shown = shell.run("proposals", "show", id[:10]).out
    assert "T-1.1 reports: There is no compiler" in shown and "Risk: low" in shown
    [waits] = [each for each in shell.run("decisions", "--json").json if each["decision"]["kind"] == "proposal"]
    assert waits["yours"]

    assert "Rejected" in shell.run("proposals", "reject", id, "--reason", "we never compile").out
    assert shell.run("proposals", "--json").json == []
    [after] = shell.run("proposals", "--all", "--json").json
    assert (after["proposal"]["status"], after["reason"]) == ("rejected", "we never compile")
    assert "Reason: we never compile" in shell.run("proposals", "show", id).out
    assert "No such proposal" in shell.run("proposals", "approve", id, code=1).err


def test_a_proposal_of_a_task_that_has_ended_is_approved(shell: Shell) -> None:
    first, second = propose(shell, "There is no compiler"), propose(shell, "There is no linker")
    shell.run("tasks", "cancel", "T-1", "--reason", "no longer wanted")
    assert "2 proposals begin with" in shell.run("proposals", "approve", "", code=1).err
    assert "Approved: There is no compiler" in shell.run("proposals", "approve", first).out
    assert "Rejected: There is no linker" in shell.run("proposals", "reject", second).out
    by_id = {each["proposal"]["id"]: each for each in shell.run("proposals", "--all", "--json").json}
    assert {by_id[first]["proposal"]["status"], by_id[second]["proposal"]["status"]} == {"approved", "rejected"}
    assert by_id[first]["account"].startswith("cli:") and by_id[first]["carried_out_by"] is None
