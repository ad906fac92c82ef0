"""What may be written about models: the roles and the providers to look for; and what the offline model rehearses."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator

from agents.catalog.validation import Model, matching
from agents.catalog.yaml import Value, read_packaged, read_yaml
from agents.domain.models.known_engines import KnownEngine
from agents.domain.models.routing import (
    BY_PROGRAM,
    ROLES,
    Model as RoutedModel,
    Provider,
    Size,
    Written,
    WrittenModel,
)
from agents.domain.text.sanitize import Between
from agents.domain.text.secret_shapes import OTHERS_KEY, TOKEN_BEGINNINGS
from agents.domain.workflow.roles import EngineName
from manifests import packaged_path

OLLAMA = "OLLAMA_API_BASE"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
# Tokens. The rules and a question take some 3,000, and what is cut off too early is paid for nothing.
LEAST_INPUT, LEAST_OUTPUT, MOST_TOKENS = 4_000, 200, 1_000_000
_KEY_STEP = "Keep the model's key in a variable of its own, such as OPENAI_API_KEY, and write that name."
_SIZES = ("input_tokens", "output_tokens")


def _address(written: str) -> str:
    parts = urlsplit(written)
    if written and (parts.scheme not in ("http", "https") or not parts.hostname or parts.password):
        raise ValueError(f"`{parts.hostname or written}` is not an address. Write https://host/v1, with no key in it.")
    return written


def _variable(written: str) -> str:
    if written and not re.fullmatch(_VARIABLE, written):
        raise ValueError("it is not the name of a variable. Write the name, such as OPENAI_API_KEY; never the key.")
    if re.fullmatch(OTHERS_KEY, written):
        raise ValueError(f"`{written}` is no key of a model, and its server would be sent it. {_KEY_STEP}")
    return written


def _split_names(value: Value) -> Value:
    """A name alone stands for a model; several between commas are the first and its fallbacks."""
    if not isinstance(value, str):
        return {} if value is None else value
    first, *rest = [part.strip() for part in value.split(",")]
    return {"model": first, "fallbacks": [*rest]} if rest else {"model": first}


def _add_sizes(role: str, written: Value) -> Value:
    """A name alone takes the place of a whole role and says nothing about sizes: those that we ship stay."""
    made = _split_names(written)
    return {**_shipped_sizes(role), **made} if isinstance(written, str) and isinstance(made, dict) else made


def _shipped_sizes(role: str) -> dict[str, Value]:
    shipped = read_packaged("policies", "models.yaml").data.get(role)
    return {name: shipped[name] for name in _SIZES if name in shipped} if isinstance(shipped, dict) else {}


def _known_program(written: str) -> str:
    """Such as `codex-cli/gpt-5.4`, which is asked by a program."""
    program = RoutedModel(name=written).program
    if program and program not in PROGRAMS:
        known = ", ".join(f"{each}{BY_PROGRAM}" for each in PROGRAMS)
        raise ValueError(f"`{program}{BY_PROGRAM}` is no program that answers. There are: {known}.")
    return written


PROGRAMS = (EngineName.CLAUDE, EngineName.CODEX, EngineName.GEMINI)
ModelName = Annotated[
    str,
    matching(r"[^\s,]*", "`{}` is not the name of a model. Write one such as openai/gpt-5.4."),
    AfterValidator(_known_program),
]
Variable = Annotated[str, AfterValidator(_variable)]
MOST_WINDOW = 100_000_000
Price = Annotated[float, Between(0, 10_000, "dollars for a million tokens, such as 2.5")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPart:
    """One model, and where it is served."""

    model: ModelName = ""
    provider: str = ""
    base_url: Annotated[str, AfterValidator(_address)] = ""
    api_key_env: Variable = ""
    window_tokens: Annotated[int, Between(LEAST_INPUT, MOST_WINDOW)] | None = None
    input_price: Price | None = None
    output_price: Price | None = None

    def to_written(self) -> WrittenModel:
        begins = not self.provider or self.model.startswith(f"{self.provider}/")
        name = self.model if begins else f"{self.provider}/{self.model}"
        prices = (self.input_price, self.output_price)
        return WrittenModel(
            name=name,
            base_url=self.base_url,
            api_key_env=self.api_key_env,
            window=self.window_tokens or 0,
            price=((prices[0] or 0.0) / 1e6, (prices[1] or 0.0) / 1e6) if prices != (None, None) else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RolePart(ModelPart):
    fallbacks: tuple[Annotated[ModelPart, BeforeValidator(_split_names, ModelPart | str)], ...] = ()
    input_tokens: Annotated[int, Between(LEAST_INPUT, MOST_TOKENS)] | None = None
    output_tokens: Annotated[int, Between(LEAST_OUTPUT, MOST_TOKENS)] | None = None

    def models(self) -> tuple[WrittenModel, ...]:
        return tuple(part.to_written() for part in (self, *self.fallbacks) if part.model)

    @property
    def size(self) -> Size:
        return Size(input=self.input_tokens, output=self.output_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderPart:
    large: ModelName
    small: ModelName


def _read_role(role: str) -> BeforeValidator:
    return BeforeValidator(partial(_add_sizes, role), RolePart | str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """litellm's names. Empty: as the primary; no primary: what is found, or the offline rehearsal model."""

    primary: Annotated[RolePart, _read_role("primary")] = field(default_factory=RolePart)
    supervisor: Annotated[RolePart, _read_role("supervisor")] = field(default_factory=RolePart)
    summarizer: Annotated[RolePart, _read_role("summarizer")] = field(default_factory=RolePart)
    critic: Annotated[RolePart, _read_role("critic")] = field(default_factory=RolePart)
    custodiet: Annotated[RolePart, _read_role("custodiet")] = field(default_factory=RolePart)
    providers: Mapping[Variable, ProviderPart] = field(default_factory=dict)

    def to_written(self) -> Written:
        roles = {role: getattr(self, role).models() for role in ROLES}
        providers = tuple(Provider(key=key, large=p.large, small=p.small) for key, p in self.providers.items())
        return Written(roles=roles, providers=providers, sizes={role: getattr(self, role).size for role in ROLES})

    def seen_in(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that a choice of models depends on."""
        names = {*self._key_names(), OLLAMA}
        return {name: environ[name] for name in sorted(names) if environ.get(name)}

    def keys_in(self, environ: Mapping[str, str]) -> set[str]:
        """Exact values that no log may show."""
        return {environ[name] for name in self._key_names() if environ.get(name)}

    def misused_keys(self, environ: Mapping[str, str], tokens: Collection[str]) -> Iterator[tuple[str, str, str]]:
        """Variables that would send a token of a chat or a forge to a model's server, whatever they are called."""
        for name in sorted(self._key_names()):
            value = environ.get(name, "")
            if value in tokens or value.startswith(TOKEN_BEGINNINGS):
                yield name, "it holds a token of a chat or a forge, which would be sent to a model's server", _KEY_STEP

    def _key_names(self) -> set[str]:
        roles: list[RolePart] = [getattr(self, role) for role in ROLES]
        parts = [part for role in roles for part in (role, *role.fallbacks) if part.model]
        return ({part.api_key_env for part in parts} | set(self.providers)) - {""}


MODELS: Model[Models] = Model(Models)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePart(ModelPart):
    """An engine that is a program of others: where it is, and which model it asks."""

    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """What the settings say of engines. Empty: found on this machine, and served by its provider's own key."""

    claude: Annotated[EnginePart, BeforeValidator(_split_names, EnginePart | str)] = field(default_factory=EnginePart)
    codex: Annotated[EnginePart, BeforeValidator(_split_names, EnginePart | str)] = field(default_factory=EnginePart)
    gemini: Annotated[EnginePart, BeforeValidator(_split_names, EnginePart | str)] = field(default_factory=EnginePart)

    def part(self, engine: EngineName) -> EnginePart:
        made: EnginePart = getattr(self, engine)
        return made

    @property
    def paths(self) -> dict[EngineName, str]:
        return {engine: self.part(engine).path for engine in PROGRAMS if self.part(engine).path}

    def seen_in(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Variables that hold keys."""
        known = packaged_engines()
        names = {self.part(engine).api_key_env for engine in PROGRAMS} | {
            k for each in known.values() for k in each.keys
        }
        return {name: environ[name] for name in sorted(names - {""}) if environ.get(name)}

    def models(self, keys: Mapping[str, str]) -> dict[EngineName, RoutedModel]:
        """For each engine that has a model to ask: one with a key, or a server of one's own."""
        known = packaged_engines()
        found: dict[EngineName, RoutedModel] = {}
        for engine in PROGRAMS:
            part, shipped = self.part(engine), known[engine]
            written = part.to_written()
            wanted = (part.api_key_env,) if part.api_key_env else () if part.base_url else shipped.keys
            key = next((keys[name] for name in wanted if keys.get(name)), "")
            if not key and not part.base_url:
                continue
            provider = shipped.model.partition("/")[0]
            name = written.name or shipped.model
            found[engine] = RoutedModel(
                name=name if name.startswith(f"{provider}/") else f"{provider}/{name}",
                base_url=written.base_url,
                api_key=key,
                window=written.window,
                price=written.price,
            )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEngines:
    """The engines that this version was tried with."""

    claude: KnownEngine
    codex: KnownEngine
    gemini: KnownEngine


KNOWN_ENGINES: Model[KnownEngines] = Model(KnownEngines)


@cache
def packaged_engines() -> Mapping[EngineName, KnownEngine]:
    found = KNOWN_ENGINES.read(read_packaged("policies", "engines.yaml").data)
    return {engine: getattr(found, engine) for engine in PROGRAMS}


@cache
def load_scripts() -> tuple[Mapping[str, Any], ...]:
    """Read once: it takes a third of a second, and comes with the program."""
    data: Any = read_yaml(packaged_path("samples", "rehearsal.yaml")).data
    played: list[Any] = [read_yaml(path).data for path in sorted(packaged_path("samples", "rehearsal").glob("*.yaml"))]
    work = {str(each["request"]): each["work"] for each in played}
    return tuple({**script, "work": work.get(str(script["request"]), [])} for script in data["requests"])


@cache
def load_learning() -> tuple[Mapping[str, Any], ...]:
    """What is played to show how something is learnt. Nobody is offered these to begin with."""
    data: Any = read_yaml(packaged_path("samples", "learning.yaml")).data
    return tuple(data["requests"])


@cache
def load_questions() -> tuple[Mapping[str, Any], ...]:
    """What can be asked about the sample without a model."""
    data: Any = read_yaml(packaged_path("samples", "questions.yaml")).data
    return tuple(data["questions"])


def rehearsed_requests(scripts: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What can be asked for: the request, with the workflow that it wants, and what it shows."""
    return [(_asked_in_full(script), str(script["shows"])) for script in scripts]


def _asked_in_full(script: Mapping[str, Any]) -> str:
    return f"{script['request']}, use {script['workflow']}" if "workflow" in script else str(script["request"])
