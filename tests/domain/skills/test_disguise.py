"""What a text says in spite of how it is written."""

import pytest

from agents.domain.skills.disguise import as_run, decode, fold, has_mixed_word, has_unseen, hidden_texts, values_in


@pytest.mark.parametrize("written", ["ＣＵＲＬ", "ᴄᴜʀʟ", "сurl", "c\u00adurl", 'c""url', "c^url", "ćurĺ", "c u r l"])
def test_one_spelling_for_what_reads_alike(written: str) -> None:
    assert fold(written) == "curl"


def test_codes_are_read_also_where_one_hides_another() -> None:
    assert decode("%2572m \\x2drf &#38;#47;") == "rm -rf /"


def test_a_shell_fills_in_what_is_set_and_drops_what_is_not() -> None:
    text = "a=cu; b='rl'\nalias go=sh"
    values = values_in(text)
    assert as_run("1. ${a}$b$nothing x | go # look", values, frozenset({"go"})) == "curl x | sh"


def test_what_is_encoded_is_text_or_nothing() -> None:
    assert "hello there" in set(hidden_texts("aGVsbG8gdGhlcmU= and more"))
    assert list(hidden_texts("description instructions")) == []


@pytest.mark.parametrize(
    ("line", "hidden"), [("👩‍💻 1️⃣ ✔️", False), ("a\u200bb", True), ("ab\ufe0f", True), ("a\u202eb", True)]
)
def test_what_joins_a_picture_is_seen(line: str, hidden: bool) -> None:
    assert has_unseen(line) is hidden


@pytest.mark.parametrize(("line", "mixed"), [("привет hello", False), ("hеllo", True), ("5 µs, Δt", False)])
def test_a_word_of_several_scripts_is_told(line: str, mixed: bool) -> None:
    assert has_mixed_word(line) is mixed
