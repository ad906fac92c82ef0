"""A workflow that is chosen with a request: which words choose, what is left of the request, and what is no choice."""

import pytest

from agents.domain.errors import OverlordError
from bot.intake.workflow_words import read_workflow

KNOWN = ("default", "mvp", "open_source")


@pytest.mark.parametrize(
    ("said", "text", "workflow"),
    [
        ("add a login page, use open_source", "add a login page", "open_source"),
        ("Add a login page. Use mvp.", "Add a login page", "mvp"),
        ("add a login page and use mvp", "add a login page", "mvp"),
        ("add a login page, please use MVP", "add a login page", "mvp"),
        ("use open_source: add a login page", "add a login page", "open_source"),
        ("use the mvp workflow to add a page", "add a page", "mvp"),
        ("add a page using the open_source workflow", "add a page", "open_source"),
        ("add a page with workflow mvp", "add a page", "mvp"),
        ("add a login page use open_source", "add a login page", "open_source"),
        ("workflow: mvp\nadd a login page", "add a login page", "mvp"),
        ("add a login page (workflow: mvp)", "add a login page", "mvp"),
        ("add a login page workflow=mvp", "add a login page", "mvp"),
        ("add --workflow mvp a login page", "add a login page", "mvp"),
        ("add a login page workflow=mvp workflow=mvp", "add a login page", "mvp"),
    ],
)
def test_words_that_choose_do_not_stay_in_the_request(said: str, text: str, workflow: str) -> None:
    found = read_workflow(said, lambda: KNOWN)
    assert (found.text, found.workflow) == (text, workflow)


@pytest.mark.parametrize(
    "said",
    [
        "fix the workflow: it fails on main",
        "add a page with the checkout workflow",
        "use postgres",
        "set the colour to use default",
        "use mvp as the base class of every view",
        "write docs about `workflow=mvp` settings",
        "describe what workflow: means",
    ],
)
def test_words_about_something_else_stay_as_they_are(said: str) -> None:
    assert read_workflow(said, lambda: KNOWN).text == said and not read_workflow(said, lambda: KNOWN).workflow


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("add a page workflow=mpv", "There is no workflow `mpv`. Did you mean `mvp`?"),
        ("workflow: opensource\nadd a page", "Did you mean `open_source`?"),
        ("add a page, use the open-source workflow", "Did you mean `open_source`?"),
        ("add a page workflow=zzz", "Known here: default, mvp, open_source."),
        ("add a page workflow=mvp workflow=default", "You name two workflows, mvp and default"),
        ("use mvp", "nothing to do"),
    ],
)
def test_a_name_that_nobody_knows_is_told(said: str, told: str) -> None:
    with pytest.raises(OverlordError) as refused:
        read_workflow(said, lambda: KNOWN)
    assert told in str(refused.value)


def test_names_are_not_read_where_no_word_asks_for_them() -> None:
    def known() -> tuple[str, ...]:
        raise AssertionError("a catalog takes long to read")

    assert read_workflow("add a login page", known).text == "add a login page"
