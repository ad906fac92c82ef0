"""What code alone finds wrong with a plan: size, order, paths."""

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from agents.domain.planning.decomposition import Assumption, Decomposition, Edge, Need, cycle_in, waves, with_closing
from agents.domain.planning.plan_faults import faults
from tests.builders.decompositions import plan, spike, subtask

FILES = ("src/app.py", "src/api/users.py", "tests/test_app.py", "README.md")


ODD: tuple[str, ...] = (
    "src/\u202egpj.py",
    "src/a\u200bb.py",
    "src/\x1b[2Ja.py",
    "src/a\nb.py",
    "src//a.py",
    "./src/a.py",
    "~/a",
    "C:\\a",
)
ODD += (".git/config", "src/.GIT/x", "-rf", "src/aux.py", "src/a.py ", "src/cafe\u0301.py", "", "/", "x" * 5000)


def test_a_good_plan_has_no_fault() -> None:
    assert faults(plan(subtask(1), subtask(2, 1), subtask(3, 1)), FILES) == []


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (plan(subtask(1, hours=4.5)), "takes 4.5 h; at most 4"),
        (plan(subtask(1, files=tuple(f"src/{n}.py" for n in range(11)))), "touches 11 files; at most 10"),
        (plan(subtask(1, review_minutes=16)), "16 min to review; at most 15"),
        (plan(subtask(1, why=" ")), "has no reason of its own"),
        (plan(subtask(1, test="")), "cannot be tested by itself"),
        (plan(subtask(1, 2), subtask(2, 3), subtask(3, 1)), "in a circle: "),
        (plan(subtask(1, 9)), "needs 9, which does not exist"),
        (plan(subtask(1), subtask(1)), "the same number"),
        (plan(*(subtask(n) for n in range(1, 9))), "Phase 1 has 8 subtasks; at most 7"),
        (plan(), "There is no subtask"),
        (plan(subtask(1, decides=True)), "settles a choice but is told nothing first"),
        (plan(subtask(1), spike(2, 1)), "what must be found out comes first"),
        (plan(subtask(1, 2), subtask(2, phase=2)), "of a later phase"),
        (plan(subtask(1, files=("../etc/passwd",))), "not a path inside the project"),
        (plan(subtask(1, files=("/etc/passwd",))), "not a path inside the project"),
        (plan(subtask(1, files=("srv/deep/app.py",))), "the project has no folder srv: did you mean src"),
        *(
            (plan(subtask(1, files=(odd,))), "which is a pattern")
            for odd in ("**", "*", "src/**", "src/*.py", "src/a?.py")
        ),
        *((plan(subtask(1, files=(odd,))), "not a path inside the project") for odd in ODD),
        (plan(subtask(1, files=("src/App.py",))), "src/App.py and src/app.py are one file"),
        (plan(subtask(1, files=("Src/new.py",))), "Src and src are one file"),
        (plan(subtask(1, files=("src/a.py",)), subtask(2, files=("src/A.py",))), "src/A.py and src/a.py are one file"),
        (replace(plan(subtask(1)), goal=" "), "The goal is empty"),
    ],
)
def test_a_fault_is_named(bad: Decomposition, said: str) -> None:
    found = faults(bad, FILES)
    assert any(said in fault for fault in found), found


@pytest.mark.parametrize("path", ["tests/test_app.py", "tests/walk.rs", "docs/how.md", "README.md"])
def test_the_first_folder_for_tests_or_texts_is_no_guess(path: str) -> None:
    assert faults(plan(subtask(1, files=("src/app.py", path))), FILES) == []


def test_a_new_folder_can_be_planned_and_a_path_that_is_almost_another_one_is_a_guess() -> None:
    assert faults(plan(subtask(1, files=("migrations/first.sql",))), FILES) == []
    bare = subtask(1, files=("sources/new.py",))
    [said] = faults(plan(bare), ("source/app.py", "source/deep/more.py"))
    assert "did you mean source/?" in said and "say in the title or reason that sources is new" in said
    assert faults(plan(replace(bare, why="kept in a new folder sources/")), ("source/app.py",)) == []
    assert faults(plan(replace(bare, why="resources are slow")), ("source/app.py",)), "another word that holds the name"
    [said] = faults(plan(subtask(1, files=("lib/app.py",))), FILES)
    assert "did you mean src/app.py?" in said
    assert faults(plan(subtask(1, files=("lib/__init__.py",))), ("src/__init__.py",)) == [], "many have that name"


