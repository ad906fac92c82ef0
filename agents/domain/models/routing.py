"""Which model serves which role, and why: what is written, else what is found, else the rehearsal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

ROLES = ("primary", "supervisor", "summarizer", "critic", "custodiet")
SMALL = frozenset({"summarizer", "custodiet"})  # roles that a small, quick model serves well
REHEARSAL = "rehearsal/sample"
BY_PROGRAM = "-cli"  # how providers' names end that are programs of others


def by_program(engine: str, model: str) -> str:
    """The name of a model that a program asks; one that is a role's name, or none, is as the engine's settings say."""
    return f"{engine}{BY_PROGRAM}/{model}" if model and model not in ROLES else f"{engine}{BY_PROGRAM}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenModel:
    """A model as a person named it. Empty: as its provider's own variables say."""

    name: str  # litellm's name, such as "anthropic/claude-sonnet-4-5"
    base_url: str = ""
    api_key_env: str = ""  # the variable that holds its key
    window: int = 0  # tokens that it takes, question and answer together; 0: it is asked, or known
    price: tuple[float, float] | None = None  # dollars a token, in and out; None: it is known, or nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Tokens that a role is given to read in one question, and may answer with. None: as many as the model takes."""

    input: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What is asked where nothing is written and this provider's key is in the environment."""

    key: str
    large: str
    small: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What the settings say of models. A role's models are asked in this order; the later ones are fallbacks."""

    roles: Mapping[str, tuple[WrittenModel, ...]] = field(default_factory=dict)
    providers: Sequence[Provider] = ()
    sizes: Mapping[str, Size] = field(default_factory=dict)

    @property
    def needs_a_look_around(self) -> bool:
        return not self.roles.get("primary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ollama:
    """A local Ollama that answered, and the models it has."""

    base_url: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model as it is asked. The key does not print."""

    name: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    window: int = 0
    price: tuple[float, float] | None = None

    @property
    def rehearsal(self) -> bool:
        return self.name.startswith("rehearsal/")

    @property
    def program(self) -> str:
        """The command-line agent that asks it, such as "codex" of `codex-cli/gpt-5.4`; empty: we ask it ourselves."""
        provider = self.name.partition("/")[0]
        return provider.removesuffix(BY_PROGRAM) if provider.endswith(BY_PROGRAM) else ""

    @property
    def bare(self) -> str:
        """Its name without whoever serves it."""
        return self.name.partition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The models of one role, the first of them preferred, and why it is these."""

    models: tuple[Model, ...]
    why: str
    size: Size = field(default_factory=Size)


Chosen = Mapping[str, Served]


def which_models(written: Written, environ: Mapping[str, str], ollama: Ollama | None) -> Chosen:
    """Every role's models. A role that nobody wrote is served as the primary is."""
    found = _found(written.providers, environ, ollama)
    primary = written.roles.get("primary", ())
    chosen: dict[str, Served] = {}
    for role in ROLES:
        if mine := written.roles.get(role, ()):
            chosen[role] = _as_written(mine, environ, f"`{role}` is set")
        elif primary:
            chosen[role] = _as_written(primary, environ, "as `primary`")
        else:
            chosen[role] = found["small" if role in SMALL else "large"]
    return {role: replace(served, size=written.sizes.get(role, Size())) for role, served in chosen.items()}


def _found(providers: Sequence[Provider], environ: Mapping[str, str], ollama: Ollama | None) -> dict[str, Served]:
    for provider in providers:
        if environ.get(provider.key):
            why = f"{provider.key} is set"
            large, small = (Model(name=name) for name in (provider.large, provider.small))
            return {"large": Served(models=(large,), why=why), "small": Served(models=(small,), why=why)}
    if ollama and (usable := [name for name in ollama.models if "embed" not in name]):
        model = Model(name=f"ollama_chat/{usable[0]}", base_url=ollama.base_url)
        both = Served(models=(model,), why=f"Ollama answers on {ollama.base_url}")
    else:
        no_ollama = f"Ollama on {ollama.base_url} has no model" if ollama else "no Ollama answers"
        both = Served(models=(Model(name=REHEARSAL),), why=f"no model is set, no key is found and {no_ollama}")
    return {"large": both, "small": both}


def _as_written(models: Sequence[WrittenModel], environ: Mapping[str, str], why: str) -> Served:
    missing = [m.api_key_env for m in models if m.api_key_env and not environ.get(m.api_key_env)]
    made = tuple(
        Model(
            name=m.name,
            base_url=m.base_url,
            api_key=environ.get(m.api_key_env, "") if m.api_key_env else "",
            window=m.window,
            price=m.price,
        )
        for m in models
    )
    return Served(models=made, why=f"{why}, but {', '.join(missing)} is empty" if missing else why)


def with_named(chosen: Chosen, named: Mapping[str, str]) -> Chosen:
    """With the models that roles of work name, each under its name; `named`: by model, the role. The keys are those of
    the providers' own variables, or as the same model has them under `models:`. A rehearsal plays all of them."""
    known = {model.name: model for served in chosen.values() for model in served.models}
    rehearses = chosen["primary"].models[0].rehearsal
    more = {
        name: chosen["primary"]
        if rehearses
        else Served(models=(known.get(name, Model(name=name)),), why=f"the role `{role}` names it")
        for name, role in named.items()
        if name not in chosen
    }
    return {**chosen, **more}


def describe_models(chosen: Chosen) -> str:
    """One line for the start: which models, for what, and why."""
    groups: dict[tuple[str, str], list[str]] = {}
    for role, served in chosen.items():
        groups.setdefault((", then ".join(m.name for m in served.models), served.why), []).append(role)
    if len(groups) == 1:
        (names, why), _ = groups.popitem()
        return f"{names} ({why})"
    return "; ".join(f"{names} for {', '.join(roles)} ({why})" for (names, why), roles in groups.items())
