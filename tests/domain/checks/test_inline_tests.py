"""Rust tests in the file of what they test."""

from agents.domain.checks.inline_tests import take_apart, with_tests_of

PROGRAM = 'pub fn brace() -> &\'static str {\n    "{" // {\n}\n'
TESTS = """\
#[cfg(test)]
mod tests {
    /* } */
    #[test]
    fn one() {
        assert_eq!('}', '}', "}}");
    }
}"""
BELOW = "\n\npub fn last() {}\n"


def test_a_file_is_taken_apart_and_put_together() -> None:
    assert take_apart(f"{PROGRAM}{TESTS}{BELOW}") == (PROGRAM, TESTS, BELOW)
    assert take_apart(PROGRAM) == (PROGRAM, "", "")
    assert take_apart(f"{PROGRAM}#[cfg(test)]\nmod tests {{\n").tests.endswith("{\n"), "one that does not end"


def test_tests_of_another_version_take_their_place() -> None:
    other = TESTS.replace("one", "two")
    assert with_tests_of(f"{PROGRAM}{TESTS}{BELOW}", f"//\n{other}") == f"{PROGRAM}{other}{BELOW}"
    assert with_tests_of(PROGRAM, other) == f"{PROGRAM}\n{other}\n", "and come back where they went"
    assert with_tests_of(f"{PROGRAM}{TESTS}", PROGRAM) == PROGRAM
