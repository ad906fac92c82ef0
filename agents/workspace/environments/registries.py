"""Where this machine's package clients get packages from: read from their own settings, so that private indexes work.

What a name and a password open is not passed on: a set-up is given the secrets that are named for it, and no other.
"""

import configparser
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from agents.domain.project.packages import Client

_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE")
_SYSTEM = (Path("/usr"), Path("/etc/ssl"))  # every sandbox shows them
_NPMRC = re.compile(r"(?m)^\s*(?P<name>[@\w/:.-]+?)\s*=\s*(?P<value>\S+)\s*$")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    client: Client
    address: str  # without a name or a password

    @property
    def place(self) -> str:
        """`host:port`; empty for a folder."""
        return place_of(self.address)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """All that clients in a sandbox need to know. `public`: those of them that nobody configured."""

    registries: tuple[Registry, ...] = ()
    public: frozenset[Client] = frozenset(Client)
    environ: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    cargo: str = ""  # what stands in cargo's own settings about sources
    locked: tuple[str, ...] = ()  # hosts whose address came with a name or a password, which was left out


def place_of(address: str) -> str:
    parts = urlsplit(address.removeprefix("sparse+").removeprefix("registry+"))
    try:
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return ""
    return f"{parts.hostname}:{port}" if parts.hostname and port else ""


def read_sources(environ: Mapping[str, str], home: Path, etc: Path = Path("/etc")) -> Sources:
    """Of the user who runs Overlord. What cannot be read counts as not configured."""
    found = _Found(environ=environ, home=home, etc=etc)
    found.pip()
    found.npm()
    found.go()
    found.cargo()
    found.certificates()
    return Sources(
        registries=tuple(dict.fromkeys(found.registries)),
        public=frozenset(Client) - found.configured,
        environ=found.told,
        readable=tuple(dict.fromkeys(path for path in found.readable if _must_be_shown(path))),
        cargo=found.sources,
        locked=tuple(dict.fromkeys(found.locked)),
    )


