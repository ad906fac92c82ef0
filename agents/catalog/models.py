"""What may be written about models and money: the roles, the providers to look for, and the budgets."""

import re
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from agents.catalog.documents import Document, read_packaged
from agents.catalog.policies import Part
from agents.domain.budget import Budgets
from agents.domain.models import ROLES, Provider, Written, WrittenModel
from manifests import packaged

OLLAMA = "OLLAMA_API_BASE"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MODEL = re.compile(r"[^\s,]+")


def _address(written: str) -> str:
    parts = urlsplit(written)
    if written and (parts.scheme not in ("http", "https") or not parts.hostname or parts.password):
        raise ValueError(f"`{parts.hostname or written}` is not an address. Write https://host/v1, with no key in it.")
    return written


def _variable(written: str) -> str:
    if written and not _VARIABLE.fullmatch(written):
        raise ValueError("it is not the name of a variable. Write the name, such as OPENAI_API_KEY; never the key.")
    return written


def _model(written: str) -> str:
    if written and not _MODEL.fullmatch(written):
        raise ValueError(f"`{written}` is not the name of a model. Write one such as openai/gpt-5.4.")
    return written


def _named(value: object) -> object:
    """A name alone stands for a model; several between commas are the first and its fallbacks."""
    if not isinstance(value, str):
        return {} if value is None else value
    first, *rest = [part.strip() for part in value.split(",")]
    return {"model": first, "fallbacks": rest} if rest else {"model": first}


class ModelPart(Part):
    """M147"""

    model: Annotated[str, AfterValidator(_model)] = ""
    provider: str = ""
    base_url: Annotated[str, AfterValidator(_address)] = ""
    api_key_env: Annotated[str, AfterValidator(_variable)] = ""

    def written(self) -> WrittenModel:
        begins = not self.provider or self.model.startswith(f"{self.provider}/")
        name = self.model if begins else f"{self.provider}/{self.model}"
        return WrittenModel(name=name, base_url=self.base_url, api_key_env=self.api_key_env)


class RolePart(ModelPart):
    fallbacks: tuple[Annotated[ModelPart, BeforeValidator(_named)], ...] = ()

    def models(self) -> tuple[WrittenModel, ...]:
        return tuple(part.written() for part in (self, *self.fallbacks) if part.model)


class ProviderPart(Part):
    large: Annotated[str, AfterValidator(_model)]
    small: Annotated[str, AfterValidator(_model)]


Role = Annotated[RolePart, BeforeValidator(_named)]


class Models(Part):
    """litellm's names. Empty: as the primary; no primary: what is found, or the offline rehearsal model."""

    primary: Role = RolePart()
    supervisor: Role = RolePart()
    summarizer: Role = RolePart()
    critic: Role = RolePart()
    custodiet: Role = RolePart()
    providers: dict[Annotated[str, AfterValidator(_variable)], ProviderPart] = Field(default_factory=dict)

    def written(self) -> Written:
        roles = {role: getattr(self, role).models() for role in ROLES}
        providers = tuple(Provider(key=key, large=p.large, small=p.small) for key, p in self.providers.items())
        return Written(roles=roles, providers=providers)

    def seen_in(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that a choice of models depends on."""
        names = {*self._key_names(), OLLAMA}
        return {name: environ[name] for name in sorted(names) if environ.get(name)}

    def keys_in(self, environ: Mapping[str, str]) -> set[str]:
        """Exact values that no log may show."""
        return {environ[name] for name in self._key_names() if environ.get(name)}

    def _key_names(self) -> set[str]:
        written = self.written()
        named = {model.api_key_env for models in written.roles.values() for model in models}
        return (named | {provider.key for provider in written.providers}) - {""}


def _money(value: object) -> object:
    if isinstance(value, bool):  # pydantic would read true as 1
        raise ValueError(f"`{str(value).lower()}` is not an amount. Write dollars, such as 5.0.")
    return value


Dollars = Annotated[float, BeforeValidator(_money), Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None


class BudgetsPart(Part):
    """Dollars: for one task, for one channel in a day, for all in a day. None: as much as is needed (C20)."""

    task: Dollars = None
    channel: Dollars = None
    day: Dollars = None

    def budgets(self) -> Budgets:
        return Budgets(task=self.task, channel=self.channel, day=self.day)


def packaged_models() -> Document:
    return read_packaged(packaged("policies", "models.yaml"))
