"""Programs that end badly: each of the six classes, by how it ended, by code and by its own words."""

import pytest
from hypothesis import given, settings, strategies as st

from agents.domain.models.failure import Action, ErrorClass, Failure
from agents.domain.models.program_end import (
    CANNOT_RUN,
    ERROR_OF_END,
    OWN_CODES,
    EndedBy,
    ProgramEnd,
    failure_of_program,
)

E = ErrorClass


def failure(errors: str = "", code: int | None = 1, **more: object) -> Failure:
    found = failure_of_program(ProgramEnd(exit_code=code, errors=errors, **more))  # type: ignore[arg-type]
    assert found is not None
    return found


def test_every_way_to_end_has_its_class_and_an_exit_is_judged_by_its_code() -> None:
    assert ERROR_OF_END.keys() == set(EndedBy)
    assert [by for by, error in ERROR_OF_END.items() if error is None] == [EndedBy.EXIT]


def test_a_program_that_is_content_proves_nothing_and_is_no_failure() -> None:
    assert failure_of_program(ProgramEnd(exit_code=0, errors="Reconnecting… 1/5: ECONNRESET")) is None


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("API Error: 401 {'type': 'authentication_error'}", E.RESOURCE),
        ("Invalid API key · Please run /login", E.RESOURCE),
        ("unexpected status 401 Unauthorized: , url: http://gateway/v1/responses", E.RESOURCE),
        ("Error: 429 insufficient_quota: You exceeded your current quota", E.RESOURCE),
        ("credit balance is too low", E.RESOURCE),
        ("fatal: write error: No space left on device", E.RESOURCE),
        ("fatal: The requested URL returned error: 403", E.RESOURCE),
        ("2 VALIDATION ERRORS for Plan", E.VALIDATION),
        ("Output does not match the schema: /status", E.VALIDATION),
        ("Invalid JSON: expected value at line 1", E.PARSING),
        ("SyntaxError: Unexpected token 'H'", E.PARSING),
        ("BLOCKED: the request names no file", E.LOGIC),
        ("I cannot proceed without the interface", E.LOGIC),
        ("API Error: 529 Overloaded", E.NETWORK),
        ("status 429 Too Many Requests", E.NETWORK),
        ("exceeded retry limit, last status: 429 Too Many Requests", E.NETWORK),
        ("read ECONNRESET", E.NETWORK),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", E.NETWORK),
        ("stream disconnected before completion", E.NETWORK),
        ("Segmentation fault", E.CLI_ERROR),
        ("", E.CLI_ERROR),
        ("at Object.<anonymous> (/app/index.js:401:12)", E.CLI_ERROR),  # a line, no status
    ],
)
def test_words_of_its_own_error_channel_are_read_in_any_case(said: str, error: ErrorClass) -> None:
    for written in (said, said.upper(), f"\x1b[31m{said}\x1b[0m\n"):
        assert failure(written).error is error


def test_what_is_fatal_comes_before_what_the_model_can_mend_and_that_before_what_passes() -> None:
    assert failure("validation error\nauthentication failed\nconnection reset").action is Action.ESCALATE
    assert failure("connection reset\ninvalid JSON").action is Action.RETRY_WITH_FEEDBACK


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("quota exceeded, try again in 20s", 20.0),
        ("Rate limit reached. Please try again in 1.5 s.", 1.5),
        ("Too many requests, retry after 250 ms", 0.25),
        ("retry-after: 30", 30.0),
        ("Try again in 5 minutes", 300.0),
    ],
)
def test_who_says_when_to_come_again_is_not_out_of_order(said: str, seconds: float) -> None:
    found = failure(said)
    assert (found.error, found.retry_after) == (E.NETWORK, seconds)


def test_a_field_says_more_than_a_code_and_a_code_more_than_words() -> None:
    assert failure("connection reset", status=401).error is E.RESOURCE
    assert failure("invalid api key", status=503).error is E.NETWORK
    assert failure_of_program(ProgramEnd(exit_code=0, status=500)) is not None
    assert failure("connection reset", code=127).error is E.RESOURCE


@pytest.mark.parametrize(
    ("code", "error"), [(41, E.RESOURCE), (53, E.RESOURCE), (145, E.RESOURCE), (173, E.NETWORK), (244, E.NETWORK)]
)
def test_gemini_ends_with_the_status_modulo_256_and_nobody_else_does(code: int, error: ErrorClass) -> None:
    assert failure(code=code, program="gemini").error is error
    assert failure(code=code, program="codex").error is E.CLI_ERROR
    assert not OWN_CODES["gemini"].keys() & {0, *CANNOT_RUN}


@settings(max_examples=50)
@given(st.text(), st.integers(0, 255) | st.none(), st.sampled_from(EndedBy))
def test_whatever_a_program_says_it_has_one_class_and_a_message(said: str, code: int | None, by: EndedBy) -> None:
    found = failure_of_program(ProgramEnd(ended_by=by, exit_code=code, errors=said))
    assert (found is None) == (by is EndedBy.EXIT and not code)
    if found is not None:
        assert found.message and len(found.message) <= 300 and "\n" not in found.message


def test_only_the_end_of_a_long_error_channel_is_read() -> None:
    assert failure("ECONNRESET\n" + "x" * 50_000).error is E.CLI_ERROR


def test_what_it_said_last_is_told_and_not_what_it_warned_of_or_where_in_its_code_it_was() -> None:
    said = failure(
        "Warning: Basic terminal detected (TERM=dumb).\n(node:7) ExperimentalWarning: x\nYOLO mode is enabled.\n"
        + "It looked at a file.\n" * 30
        + "An unexpected critical error occurred: no such model\n    at JSON.parse (<anonymous>)\n"
    )
    assert said.message.endswith("It looked at a file. An unexpected critical error occurred: no such model")
    assert "Warning" not in said.message and len(said.message) <= 300
    assert failure("Warning: only this").message == "Warning: only this"
