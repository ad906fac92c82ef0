"""What go and cargo say of tests is read from recorded output, and shown without what was planted."""

import pytest

from agents.workspace.gates.planted.belief import Belief, Claimed, Heard, weigh
from agents.workspace.gates.planted.seeding import Seed
from agents.workspace.gates.planted.spoken import hear_cargo, hear_go

A, B = (Seed(f"shop/{name}", f"TestZz{name}F", f"TestZz{name}P") for name in "ab")
ONLY_OURS = "--- FAIL: TestZzaF (0.00s)\n    zz_a_test.go:8: no sum\nFAIL\nFAIL\tshop/a\t0.002s\n"
FAILS = "--- FAIL: TestSum (0.00s)\n    a_test.go:8: 4\n" + ONLY_OURS
PANICS = "--- FAIL: TestSum (0.00s)\npanic: x [recovered]\n\tpanic: x\nFAIL\tshop/a\t0.010s\n"
LEAVES = "exit status 3\nFAIL\tshop/a\t0.001s\n"
UNBUILT = "# shop/a [shop/a.test]\na/a_test.go:5:28: undefined: x\nFAIL\tshop/a [build failed]\n"
AFTERWARDS = ONLY_OURS.replace("FAIL\nFAIL\t", "FAIL\nexit status 2\nFAIL\t")


def test_go_that_fails_only_for_what_was_planted_is_shown_as_content() -> None:
    heard, shown = hear_go(f"{ONLY_OURS}?   \tshop/c\t[no test files]\nFAIL\n", [A])
    assert heard.only_planted_failed and heard.ended and not heard.silent
    assert weigh(heard, Claimed(exit_code=1, counts_planted=True))[0] is Belief.BELIEVED
    assert shown == "ok  \tshop/a\t0.002s\n?   \tshop/c\t[no test files]\n"


@pytest.mark.parametrize("said", [FAILS, PANICS, LEAVES, UNBUILT, AFTERWARDS])
def test_go_that_fails_of_itself_fails(said: str) -> None:
    heard, shown = hear_go(f"{said}FAIL\n", [A])
    assert not heard.only_planted_failed and heard.failures
    assert "Zz" not in shown and "FAIL\tshop/a" in shown and shown.endswith("\nFAIL\n")


def test_a_package_of_go_that_is_content_with_a_test_that_must_fail_lies() -> None:
    heard, _ = hear_go(f"{ONLY_OURS}ok  \tshop/b\t0.001s\nFAIL\n", [A, B])
    belief, doubt = weigh(heard, Claimed(exit_code=1, counts_planted=True))
    assert belief is Belief.DOUBTED and "beside shop/b" in doubt


def test_go_that_fails_a_test_that_must_pass_lies() -> None:
    heard, _ = hear_go(ONLY_OURS.replace("FAIL\nFAIL\t", "--- FAIL: TestZzaP (0.00s)\nFAIL\nFAIL\t"), [A])
    assert weigh(heard, Claimed(exit_code=1, counts_planted=True))[0] is Belief.DOUBTED


LIB, CART = (Seed(name, f"planted_{at}::fails", f"planted_{at}::passes") for name, at in (("lib", "a"), ("cart", "b")))


def target(at: str, *, real: str = "ok", result: str = "") -> str:
    failing = 2 if real == "FAILED" else 1
    own = "---- sums stdout ----\n\nleft: 1\n\n" if real == "FAILED" else ""
    named = "    sums\n" if real == "FAILED" else ""
    return f"""\
     Running {at} (target/debug/deps/{at}-28a617bc970f2f49)

running 3 tests
test planted_{at}::passes ... ok
test planted_{at}::fails ... FAILED
test sums ... {real}

failures:

---- planted_{at}::fails stdout ----

thread 'planted_{at}::fails' (7) panicked at src/lib.rs:6:39:
{own}
failures:
    planted_{at}::fails
{named}
{result or f"test result: FAILED. {3 - failing} passed; {failing} failed; 0 ignored; finished in 0.19s"}

error: test failed, to rerun pass `--{at}`
"""


def test_cargo_that_fails_only_for_what_was_planted_is_shown_as_content() -> None:
    heard, shown = hear_cargo(
        target("a") + target("b") + "error: 2 targets failed:\n    `--a`\n    `--b`\n", [LIB, CART]
    )
    assert heard.only_planted_failed and not heard.silent
    assert weigh(heard, Claimed(exit_code=101, counts_planted=True))[0] is Belief.BELIEVED
    assert "planted" not in shown and "FAILED" not in shown and "error" not in shown and "--a" not in shown
    assert shown.count("running 1 tests") == shown.count("test result: ok. 1 passed; 0 failed;") == 2


def test_cargo_that_fails_of_itself_shows_that_alone() -> None:
    said = target("a") + target("b", real="FAILED") + "error: 2 targets failed:\n    `--a`\n    `--b`\n"
    heard, shown = hear_cargo(said, [LIB, CART])
    assert not heard.only_planted_failed and "planted" not in shown and "`--a`" not in shown
    assert "---- sums stdout ----" in shown and "rerun pass `--b`" in shown and "0 passed; 1 failed" in shown


@pytest.mark.parametrize(
    "said",
    [
        "error: could not compile `shop` (lib test) due to 1 previous error\n",
        target("a") + "running 2 tests\nerror: test failed, to rerun pass `--b`\n\nCaused by:\n  process (signal: 6)\n",
        target("a", result="test result: FAILED. 1 passed; 2 failed; 0 ignored;"),  # one of them said too much
        target("a") + "running 1 test\ntest src/lib.rs - total (line 1) ... FAILED\n",
    ],
)
def test_cargo_that_ends_of_something_else_fails(said: str) -> None:
    assert not hear_cargo(said, [LIB])[0].only_planted_failed


def test_a_target_of_cargo_that_leaves_early_is_silent() -> None:
    heard, shown = hear_cargo(target("a") + "     Running b\n\nrunning 3 tests\n     Running c\n", [LIB, CART])
    assert heard.silent == ("cart",) and heard.only_planted_failed
    assert "Running b" in shown and "Running c" in shown


def test_whoever_says_nothing_was_not_heard() -> None:
    for hear in (hear_go, hear_cargo):
        heard, _ = hear("", [A])
        assert heard == Heard(planned=("shop/a",)) and not heard.spoke


def test_a_target_of_cargo_that_never_told_how_it_ended_has_failed() -> None:
    said = "running 3 tests\ntest p::fails ... FAILED\ntest p::passes ... ok\n"
    heard, _ = hear_cargo(said, [Seed("tests/cart.rs", "p::fails", "p::passes")])
    assert heard.failures == 1 and not heard.only_planted_failed
