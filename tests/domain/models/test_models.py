"""Which model serves when: a table of what is written and what is around."""

import pytest

from agents.domain.models.ability import LEAST_ANSWER, LEAST_WINDOW, ROOMY, answer_room, least_window, reading_room
from agents.domain.models.routing import (
    ROLES,
    Ollama,
    Provider,
    Written,
    WrittenModel,
    describe_models,
    which_models,
    with_named,
)

PROVIDERS = (
    Provider(key="ANTHROPIC_API_KEY", large="anthropic/large", small="anthropic/small"),
    Provider(key="OPENAI_API_KEY", large="openai/large", small="openai/small"),
)
LOCAL = Ollama(base_url="http://127.0.0.1:11434", models=("nomic-embed-text:latest", "llama3:8b"))
EMPTY = Ollama(base_url="http://127.0.0.1:11434", models=("nomic-embed-text:latest",))


def written(**roles: str) -> Written:
    return Written(roles={role: (WrittenModel(name=name),) for role, name in roles.items()}, providers=PROVIDERS)


@pytest.mark.parametrize(
    ("given", "environ", "ollama", "primary", "custodiet", "why"),
    [
        ({}, {}, None, "rehearsal/sample", "rehearsal/sample", "no Ollama answers"),
        ({}, {}, EMPTY, "rehearsal/sample", "rehearsal/sample", "has no model"),
        ({}, {}, LOCAL, "ollama_chat/llama3:8b", "ollama_chat/llama3:8b", "Ollama answers on http://127.0.0.1:11434"),
        ({}, {"OPENAI_API_KEY": "k"}, LOCAL, "openai/large", "openai/small", "OPENAI_API_KEY is set"),
        ({}, {"OPENAI_API_KEY": ""}, None, "rehearsal/sample", "rehearsal/sample", "no key is found"),
        (
            {}, {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, None,
            "anthropic/large", "anthropic/small", "ANTHROPIC_API_KEY is set",
        ),
        ({"primary": "x/y"}, {"OPENAI_API_KEY": "k"}, LOCAL, "x/y", "x/y", "`primary` is set"),
        ({"custodiet": "x/y"}, {"OPENAI_API_KEY": "k"}, None, "openai/large", "x/y", "OPENAI_API_KEY is set"),
        ({"custodiet": "x/y"}, {}, None, "rehearsal/sample", "x/y", "no model is set"),
    ],
)  # fmt: skip
def test_which_models_serve(
    given: dict[str, str], environ: dict[str, str], ollama: Ollama | None, primary: str, custodiet: str, why: str
) -> None:
    chosen = which_models(written(**given), environ, ollama)
    assert chosen.keys() == set(ROLES)
    assert chosen["primary"].models[0].name == primary
    assert chosen["custodiet"].models[0].name == custodiet
    assert why in chosen["primary"].why


def test_fallbacks_keep_their_order_and_keys_do_not_print() -> None:
    models = (WrittenModel(name="a/b", base_url="http://a", api_key_env="A_KEY"), WrittenModel(name="c/d"))
    served = which_models(Written(roles={"critic": models}), {"A_KEY": "sk-very-secret"}, None)["critic"]
    assert [model.name for model in served.models] == ["a/b", "c/d"]
    assert (served.models[0].api_key, served.models[1].api_key) == ("sk-very-secret", "")
    assert "sk-very-secret" not in repr(served)


def test_a_key_that_is_missing_is_told() -> None:
    models = (WrittenModel(name="a/b", api_key_env="A_KEY"),)
    assert (
        which_models(Written(roles={"primary": models}), {}, None)["critic"].why == "as `primary`, but A_KEY is empty"
    )


def test_the_line_at_the_start() -> None:
    assert describe_models(which_models(written(primary="x/y"), {}, None)) == (
        "x/y for primary (`primary` is set); x/y for supervisor, summarizer, critic, custodiet (as `primary`)"
    )
    assert describe_models(which_models(written(), {}, None)) == (
        "rehearsal/sample (no model is set, no key is found and no Ollama answers)"
    )


def test_models_that_roles_of_work_name_are_added_with_what_is_known_of_them() -> None:
    chosen = which_models(
        Written(
            roles={
                "primary": (WrittenModel(name="a/b", base_url="http://a"),),
                "critic": (WrittenModel(name="c/d", api_key_env="KEY"),),
            }
        ),
        {"KEY": "k"},
        None,
    )
    more = with_named(chosen, {"c/d": "tester", "x/y": "writer", "critic": "reviewer"})
    assert more.keys() == {*chosen, "c/d", "x/y"} and more["critic"] == chosen["critic"]
    assert more["c/d"].models == chosen["critic"].models and more["c/d"].why == "the role `tester` names it"
    assert [model.name for model in more["x/y"].models] == ["x/y"] and more["x/y"].models[0].api_key == ""


def test_a_rehearsal_plays_the_models_that_roles_name() -> None:
    chosen = which_models(Written(), {}, None)
    assert with_named(chosen, {"x/y": "writer"})["x/y"] == chosen["primary"]


def test_who_wrote_no_first_model_has_the_machine_looked_around_on() -> None:
    assert Written().needs_a_look_around and written(critic="x/y").needs_a_look_around
    assert not written(primary="x/y").needs_a_look_around


def test_rooms_of_a_window() -> None:
    assert (answer_room(0, 4000), answer_room(8000, 4000), answer_room(8000, 900)) == (4000, 2000, 900)
    assert answer_room(800, 4000) == LEAST_ANSWER, "an answer has a little room at least"
    assert (reading_room(0, 100), reading_room(1100, 100), reading_room(100, 500)) == (0, 900, 1)
    assert (least_window("primary"), least_window("critic")) == (ROOMY, LEAST_WINDOW)
