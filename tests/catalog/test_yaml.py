"""The reader of YAML: attacks 62 and 63, and plain data for honest files."""

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from agents.catalog.yaml import (
    DEPTH_LIMIT,
    SIZE_LIMIT,
    BadYaml,
    Value,
    parse_yaml,
    read_yaml,
    write_yaml,
)

PATIENCE = 60.0  # seconds; machines are shared, and waiting costs only who fails
ROOT = Path(__file__).resolve().parents[2]


def data(text: str) -> dict[str, object]:
    return dict(parse_yaml(text, name="x.yaml").data)


def refusal(text: str | bytes) -> BadYaml:
    with pytest.raises(BadYaml) as caught:
        parse_yaml(text, name="x.yaml")
    assert caught.value.what.startswith("x.yaml"), "an error names the file"
    assert caught.value.next_step
    return caught.value


def test_plain_data_is_read() -> None:
    text = "a: 1\nb: [x, 2.5, -3, 1e3]\nc: {d: true, e: false, f: null, g: ~, h: }\ni: |\n  two\n  lines\n"
    assert data(text) == {
        "a": 1,
        "b": ["x", 2.5, -3, 1000.0],
        "c": {"d": True, "e": False, "f": None, "g": None, "h": None},
        "i": "two\nlines\n",
    }


@pytest.mark.parametrize("text", ["", "---\n", "# only a comment\n", "null\n"])
def test_an_empty_file_says_nothing(text: str) -> None:
    assert data(text) == {}


@pytest.mark.parametrize("word", ["no", "yes", "on", "off", "No", "True", "FALSE", "NULL", "y", "n"])
def test_only_true_and_false_are_booleans(word: str) -> None:
    assert data(f"a: {word}") == {"a": word}


@pytest.mark.parametrize(
    "word", ["012", "0o17", "0x1F", "1_000", "1:30", "2024-01-01", ".inf", ".nan", "+1", "9" * 5000]
)
def test_what_is_no_plain_number_stays_text(word: str) -> None:
    assert data(f"a: {word}") == {"a": word}


def test_a_version_in_quotes_stays_as_written() -> None:
    assert data("a: '1.10'\nb: \"1.10\"") == {"a": "1.10", "b": "1.10"}


def test_a_version_without_quotes_is_refused_before_it_changes() -> None:
    assert "quotes" in refusal("a: 1.10").next_step


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system [touch /tmp/overlord-was-here]",
        "a: !!python/name:os.system",
        "!!python/object:x {a: 1}",
        "a: !!binary aGk=",
        "a: !custom x",
        "a: ! x",
        "!!str a: 1",
    ],
)
def test_no_tag_is_obeyed(text: str) -> None:
    assert "is a tag" in refusal(text).what


def test_a_billion_laughs_are_none() -> None:
    lines = [
        "a: &a [lol, lol, lol]",
        *(f"{c}: &{c} [{', '.join([f'*{p}'] * 9)}]" for p, c in zip("abcdefgh", "bcdefghi", strict=True)),
    ]
    began = time.monotonic()
    assert "anchor" in refusal("\n".join(lines)).what
    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize("text", ["a: *x", "*x : 1", "a: [*x]"])
def test_an_alias_is_refused(text: str) -> None:
    assert "alias" in refusal(text).what


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 3000 + "]" * 3000,
        "a: " + "{b: " * 3000 + "1" + "}" * 3000,
        "a: " + "[" * 100_000,
        "- " * 3000,
        "\n".join(" " * i + "b:" for i in range(400)),
    ],
    ids=["lists", "mappings", "unclosed", "dashes", "indents"],
)
def test_depth_is_bounded(text: str) -> None:
    began = time.monotonic()
    assert "deeper" in refusal(text).what
    assert time.monotonic() - began < PATIENCE


def test_the_deepest_allowed_is_read() -> None:
    data("a: " + "[" * (DEPTH_LIMIT - 1) + "]" * (DEPTH_LIMIT - 1))


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3", "x: {a: 1, a: 2}", "'a': 1\n\"a\": 2", "<<: {a: 1}\n<<: {b: 1}"])
def test_a_name_stands_once(text: str) -> None:
    assert "twice" in refusal(text).what


def test_an_error_names_its_line() -> None:
    assert refusal("a: 1\nb: 2\na: 3").what == "x.yaml line 3: `a` is there twice"
    assert "line 2" in refusal("a: 1\nb: [1").what


@pytest.mark.parametrize("text", ["1: a", "true: a", "? [x]\n: 1", "? {x: 1}\n: 1"])
def test_a_name_is_text(text: str) -> None:
    assert "cannot be a name" in refusal(text).what


@pytest.mark.parametrize("text", ["- 1", "just words", "a: 1\n---\nb: 2", "a: \x01", b"\xff\xfe\x00", "\ta: 1"])
def test_anything_else_is_refused_in_words(text: str | bytes) -> None:
    refusal(text)


def test_size_is_bounded(tmp_path: Path) -> None:
    big = tmp_path / "big.yaml"
    big.write_text("a: " + "x" * SIZE_LIMIT)
    with pytest.raises(BadYaml, match="larger than 256 KB"):
        read_yaml(big)


def test_a_missing_file_or_a_folder_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(BadYaml, match="There is no file"):
            read_yaml(path)


@given(st.text(max_size=200))
def test_any_text_gives_data_or_an_error_in_words(text: str) -> None:
    try:
        parse_yaml(text.encode("utf-8", "surrogatepass"), name="x.yaml")
    except BadYaml as error:
        assert error.next_step


@given(st.text(alphabet="ab:-[]{}&*!|>%@`'\"#, \n\t?~0.1", max_size=60))
def test_any_punctuation_gives_data_or_an_error_in_words(text: str) -> None:
    try:
        parse_yaml(text, name="x.yaml")
    except BadYaml as error:
        assert error.next_step


def test_what_is_written_is_read_again() -> None:
    once: dict[str, Value] = {"b": "no", "a": ["1.10", 2, True, None], "c": {"d": "*", "e": "https://x/?" + "y" * 200}}
    assert data(write_yaml(once)) == once
    assert list(data(write_yaml(once))) == ["b", "a", "c"], "in the order they were in"


def test_nothing_else_reads_yaml() -> None:
    reads = re.compile(r"^\s*(?:import|from)\s+(?:ruamel|yaml)\b", re.M)
    ours = (path for folder in ("bot", "agents", "store", "manifests") for path in (ROOT / folder).rglob("*.py"))
    readers = [path.relative_to(ROOT).as_posix() for path in ours if reads.search(path.read_text())]
    inside = "agents/workspace/gates/agreed/validators.py"  # a sandbox, with what the project has installed
    elsewhere = [path for path in readers if path != inside and not path.startswith("manifests/samples")]
    assert elsewhere == ["agents/catalog/yaml.py"]
