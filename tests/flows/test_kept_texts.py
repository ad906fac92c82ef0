"""Text that people keep: commits, pull request and merge say what was done, why, how it was checked and by whom."""

from dataclasses import replace

from agents.domain.decisions.authority import Group, Kind, Presser
from agents.domain.ids import Account
from agents.domain.planning.work_kind import WorkKind
from agents.domain.work.commit_style import CommitStyle
from agents.ports import History
from bot.cards.decisions import decision_card
from bot.cards.kinds import CARDS
from bot.cards.progress import evaluation_card
from bot.cards.work.commits import commit_text, pull_title
from bot.cards.work.outside import TOLD, pull_text
from tests.fakes.work import finishes
from tests.flows.work import Work, work as work

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
SAID = "The form asks for a name and a password; three tests show it.\nSigned-off-by: Lead <lead@example.com>"
LOG = ["fix: a", "feat: b", "docs: c", "chore: d", "test: e"]


async def merged(work: Work) -> None:
    work.workshop.minions.always = finishes(SAID)
    lead = await work.office.database.write(lambda tx: tx.people.meet(Account("console:lead"), "Lea Lead"))
    boss = Presser(person=lead, groups=frozenset(Group))
    await work.run_next("intake", "decompose", "review")
    await work.press(Kind.PLAN, "approve", by=boss)
    await work.settle()


async def test_a_pull_request_says_what_why_how_it_was_checked_who_decided_and_what_it_cost(work: Work) -> None:
    await merged(work)
    title, body = work.workshop.forge.asked[-1].title, work.workshop.forge.asked[-1].body
    assert title == "Logging in works (T-1)"
    parts = dict(part.split("\n", 1) for part in body.removeprefix("## ").split("\n\n## "))
    assert list(parts) == ["What", "Why", "How it was checked", "Decisions by people", "Cost"]
    assert parts["What"].startswith("Logging in works\n\n- Write the form: The form asks for a name")
    assert "Asked for" in parts["Why"] and "pytest -q" in parts["How it was checked"]
    assert parts["Decisions by people"] == "- Plan approved by Lea Lead"
    assert parts["Cost"].startswith("$0.00 on models, ")


async def test_commits_have_the_minions_summary_and_no_word_of_our_own_bookkeeping(work: Work) -> None:
    await merged(work)
    await work.press(Kind.MERGE, "merge")
    await work.settle()
    told = [*work.workshop.checkouts.said, *work.workshop.checkouts.joined[:3], *work.workshop.forge.messages]
    assert len(told) == 7 and not any("Attempt" in each or "Verify:" in each for each in told)
    assert all("three tests show it" in " ".join(each.split()) for each in told)
    assert all(len(line) <= 72 for each in told for line in each.splitlines())
    assert work.workshop.forge.messages[0].startswith("Logging in works (T-1)\n\n- Write the form: ")


async def test_commits_are_worded_as_the_project_words_its_own(work: Work) -> None:
    work.workshop.checkouts.log = LOG
    await merged(work)
    assert work.workshop.checkouts.said[0].startswith("feat: write the form\n\n")
    assert work.workshop.forge.asked[-1].title == "feat: logging in works"


async def test_what_the_closing_minion_mends_is_named_for_what_it_is(work: Work) -> None:
    await merged(work)
    task = await work.now()
    closing = replace(task.work.subtasks[-1], attempt=2, summary="Moved an import.")
    task = replace(task, work=replace(task.work, subtasks=(*task.work.subtasks[:-1], closing)))
    said = commit_text(task, closing.number, closing.summary)
    assert said.startswith("T-1.4: Fix what the checks of the whole found\n\nMoved an import.\n\nPart of T-1: ")
    assert "- The whole: Moved an import." in pull_text(task, History())[1]


async def test_the_summary_is_on_the_checks_and_on_the_merge(work: Work) -> None:
    await merged(work)
    task = await work.now()
    first = task.work.on(1)
    assert first.evaluation
    checks = {row.label: row.value for row in evaluation_card(task, first, first.evaluation).rows}
    assert checks["Minion's summary"].startswith("The form asks for a name and a password")
    asked = task.of_kind(Kind.MERGE)
    assert asked
    rows = {row.label: row.value for row in decision_card(task, asked, str).rows}
    assert rows["Summary of T-1.1"] == checks["Minion's summary"] and "Summary of T-1.4" not in rows


async def test_what_a_spike_found_stays_on_the_message_of_the_checks(work: Work) -> None:
    """There is no commit to look at, so it is said to the end."""
    await merged(work)
    task = await work.now()
    assert task.plan.draft
    steps = tuple(replace(each, kind=WorkKind.SPIKE) if each.number == 1 else each for each in task.plan.draft.subtasks)
    task = replace(task, plan=replace(task.plan, draft=replace(task.plan.draft, subtasks=steps)))
    first, last = task.work.on(1), task.work.subtasks[-1]
    assert first.evaluation and last.evaluation
    at_first = {row.label: row.value for row in evaluation_card(task, first, first.evaluation).rows}
    at_last = {row.label: row.value for row in evaluation_card(task, last, last.evaluation).rows}
    assert at_first["What it found"] == at_last["T-1.1 found"] and "T-1.2 found" not in at_last
    assert at_last["T-1.1 found"].startswith("The form asks for a name and a password")


async def test_no_secret_of_a_summary_goes_into_the_history(work: Work) -> None:
    work.workshop.minions.always = finishes(f"It uses {SECRET} now.")
    await work.accepted()
    await work.settle()
    pull = work.workshop.forge.asked[-1]
    assert SECRET not in "".join((*work.workshop.checkouts.said, *work.workshop.checkouts.joined, pull.body))


async def test_a_title_is_never_longer_than_forges_show(work: Work) -> None:
    await work.accepted()
    task = await work.now()
    assert task.plan.draft
    for goal in ("word " * 60, "x" * 300, "Short. "):
        long = replace(task, plan=replace(task.plan, draft=replace(task.plan.draft, goal=goal)))
        typed = replace(long, work=replace(long.work, style=CommitStyle(conventional=True)))
        assert all(len(pull_title(each)) <= 72 for each in (long, typed))
        assert pull_title(long).endswith(" (T-1)") and pull_title(typed).startswith("feat: ")


def test_of_every_kind_it_is_said_whether_it_is_told_outside() -> None:
    steering = set(CARDS) - TOLD
    assert steering == {
        *(Kind.CONTROLS, Kind.ROUTE, Kind.REROUTE, Kind.MEANT, Kind.SECOND, Kind.PROJECT, Kind.CANCEL, Kind.STOPPED),
        *(Kind.BACKBURNER, Kind.STUCK, Kind.PROPOSAL, Kind.NOTES, Kind.NOTES_MERGE),
        *(Kind.DIRECTIVES, Kind.POLISH, Kind.REPLAN),
    }
