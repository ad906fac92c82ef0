"""A look at the code for whoever plans or judges: real files, the real sandbox, and what is kept of it over a crash."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from agents.domain.errors import OverlordError
from agents.domain.knowledge.document import Note, Status
from agents.domain.knowledge.note import Folder
from agents.minions.looking import LAST_LOOK, Lend, Looking, look_at
from agents.ports import LookBrief, Spent, Workspace, show_nothing
from tests.fakes.llm import ScriptedTalker, said_by
from tests.minions.field import Field

READ = [("read_file", {"path": "shortlinks/store.py"})]
GUESS = [("read_file", {"path": f"no{n}.py"}) for n in range(3)]
COMMIT = "c0ffee" * 6 + "c0ff"


async def paid() -> Spent:
    return Spent()


def lends(ground: Field) -> Lend:
    @asynccontextmanager
    async def lend(project: str, commit: str) -> AsyncIterator[Workspace]:
        yield ground.checkout.workspace

    return lend


@asynccontextmanager
async def looking(
    ground: Field, step: str = "decompose:0:0", *, lend: Lend | None = None, services_of: Any = None, **changes: Any
) -> AsyncIterator[Looking]:
    given = {"turns": 4, "continues": 3, "commit": COMMIT, "run": "decompose", **changes}
    brief = LookBrief(task=ground.task, step=step, project="shop", role="planner", **given)
    services = ground.services(ScriptedTalker(), **services_of or {})
    async with look_at(services, lend or lends(ground), brief, show_nothing) as look:
        yield look


RULE = Note(folder=Folder.LESSONS, slug="cache", title="Cache", rules=("Keep the cache warm",))
SURE = replace(RULE, slug="links", title="Links", rules=("Cache links by their slug",), status=Status.ESTABLISHED)
SEARCH = ("search_knowledge", {"query": "the caches"})


async def notes_of(project: str, commit: str) -> tuple[Note, ...]:
    return (RULE, SURE) if (project, commit) == ("shop", COMMIT) else ()


async def see(look: Looking, *turns: Any) -> None:
    for turn in turns:
        await look.see(said_by(turn, look.turns), paid)
        for each in look.take_owed():
            await each()


async def test_what_was_seen_stands_in_the_talk_and_files_that_were_opened_are_named(ground: Field) -> None:
    async with looking(ground) as look:
        assert look.talk == [] and look.may_go_on
        await see(look, [*READ, ("search_files", {"pattern": "class LinkStore"}), GUESS[0]])
        assert [message["role"] for message in look.talk] == ["assistant", "tool", "tool", "tool"]
        assert "class LinkStore" in look.talk[1]["content"] and look.read == ("shortlinks/store.py",)
        assert {tool.name for tool in look.tools}.isdisjoint({"write_file", "edit_file", "task_complete", "ask_human"})


async def test_turns_and_room_have_an_end_and_the_model_is_told(ground: Field) -> None:
    async with looking(ground, turns=2) as look:
        await see(look, READ)
        assert look.may_go_on and LAST_LOOK not in look.talk[-1]["content"]
        await see(look, READ)
        assert not look.may_go_on and LAST_LOOK in look.talk[-1]["content"]
    async with looking(ground, step="decompose:0:1", turns=9, continues=0) as look:
        await see(look, GUESS, READ, GUESS, GUESS)
        assert look.may_go_on, "a turn in which one thing worked is none that failed"
        await see(look, GUESS)
        assert not look.may_go_on
    (ground.root / "long.txt").write_text("word " * 5_000 + "\n")
    async with looking(ground, step="decompose:0:2", turns=90, continues=0) as look:
        await see(look, *[[("run_command", {"command": "cat long.txt long.txt"})]] * 3)
        assert not look.may_go_on, "a role has a budget of tokens"


async def test_a_look_that_died_goes_on_with_what_it_saw(ground: Field) -> None:
    async with looking(ground) as look:
        await see(look, READ)
        seen = look.talk
        await look.see(said_by(READ), paid)  # killed before it was written down
        look.take_owed()
    async with looking(ground) as look:
        assert look.talk == seen and look.turns == 1 and look.read == ("shortlinks/store.py",)


async def test_a_planner_goes_on_from_its_last_three_questions_and_a_judge_begins_afresh(ground: Field) -> None:
    for number in range(5):
        async with looking(ground, step=f"decompose:{number}:0") as look:
            assert len(look.talk) == 2 * min(number, 3) and look.turns == 0
            await see(look, [("list_directory", {"path": "tests"})])
    async with looking(ground, step="decompose:9:0", continues=0) as look:
        assert look.talk == []
    async with looking(ground, step="decompose:9:0", commit="0" * 40) as look:
        assert look.talk == [], "the project moved on, so what was seen may be gone"


async def test_where_there_is_nothing_to_look_at_the_model_is_told(ground: Field) -> None:
    @asynccontextmanager
    async def nothing(project: str, commit: str) -> AsyncIterator[Workspace]:
        raise OverlordError("The disk is full", next_step="Make room.")
        yield

    async with looking(ground, lend=nothing) as look:
        await see(look, READ)
        assert "The disk is full" in look.talk[-1]["content"] and look.read == ()


async def test_a_planner_searches_all_notes_and_a_judge_what_people_confirmed(ground: Field) -> None:
    """Where there is nothing to find, nobody is offered a search."""
    async with looking(ground, services_of={"notes_of": notes_of}) as look:
        assert "search_knowledge" in {tool.name for tool in look.tools}
        await see(look, [SEARCH])
        said = look.talk[-1]["content"]
        assert "unconfirmed: a guess from earlier work)\n[lessons/cache]" in said and "[lessons/links]" in said
    async with looking(ground, "critic:1", services_of={"notes_of": notes_of}, run="critic", judges=True) as look:
        await see(look, [SEARCH])
        assert "[lessons/cache]" not in look.talk[-1]["content"] and "[lessons/links]" in look.talk[-1]["content"]
    async with looking(ground, "critic:2", run="critic") as look:
        assert "search_knowledge" not in {tool.name for tool in look.tools}
        await see(look, [SEARCH])
        assert "There is no tool search_knowledge" in look.talk[-1]["content"]
