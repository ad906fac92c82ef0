"""A secret shows in no text, and is still one value among others."""

from agents.domain.text.secret import Secret


def test_a_secret_shows_nowhere_and_is_handed_over_once_asked() -> None:
    secret = Secret("canary")
    assert "canary" not in f"{secret} {secret!r} {[secret]}"
    assert secret.reveal() == "canary"


def test_secrets_are_told_apart_by_what_they_hold() -> None:
    assert {Secret("a"), Secret("a"), Secret("b")} == {Secret("a"), Secret("b")}
    assert len({Secret("a"), Secret("a"), Secret("b")}) == 2
    assert Secret("a") != "a" and Secret("a") and not Secret("")