@pytest.mark.parametrize(
    ("one", "other"),
    [(("src/app.py",), ("src/app.py",)), (("src/",), ("src/app.py",)), (("src/app.py",), ("src/",))],
)
def test_two_that_write_one_file_at_once_are_a_fault(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    side_by_side = plan(subtask(1, files=one), subtask(2, files=other))
    assert any(
        "as subtask 1 does, and neither waits: let one come after the other" in each
        for each in faults(side_by_side, FILES)
    )
    assert faults(plan(subtask(1, files=one), subtask(2, 1, files=other)), FILES) == []
    through = plan(subtask(1, files=one), subtask(2, 1, files=("src/b.py",)), subtask(3, 2, files=other))
    assert not any("as subtask 1 does" in each for each in faults(through, FILES)), "it waits through another"
    assert faults(plan(subtask(1, files=one), subtask(2, files=other, phase=2)), FILES) == []


def test_the_limits_themselves_are_fine() -> None:
    edge = subtask(1, hours=4, review_minutes=15, files=tuple(f"src/{n}.py" for n in range(10)))
    assert faults(plan(edge), FILES) == []
    assert faults(plan(*(subtask(n) for n in range(1, 8))), FILES) == []


def test_more_than_seven_are_fine_in_phases() -> None:
    assert faults(plan(*(subtask(n, phase=1 + n // 6) for n in range(1, 11))), FILES) == []


def test_a_new_file_in_a_known_folder_is_fine() -> None:
    assert faults(plan(subtask(1, files=("src/api/login.py", "CHANGELOG.md", "src/new/x.py"))), FILES) == []


def test_a_spike_needs_no_test_and_informs_without_blocking() -> None:
    told = subtask(2, decides=True, needs=(Need(number=1, edge=Edge.INFORMS),))
    made = plan(spike(1, test=""), told)
    assert faults(made, FILES) == []
    assert made.order() == [[1, 2]]


def test_one_closing_subtask_depends_on_all_others() -> None:
    made = with_closing(plan(subtask(1), subtask(2, 1)))
    assert made.subtasks[-1].title == "Verify: users can log in fully resolved"
    assert made.subtasks[-1].blocked_by == (1, 2)
    assert with_closing(made) == made
    assert faults(made, FILES) == []


IMITATIONS = ("Verify: all of it", "Verify: users can log in fully resolved", "VERIFY: x", "closing", "Closing: x")


@pytest.mark.parametrize("title", IMITATIONS)
@pytest.mark.parametrize("place", [0, 1])
def test_a_title_makes_no_closing_subtask(title: str, place: int) -> None:
    """Not alone, not in the right place, and not with everything that the real one has beside its mark."""
    real = with_closing(plan(subtask(1))).subtasks[-1]
    imitation = replace(real, number=place + 1, title=title, closing=False, needs=real.needs if place else ())
    steps = [imitation, subtask(2)] if not place else [subtask(1), imitation]
    made = with_closing(plan(*steps))
    assert made.closing is made.subtasks[-1] and made.closing.number == 3 and len(made.subtasks) == 3
    assert made.steps == tuple(steps) and not made.is_closing(imitation.number)


def test_a_mark_that_no_code_set_is_taken_away() -> None:
    made = with_closing(plan(subtask(1, closing=True), subtask(2)))
    assert [s.number for s in made.subtasks if s.closing] == [made.subtasks[-1].number] and made.is_closing(3)


def test_the_closing_subtask_of_an_old_plan_is_found_by_its_place_and_its_approval_holds() -> None:
    """Facts of older versions hold no mark, and people have approved plans by their hash."""
    now = with_closing(plan(subtask(1), subtask(2, 1, files=("src/app.py",))))
    old = replace(now, version=1, subtasks=tuple(replace(s, closing=False) for s in now.subtasks))
    assert old.closing is old.subtasks[-1] and old.is_closing(3) and len(old.steps) == 2
    assert old.hash == "fafebcdc45fbb439614a3cfaf0dbbb81" and old.hash != now.hash
    for unlike in ({"files": ("a.py",)}, {"needs": (Need(number=1),)}, {"title": "Check it"}):
        other = replace(old, subtasks=(*old.subtasks[:-1], replace(old.subtasks[-1], **unlike)))
        assert other.closing is None


def test_phases_are_a_barrier() -> None:
    made = plan(subtask(1), subtask(2), subtask(3, phase=2), subtask(4, phase=2))
    assert made.order() == [[1, 2], [3, 4]]


def test_any_change_changes_the_hash() -> None:
    made = plan(subtask(1), subtask(2, 1))
    assert made.hash == plan(subtask(1), subtask(2, 1)).hash
    assert made.hash != plan(subtask(1), subtask(2)).hash
    assert made.hash != replace(made, assumptions=(Assumption(what="x"),)).hash
    assert made.hash != plan(subtask(1, files=("README.md",)), subtask(2, 1)).hash


def test_a_graph_of_ten_thousand_is_refused_quickly() -> None:
    huge = plan(*(subtask(n, *([n - 1] if n > 1 else [])) for n in range(1, 10_001)))
    assert any("Phase 1 has 10000" in fault for fault in faults(huge, None))


def test_folders_and_odd_but_honest_names_may_be_named() -> None:
    for path in ("src/api/", "src/[id].py", "src/caf\u00e9.py", "src/app.test.ts", "README.md", "newfile.py"):
        assert faults(plan(subtask(1, files=(path,))), FILES) == [], path


def test_what_is_said_of_an_odd_path_can_be_shown() -> None:
    said = " ".join(faults(plan(subtask(1, files=("src/\u202egpj.py", "src/\x1b[2Ja.py"))), FILES))
    assert said.isprintable()


def test_a_cycle_is_named_as_one_walks_it() -> None:
    assert cycle_in({1: [2], 2: [3], 3: [1], 4: []}) in ([1, 2, 3, 1], [2, 3, 1, 2], [3, 1, 2, 3])
    assert cycle_in({1: [1]}) == [1, 1]
    assert cycle_in({1: [2, 3], 2: [3], 3: []}) == []


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=5), max_size=13))
def test_a_named_cycle_is_one_and_without_one_everything_is_reached(needs: dict[int, list[int]]) -> None:
    needs = {node: [n for n in before if n in needs] for node, before in needs.items()}
    cycle = cycle_in(needs)
    if cycle:
        assert cycle[0] == cycle[-1]
        assert all(after in needs[before] for before, after in pairwise(cycle))
    else:
        done: set[int] = set()
        for wave in waves(needs):
            assert all(set(needs[node]) <= done for node in wave)
            done |= set(wave)
        assert done == set(needs)


def test_waves_stand_side_by_side() -> None:
    assert waves({1: [], 2: [1], 3: [1], 4: [2, 3]}) == [[1], [2, 3], [4]]


def test_ten_thousand_subtasks_are_driven_to_the_end() -> None:
    """Attack 70: no cleverness that grows with the square."""
    needs = {n: [n - 1, n - 2, n // 2] if n > 2 else [] for n in range(10_000)}
    began = time.monotonic()
    assert sum(map(len, waves(needs))) == 10_000
    assert time.monotonic() - began < 60


def test_a_plan_that_people_approved_has_the_same_hash_in_every_version() -> None:
    """Buttons and approvals are bound to it. If this fails, old approvals hold no more: write what changes it anew."""
    approved = plan(subtask(1, changes_tests=True), subtask(2, 1))
    assert approved.hash == "1101dd86928c816c36fc4df05c8d1d14"
    assert plan(subtask(1), subtask(2, 1)).hash != approved.hash
