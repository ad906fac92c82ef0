"""What every platform's PLATFORM object must hold, so that settings, doctor, manifest and start can use it."""

import inspect
import re
from dataclasses import fields

import pytest

from bot.config.overlord import FLAGS, VARIABLES
from bot.config.platforms import OWN, REGISTRY, IdForm, PlatformSettings, PlatformSpec, load, platforms

every_platform = pytest.mark.parametrize("spec", platforms(), ids=lambda spec: spec.name)


def test_the_registry_names_each_platform_once_and_ours_first() -> None:
    assert [spec.name for spec in platforms()] == list(REGISTRY)
    assert platforms()[0].name == OWN and [spec.name for spec in platforms() if spec.serve] == [OWN]


@every_platform
def test_what_it_names_can_be_loaded_and_called(spec: PlatformSpec) -> None:
    assert list(inspect.signature(load(spec.connect)).parameters) == ["settings", "services", "inbox", "queries"]
    assert list(inspect.signature(load(spec.checks)).parameters) == ["settings", "now"]
    assert not spec.manifest or callable(load(spec.manifest))
    assert not spec.serve or callable(load(spec.serve))


@every_platform
def test_its_variables_and_flags_are_settings_of_its_own(spec: PlatformSpec) -> None:
    given = {**spec.variables, **spec.flags}
    assert set(given.values()) <= {each.name for each in fields(spec.settings)}
    assert all((VARIABLES | FLAGS)[name] == (spec.name, field) for name, field in given.items())


@every_platform
def test_it_has_defaults_and_joins_only_when_it_is_asked_to(spec: PlatformSpec) -> None:
    section = spec.settings()
    assert isinstance(section, PlatformSettings)
    assert section.joins is (spec.name == OWN)
    assert section.describe(8766) and not section.tokens()
    assert not list(section.problems()) and not list(section.warnings())


@every_platform
def test_examples_of_its_ids_are_ids(spec: PlatformSpec) -> None:
    assert _example_of(spec.account).startswith(f"{spec.name}:")
    if spec.membership:
        assert _example_of(spec.membership.form).startswith(f"{spec.membership.kind}:")


def _example_of(form: IdForm) -> str:
    id, _, parts = form.example.partition(" ")
    assert re.fullmatch(form.pattern, id) and re.fullmatch(r"\(.+\)", parts)
    return id
