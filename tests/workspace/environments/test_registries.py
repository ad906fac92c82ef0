"""Where package clients get packages from, as their own settings say; without what opens a locked door."""

from pathlib import Path

import pytest

from agents.catalog.policies import packaged_hosts
from agents.domain.project.packages import Client, places_of
from agents.workspace.environments.links import linked_places, package_names
from agents.workspace.environments.registries import Registry, Sources, place_of, read_sources
from agents.workspace.environments.seen import Seen
from tests.workspace.environments.private_index import serving_index

ONE, TWO, THREE, FOUR = (f"https://{name}.example" for name in ("one", "two", "three", "four"))  # nobody's hosts


def read(tmp_path: Path, files: dict[str, str] | None = None, **environ: str) -> Sources:
    for name, text in (files or {}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_sources(environ, tmp_path / "home", tmp_path / "etc")


def addresses(sources: Sources) -> list[tuple[str, str]]:
    return [(registry.client.value, registry.address) for registry in sources.registries]


def test_where_nothing_is_configured_the_public_hosts_are_meant(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert (found.registries, found.public, found.environ) == ((), frozenset(Client), {})


def test_pip_is_read_from_its_files_and_the_environment_wins(tmp_path: Path) -> None:
    files = {
        "etc/pip.conf": f"[global]\nindex-url = {ONE}/simple\n",
        "home/.config/pip/pip.conf": f"[global]\nindex-url = {TWO}/simple\n"
        f"extra-index-url =\n  {THREE}/simple\n  {FOUR}/simple\n",
    }
    found = read(tmp_path, files)
    assert found.environ["PIP_INDEX_URL"] == "https://two.example/simple"
    assert [each for _, each in addresses(found)][1:] == ["https://three.example/simple", "https://four.example/simple"]
    assert Client.PIP not in found.public
    assert (
        read(tmp_path, PIP_INDEX_URL="https://five.example/simple").environ["PIP_INDEX_URL"].startswith("https://five")
    )


def test_an_extra_index_alone_leaves_the_public_one(tmp_path: Path) -> None:
    found = read(tmp_path, {"etc/pip.conf": f"[global]\nextra-index-url = {ONE}/simple\n"})
    assert Client.PIP in found.public


def test_a_folder_as_an_index_is_shown(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    found = read(tmp_path, PIP_FIND_LINKS=f"{tmp_path}/wheels", PIP_EXTRA_INDEX_URL=f"file://{tmp_path}/wheels")
    assert found.readable == (tmp_path / "wheels",)
    assert found.registries == ()
    (tmp_path / "mirror" / "simple").mkdir(parents=True)
    beside = read(tmp_path, PIP_INDEX_URL=f"file://{tmp_path}/mirror/simple")
    assert beside.readable == (tmp_path / "mirror",), "its files lie beside its pages"


@pytest.mark.parametrize(
    "written", ["https://ana:sesame@locked.example/simple", "https://sesame@locked.example/simple"]
)
def test_no_password_in_an_address_is_passed_on(tmp_path: Path, written: str) -> None:
    found = read(
        tmp_path, {"home/.npmrc": f"registry={written}\n//locked.example/:_authToken=sesame\n"}, PIP_INDEX_URL=written
    )
    assert "sesame" not in repr(found)
    assert found.locked == ("locked.example",)
    assert found.environ["PIP_INDEX_URL"] == "https://locked.example/simple"


def test_npm_and_its_scopes(tmp_path: Path) -> None:
    rc = f"registry={ONE}/npm/\n@acme:registry={TWO}/npm/\n"
    found = read(tmp_path, {"home/.npmrc": rc})
    assert addresses(found) == [("npm", "https://one.example/npm/"), ("npm", "https://two.example/npm/")]
    assert found.environ["NPM_CONFIG_@acme:registry"] == f"{TWO}/npm/"


def test_go_and_cargo(tmp_path: Path) -> None:
    secret = ONE.replace("://", "://t:x@")
    cargo = f'[source.crates-io]\nreplace-with = "mirror"\n[source.mirror]\nregistry = "sparse+{secret}/"\n'
    files = {"home/.config/go/env": "GOPROXY=https://two.example,direct\n", "home/.cargo/config.toml": cargo}
    found = read(tmp_path, files)
    assert {place for each in found.registries if (place := each.place)} == {"one.example:443", "two.example:443"}
    assert f'registry = "sparse+{ONE}/"' in found.cargo
    assert found.public == {Client.PIP, Client.NPM}


@pytest.mark.parametrize("text", ["[", "[global", "\0", "index-url", "= = ="])
def test_untidy_settings_are_borne(tmp_path: Path, text: str) -> None:
    names = ("etc/pip.conf", "home/.npmrc", "home/.config/go/env", "home/.cargo/config.toml")
    read(tmp_path, dict.fromkeys(names, text))


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://a.example/x", "a.example:443"),
        ("http://A.example:81/x", "a.example:81"),
        ("sparse+https://a.example/", "a.example:443"),
        ("file:///srv", ""),
        ("direct", ""),
        ("https://a.example:port/", ""),
    ],
)
def test_the_place_of_an_address(address: str, place: str) -> None:
    assert place_of(address) == place


def test_hosts_without_a_port_are_meant_with_both() -> None:
    assert places_of(("a.example", "b.example:8080")) == {"a.example:443", "a.example:80", "b.example:8080"}


def test_the_packaged_list_names_hosts_of_every_client_and_no_address() -> None:
    shipped = packaged_hosts()
    assert set(shipped) == set(Client)
    assert not any("/" in host or ":" in host for hosts in shipped.values() for host in hosts)


async def test_hosts_that_an_index_links_to_are_found_by_its_pages() -> None:
    with serving_index() as index:
        index.add_wheel("tiny", {"tiny.py": ""})
        index.add_npm("small", {"index.js": ""})
        index.pages["/crates/config.json"] = b'{"dl": "https://files.example/api"}'
        registries = [
            Registry(client=Client.PIP, address=index.simple),
            Registry(client=Client.NPM, address=index.npm),
            Registry(client=Client.CARGO, address=f"sparse+{index.address}/crates/"),
            Registry(client=Client.PIP, address="http://127.0.0.1:9/simple"),
        ]
        found = await linked_places(registries, {Client.PIP: ["tiny"], Client.NPM: ["small"]})
        assert found == {index.files.removeprefix("http://"), "files.example:443"}


def test_names_of_packages_are_read_from_manifests() -> None:
    texts = {
        "requirements.txt": "# a comment\nattrs>=1\nrich [x] ; python_version > '3'\n-r more.txt\n",
        "pyproject.toml": '[project]\ndependencies = ["httpx[http2] >= 1", "anyio"]\n',
        "package.json": '{"dependencies": {"left-pad": "1"}, "devDependencies": []}',
    }
    found = package_names(Seen(blobs={}, texts=texts))
    assert {"attrs", "httpx", "anyio"} <= set(found[Client.PIP])
    assert found[Client.NPM] == ["left-pad"]
