"""What people may write about models and budgets, and what they are told where it cannot be used."""

import pytest

from agents.catalog.models import MODELS
from agents.catalog.validation import Model, Wrong
from agents.catalog.yaml import Value, read_packaged
from agents.domain.models.money import Budgets
from agents.domain.models.routing import ROLES, WrittenModel, which_models


def test_the_packaged_file_can_be_read_and_names_no_model_for_a_role() -> None:
    packaged = MODELS.read(read_packaged("policies", "models.yaml").data)
    written = packaged.to_written()
    assert set(written.roles) == set(ROLES)
    assert not any(written.roles.values())
    assert [provider.key for provider in written.providers][:3] == [
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
    ]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("openai/gpt-5.4", [WrittenModel(name="openai/gpt-5.4")]),
        (" a/b , c/d,e/f ", [WrittenModel(name="a/b"), WrittenModel(name="c/d"), WrittenModel(name="e/f")]),
        ({}, []),
        (None, []),
        (
            {"provider": "openrouter", "model": "anthropic/claude", "api_key_env": "OPENROUTER_API_KEY"},
            [WrittenModel(name="openrouter/anthropic/claude", api_key_env="OPENROUTER_API_KEY")],
        ),
        ({"provider": "openai", "model": "openai/gpt"}, [WrittenModel(name="openai/gpt")]),
        (
            {"model": "hosted_vllm/x", "base_url": "http://gpu:8000/v1", "fallbacks": ["a/b", {"model": "c/d"}]},
            [
                WrittenModel(name="hosted_vllm/x", base_url="http://gpu:8000/v1"),
                WrittenModel(name="a/b"),
                WrittenModel(name="c/d"),
            ],
        ),
    ],
)
def test_ways_to_write_a_role(given: Value, wanted: list[WrittenModel]) -> None:
    assert list(MODELS.read({"primary": given}).to_written().roles["primary"]) == wanted


@pytest.mark.parametrize(
    "given",
    [
        {"model": "two words"},
        {"model": "a/b", "base_url": "gpu:8000"},
        {"model": "a/b", "base_url": "https://me:secret@gpu/v1"},
        {"model": "a/b", "api_key_env": "sk-proj-abc"},
        {"model": "a/b", "api_key": "sk-proj-abc"},
        {"modle": "a/b"},
        ["a/b"],
        7,
    ],
)
def test_what_does_not_do_is_refused(given: Value) -> None:
    with pytest.raises(Wrong):
        MODELS.read({"primary": given})


def test_the_keys_that_are_used_are_found() -> None:
    models = MODELS.read(
        {
            "critic": {"model": "a/b", "api_key_env": "MY_KEY"},
            "providers": {"X_API_KEY": {"large": "x/l", "small": "x/s"}},
        }
    )
    environ = {"MY_KEY": "secret", "X_API_KEY": "other", "OLLAMA_API_BASE": "http://here", "HOME": "/root"}
    assert set(models.seen_in(environ)) == {"MY_KEY", "X_API_KEY", "OLLAMA_API_BASE"}
    assert models.keys_in(environ) == {"secret", "other"}


def test_budgets_are_dollars_or_nothing() -> None:
    budgets: Model[Budgets] = Model(Budgets)
    assert budgets.read({"task": 5, "day": "20.5"}) == Budgets(task=5.0, day=20.5)
    assert budgets.read({}) == Budgets()
    for wrong in (-1, True, "much", float("inf")):
        with pytest.raises(Wrong):
            budgets.read({"task": wrong})


def test_a_program_may_ask_a_model_and_an_unknown_one_is_named() -> None:
    written = MODELS.read({"critic": "codex-cli/gpt-5.4", "primary": "claude-cli"}).to_written()
    chosen = which_models(written, {}, None)
    assert [chosen[role].models[0].program for role in ("critic", "primary", "custodiet")] == [
        "codex",
        "claude",
        "claude",
    ]
    with pytest.raises(Wrong) as wrong:
        MODELS.read({"critic": "copilot-cli/x"})
    assert "`copilot-cli` is no program that answers. There are: claude-cli, codex-cli, gemini-cli." in str(wrong.value)
