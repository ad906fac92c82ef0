"""Answers, failures and sizes, from both sides of each condition; no provider is asked."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from agents.domain.models.failure import ErrorClass
from agents.llm import answers, context, faults, tokens
from agents.llm.answers import LONGEST, NONCE, BadAnswer, read_answer, schema_for
from agents.llm.faults import failure_of
from agents.llm.rendering import Fence
from agents.ports import Tool
from tests.llm.rig import task


class Verdict(BaseModel):
    """Written for people."""

    ok: bool
    title: str = Field(default="none", description="what it is called")


def said(**fields: object) -> str:
    return json.dumps({NONCE: "n1", "ok": True, **fields})


@pytest.mark.parametrize(
    ("text", "error", "what"),
    [
        (None, ErrorClass.PARSING, "it is empty"),
        ("  \n", ErrorClass.PARSING, "it is empty"),
        ("yes", ErrorClass.PARSING, "it has no JSON object, and begins with “yes”"),
        ("[1]", ErrorClass.PARSING, "it has no JSON object"),
        ("```\n[1]\n```", ErrorClass.PARSING, "it has no JSON object"),
        ("so: ```\n{}\n```", ErrorClass.PARSING, "it has no JSON object"),
        (said()[:-1], ErrorClass.PARSING, "it was cut off"),
        (said() + said(ok=False), ErrorClass.PARSING, "it has 2 different JSON objects"),
        ('{"ok": true}', ErrorClass.PARSING, "does not repeat the tag"),
        (said().replace("n1", "n2"), ErrorClass.PARSING, "does not repeat the tag"),
        (said(ok="perhaps"), ErrorClass.VALIDATION, "ok: "),
        (said().replace("}", " " * LONGEST + "}"), ErrorClass.PARSING, f"longer than {LONGEST} characters"),
    ],
)
def test_what_is_no_answer_says_why(text: str | None, error: ErrorClass, what: str) -> None:
    with pytest.raises(BadAnswer) as raised:
        read_answer(text, Verdict, "n1")
    assert raised.value.failure.error is error and what in raised.value.failure.message


@pytest.mark.parametrize("around", ["{}", " {}\n", "```json\n{}\n```", "```\n{}\n  ```"])
def test_one_object_is_an_answer_in_a_block_or_not(around: str) -> None:
    assert read_answer(around.replace("{}", said()), Verdict, "n1") == Verdict(ok=True)


def test_an_answer_may_be_as_long_as_the_limit() -> None:
    spare = LONGEST - len(said(title=""))
    assert read_answer(said(title="x" * spare), Verdict, "n1").ok


class Many(BaseModel):
    rows: list[int]


def test_at_most_five_faults_are_told() -> None:
    with pytest.raises(BadAnswer) as raised:
        read_answer(json.dumps({NONCE: "n1", "rows": ["x"] * 7}), Many, "n1")
    assert str(raised.value).count("rows.") == 5


def test_a_schema_is_slim_and_keeps_what_is_meant_for_the_model() -> None:
    shown = json.loads(schema_for(Verdict, "n1"))
    assert shown == {
        "properties": {
            NONCE: {"const": "n1"},
            "ok": {"type": "boolean"},
            "title": {"description": "what it is called", "type": "string"},
        },
        "required": [NONCE, "ok"],
        "type": "object",
        "additionalProperties": False,
    }


def test_a_tool_without_fields_takes_an_empty_object() -> None:
    class Nothing(BaseModel):
        pass

    [told] = json.loads(answers.tool_schemas((Tool(name="look", does="looks", takes=Nothing),)))
    assert told["type"] == "function"
    assert told["function"] == {
        "name": "look",
        "description": "looks",
        "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
    }


def test_a_talk_is_measured_in_bytes_with_its_calls() -> None:
    call = {"function": {"arguments": "abc"}}
    assert answers.size_of([]) == 0
    assert answers.size_of([{"content": "abc"}, {"content": "äb"}, {"content": None}]) == 6
    assert answers.size_of([{"content": "ab", "tool_calls": [call, call]}]) == 2 + 2 * 63
    assert answers.size_of([{"content": "a", "tool_calls": None}]) == 1


def marks(messages: list[dict[str, Any]]) -> list[bool]:
    return ["cache_control" in json.dumps(message) for message in answers.marked_talk(messages)]


def test_the_beginning_and_the_end_of_a_talk_are_marked() -> None:
    plain = {"role": "user", "content": "x"}
    assert marks([plain]) == [True]
    assert marks([plain] * 2) == [True, True]
    assert marks([plain] * 4) == [True, True, False, True]
    tool = {"role": "tool", "content": "x"}
    assert answers.marked_talk([plain, plain, tool])[-1] == {**tool, **answers.CACHE_MARK}
    for odd in ({"role": "user", "content": ""}, {"role": "user", "content": ["x"]}, {**plain, "tool_calls": [1]}):
        assert answers.marked_talk([plain, plain, odd])[-1] is odd


class Refused(Exception):
    """As a provider's client raises it."""

    def __init__(self, status: object, message: str = "no", **headers: str) -> None:
        super().__init__(message)
        self.status_code = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), ErrorClass.NETWORK),
        (Refused(402, "payment required"), ErrorClass.RESOURCE),
        (Refused(429, "insufficient_quota"), ErrorClass.RESOURCE),
        (Refused(429, "slow down"), ErrorClass.NETWORK),
        (Refused(402, "no"), ErrorClass.RESOURCE),
        (Refused(503, "billing"), ErrorClass.NETWORK),
        (Refused(408), ErrorClass.NETWORK),
        (Refused(409), ErrorClass.NETWORK),
        (Refused(425), ErrorClass.NETWORK),
        (Refused(400), ErrorClass.RESOURCE),
        (Refused(401), ErrorClass.RESOURCE),
        (Refused(404), ErrorClass.RESOURCE),
        (Refused(499), ErrorClass.RESOURCE),
        (Refused(500), ErrorClass.NETWORK),
        (Refused(599), ErrorClass.NETWORK),
        (Refused(200), ErrorClass.NETWORK),
        (Refused(399), ErrorClass.NETWORK),
        (Refused(600), ErrorClass.NETWORK),
        (Refused("400"), ErrorClass.NETWORK),
        (OSError("down"), ErrorClass.NETWORK),
        (TypeError("tripped"), ErrorClass.CLI_ERROR),
        (KeyError("tripped"), ErrorClass.CLI_ERROR),
    ],
)
def test_a_failure_is_classed_by_what_was_really_answered(error: Exception, kind: ErrorClass) -> None:
    assert failure_of(error).error is kind