@dataclass(slots=True, kw_only=True)
class _Found:
    environ: Mapping[str, str]
    home: Path
    etc: Path
    registries: list[Registry] = field(default_factory=list)
    configured: set[Client] = field(default_factory=set)
    told: dict[str, str] = field(default_factory=dict)
    readable: list[Path] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    sources: str = ""

    def pip(self) -> None:
        """Also of uv, where it has settings of its own."""
        files = [self.etc / "pip.conf", self.home / ".pip/pip.conf", self.home / ".config/pip/pip.conf"]
        files += [Path(self.environ["PIP_CONFIG_FILE"])] if self.environ.get("PIP_CONFIG_FILE") else []
        written = _of_pip(files)
        env = self.environ
        index = (
            env.get("PIP_INDEX_URL")
            or env.get("UV_DEFAULT_INDEX")
            or env.get("UV_INDEX_URL")
            or written.get("index-url", "")
        )
        extra = env.get("PIP_EXTRA_INDEX_URL") or env.get("UV_INDEX") or env.get("UV_EXTRA_INDEX_URL")
        links = env.get("PIP_FIND_LINKS") or written.get("find-links", "")
        if index:
            self.configured.add(Client.PIP)
            self.told |= dict.fromkeys(("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), self._address(Client.PIP, index))
        if extra := extra or written.get("extra-index-url", ""):
            self.told["PIP_EXTRA_INDEX_URL"] = " ".join(self._address(Client.PIP, each) for each in extra.split())
        if links:
            self.told["PIP_FIND_LINKS"] = " ".join(self._address(Client.PIP, each) for each in links.split())
        for name, key in (("PIP_TRUSTED_HOST", "trusted-host"), ("PIP_NO_INDEX", "no-index")):
            if value := env.get(name) or written.get(key, ""):
                self.told[name] = " ".join(value.split())
        if certificate := written.get("cert"):
            self.told["PIP_CERT"] = certificate
            self.readable.append(Path(certificate))

    def npm(self) -> None:
        written = dict[str, str]()
        for path in (self.etc / "npmrc", self.home / ".npmrc"):
            written |= {found["name"]: found["value"] for found in _NPMRC.finditer(_text(path))}
        env = {name.casefold(): value for name, value in self.environ.items()}
        if registry := env.get("npm_config_registry") or written.get("registry", ""):
            self.configured.add(Client.NPM)
            kept = self._address(Client.NPM, registry)
            self.told |= dict.fromkeys(("NPM_CONFIG_REGISTRY", "YARN_REGISTRY", "YARN_NPM_REGISTRY_SERVER"), kept)
        for name, address in written.items():
            if name.startswith("@") and name.endswith(":registry"):  # of a scope
                self.told[f"NPM_CONFIG_{name}"] = self._address(Client.NPM, address)
        if certificate := env.get("npm_config_cafile") or written.get("cafile", ""):
            self.told["NPM_CONFIG_CAFILE"] = certificate
            self.readable.append(Path(certificate))

    def go(self) -> None:
        written = dict(line.split("=", 1) for line in _text(self.home / ".config/go/env").splitlines() if "=" in line)
        for name in ("GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOPRIVATE", "GOINSECURE", "GOFLAGS"):
            if value := self.environ.get(name) or written.get(name, ""):
                self.told[name] = value
        if proxies := self.told.get("GOPROXY"):
            self.configured.add(Client.GO)
            kept = [self._address(Client.GO, each) for each in re.split("[,|]", proxies) if each]
            self.told["GOPROXY"] = ",".join(kept)

    def cargo(self) -> None:
        """Its sources alone: tokens stand in another file, and stay there."""
        home = Path(self.environ.get("CARGO_HOME") or self.home / ".cargo")
        text = _text(home / "config.toml") or _text(home / "config")
        try:
            sources = tomllib.loads(text).get("source", {})
        except tomllib.TOMLDecodeError:
            return
        if not isinstance(sources, dict) or not sources:
            return
        lines = []
        for name, source in sources.items():
            plain = (
                {key: value for key, value in source.items() if isinstance(value, str)}
                if isinstance(source, dict)
                else {}
            )
            if address := plain.get("registry"):
                plain["registry"] = self._address(Client.CARGO, address)
            if folder := plain.get("directory") or plain.get("local-registry"):
                self.readable.append(Path(folder))
            lines += [f'[source."{name}"]', *(f"{key} = {_quoted(value)}" for key, value in plain.items())]
        self.configured.add(Client.CARGO)
        self.sources = "\n".join((*lines, ""))

    def certificates(self) -> None:
        for name in _CERTIFICATES:
            if path := self.environ.get(name):
                self.told.setdefault(name, path)
                self.readable.append(Path(path))

    def _address(self, client: Client, written: str) -> str:
        """As clients in the sandbox are told it. A folder of this machine is shown to them."""
        parts = urlsplit(written)
        if parts.scheme in ("", "file"):
            folder = Path(unquote(parts.path))
            if folder.is_absolute():  # pages of an index often lie beside the files that they link to
                self.readable.append(folder.parent if folder.name == "simple" else folder)
            return written
        plain = without_user(parts)
        if plain != written:
            self.locked.append(parts.hostname or "")
        self.registries.append(Registry(client=client, address=plain))
        return plain


def without_user(parts: SplitResult) -> str:
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _of_pip(files: Iterable[Path]) -> dict[str, str]:
    """Of the sections that `pip install` heeds; what comes later wins."""
    found = dict[str, str]()
    for path in files:
        reader = configparser.RawConfigParser(strict=False)
        with suppress(configparser.Error):
            reader.read_string(_text(path))
        for section in ("global", "install"):
            if reader.has_section(section):
                found |= {name.replace("_", "-"): value for name, value in reader.items(section)}
    return found


def _must_be_shown(path: Path) -> bool:
    return path.exists() and not any(path.resolve().is_relative_to(place) for place in _SYSTEM)


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def named_hosts(registries: Iterable[Registry]) -> Iterator[str]:
    yield from (registry.place for registry in registries if registry.place)
