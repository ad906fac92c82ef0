"""How the page of a task lists wishes."""

from dataclasses import replace

from agents.domain.task.wishes import Source, Standing
from bot.cards.planning.wishes import SOURCE, STANDING, wish_rows
from tests.builders.planned import Planned
from tests.builders.wishes import wish


def test_every_source_and_standing_has_its_words() -> None:
    assert SOURCE.keys() == set(Source) and STANDING.keys() == set(Standing)


def test_a_wish_is_listed_with_who_where_and_how_it_stands() -> None:
    said = (
        wish("use a key sk-1", 1),
        wish("argon2", 2, source=Source.ANSWER, about="Which hash?", subtask=2),
        wish("no form", 3, standing=Standing.DISPUTED),
        wish("in blue", 4, unclear="the model is down"),
    )
    task = replace(Planned().task, wishes=said)
    key, answer, against, unclear = wish_rows(task, lambda id: id.upper(), lambda text: text.replace("sk-1", "…"))
    assert (key.by, key.words, key.where, key.standing) == ("ANA", "use a key …", "in the thread", "")
    assert (answer.where, answer.words) == ("answered a minion, T-1.2", "Which hash? → argon2")
    assert against.standing.startswith("against the plan") and "the model is down" in unclear.standing