def caused(outer: Exception, inner: Exception) -> Exception:
    outer.__cause__ = inner
    return outer


def test_the_inner_error_knows_better() -> None:
    assert failure_of(caused(Refused(400), Refused(503))).error is ErrorClass.NETWORK
    assert failure_of(caused(Refused(500), Refused(401))).error is ErrorClass.RESOURCE
    assert failure_of(caused(Refused(400), Refused(500))).error is ErrorClass.RESOURCE, (
        "the first of two that say little"
    )
    assert failure_of(caused(Refused(503), Refused(404))).error is ErrorClass.RESOURCE
    large = failure_of(caused(Refused(500), faults.TooLarge("the answer has more than 8 MB")))
    assert (large.error, large.message) == (
        ErrorClass.RESOURCE,
        "the answer has more than 8 MB, so it was not read to its end",
    )
    assert failure_of(caused(TypeError("x"), OSError("down"))).error is ErrorClass.NETWORK, "a socket was in it"
    assert failure_of(caused(Refused(503), TypeError("x"))).error is ErrorClass.NETWORK
    around = TypeError("round")
    around.__cause__ = around
    assert failure_of(around).error is ErrorClass.CLI_ERROR


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after_ms": "1500", "retry_after": "7"}, 1.5),
        ({"retry_after": "-3"}, 0.0),
        ({"retry_after": formatdate(1_000, usegmt=True), "date": formatdate(990, usegmt=True)}, 10.0),
        ({"retry_after": formatdate(990, usegmt=True), "date": formatdate(1_000, usegmt=True)}, 0.0),
        ({"retry_after": formatdate(990, usegmt=True)}, None),
        ({"retry_after": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_read_in_any_form(headers: dict[str, str], seconds: float | None) -> None:
    assert failure_of(Refused(429, **headers)).retry_after == seconds
    assert failure_of(caused(OSError("x"), Refused(503, **headers))).retry_after == seconds


def test_a_message_is_short_and_holds_no_key() -> None:
    shown = failure_of(
        Refused(
            401, "litellm.AuthenticationError: wrong key sk-abcdefghij given\nTraceback (most recent call last):\n x"
        )
    ).message
    assert shown == "wrong key … given"
    assert failure_of(Refused(401, "")).message == "Refused"
    assert len(failure_of(Refused(401, "x " * 900)).message) <= faults.LONGEST_MESSAGE


def test_tokens_are_counted_in_pieces_of_whole_lines() -> None:
    assert [tokens.estimate(text) for text in ("", "a", "abc", "abcd", "äö")] == [0, 1, 1, 2, 2]
    line = "x" * 2_999 + "\n"
    for text in (line * 3, "y" * 9_000, "\n" + "z" * 4_500, "x" * 4_000, "x" * 4_001):
        pieces = tokens._pieces(text)
        assert "".join(pieces) == text and all(0 < len(piece) <= 4_000 for piece in pieces)
    assert [len(piece) for piece in tokens._pieces(line * 3)] == [2_999, 3_000, 3_001]
    counted = tokens.Tokens()
    assert counted("a b c") == counted("a b c") > 0
    assert counted(line * 3) >= counted(line)


def words(text: str) -> int:
    return len(text.split())


def test_a_tree_is_shown_as_deep_as_there_is_room_for() -> None:
    files = ("a/b/c.py", "a/b/d.py", "e.py")
    assert context._tree(files, 3, words) == "a/b/c.py\na/b/d.py\ne.py"
    assert context._tree(("a/b/c.py", "a/b/d.py", "a/b/f.py", "a/b/g.py", "e.py"), 4, words) == "a/b/ (4 files)\ne.py"
    many = tuple(f"{number}.py" for number in range(100))
    shown = context._tree(many, 50, words).splitlines()
    assert shown[-1] == f"… and {100 - len(shown) + 1} more files and folders" and 20 <= len(shown) - 1 <= 30
    assert context._tree((), 0, words) == ""


def test_as_much_of_a_text_as_fits_is_taken() -> None:
    def count(text: str) -> int:
        return len(text)

    assert context._letters("abcd", 4, count) == 4
    assert context._letters("abcd", 3, count) == 3
    assert context._letters("abcd", 0, count) == 0
    assert context._letters("a b " + "c" * 20, 1, words) <= 8


def test_a_text_whose_beginning_is_heavy_is_cut_further() -> None:
    def count(text: str) -> int:
        return 10 * text.count("x") + text.count("y")

    text = "x" * 10 + "y" * 90
    assert count(text[: context._letters(text, 50, count)]) <= 50


def test_without_the_word_list_tokens_are_estimated() -> None:
    """In a Python that sees no installed packages."""
    ask = (
        "import sys; sys.path.insert(0, sys.argv[1]); from agents.llm.tokens import Tokens; print(Tokens()('abcdefg'))"
    )
    command = [sys.executable, "-I", "-S", "-c", ask, str(Path(tokens.__file__).parents[2])]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "3\n"


def test_what_fills_its_room_to_the_last_token_is_shown_whole() -> None:
    about, fence = context.Shown(task=task(request="mend it"), files=("a.py", "b.py")), Fence("tag")
    [everything] = context.whole(about, fence)
    assert context.fit_task(about, fence, context.FLOOR, lambda text: context.FLOOR) == (everything,)
    assert context.fit_task(about, fence, 0, lambda text: context.FLOOR) == (everything,), "so much there always is"
    assert context.fit_task(about, fence, 0, lambda text: context.FLOOR + 1) != (everything,)


class Stream:
    """As a client reads an answer: part by part."""

    def __init__(self, *parts: bytes) -> None:
        self._parts, self.closed = parts, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part

    async def aclose(self) -> None:
        self.closed = True


async def test_an_answer_is_read_up_to_its_largest_size_and_no_byte_further() -> None:
    half = b"x" * (faults.LARGEST // 2)
    most = Stream(half, half)
    assert [len(part) async for part in faults._limit_size(most)] == [len(half)] * 2 and not most.closed
    over = Stream(half, half, b"x")
    with pytest.raises(faults.TooLarge, match="more than 8 MB"):
        [part async for part in faults._limit_size(over)]
    assert over.closed


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ('VertexAIException - {"error": {"code": 429, "message": "Rate limit reached"}}', "Rate limit reached"),
        ('OllamaException - {"error": "the server is busy"}', "the server is busy"),
        ('{"error": {"message": "It is overloaded.", "code": 503}, "user_id": "user"}', "It is overloaded."),
        ("no key {is} given", "no key {is} given"),
        ('{"error": {"message": ""}}', '{"error": {"message": ""}}'),
        ('{"error": {"message": "wrong key sk-abcdefgh1234"}}', "wrong key …"),
    ],
)  # fmt: skip
def test_people_are_told_what_a_provider_says_is_wrong_and_not_its_whole_body(raised: str, told: str) -> None:
    assert failure_of(RuntimeError(raised)).message.removeprefix("the client library failed (").rstrip(")") == told
